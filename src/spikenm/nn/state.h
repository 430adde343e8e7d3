// Everything that a run needs to go on shows itself to a visitor: tensors and numbers, by name. One
// visitor saves them, one loads them, one hashes them (train/checkpoint.h), so none of the three
// can forget what the others know.
#pragma once

#include "spikenm/core/error.h"
#include "spikenm/core/json.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <string_view>

namespace spikenm::nn {

class StateVisitor {
 public:
  virtual ~StateVisitor() = default;

  // Whether values change to what was saved: then what follows from them is made anew.
  [[nodiscard]] virtual bool loads() const { return false; }

  // A tensor that keeps its type, its shape and its memory: loading copies into it.
  void tensor(std::string_view name, const at::Tensor& value) { on_tensor(full(name), value); }

  // A number, a text, or a list of them: whatever JSON gives back bit for bit.
  template <class T>
  void value(std::string_view name, T& value) {
    const std::string key = full(name);
    Json json = value;
    on_value(key, json);
    try {
      value = json.get<T>();
    } catch (const Json::exception&) {
      refuse(name, "found " + json.dump() + ", wanted a value of another type");
    }
  }

  // An Error for a value that was loaded and cannot be: `problem` is "found 7, wanted 1 to 4".
  [[noreturn]] void refuse(std::string_view name, std::string_view problem) const {
    fail("{}: {}: {}", source(), full(name), problem);
  }

  // While it lives, names begin with `prefix` and a point: "optimizer.steps".
  class Scope {
   public:
    Scope(StateVisitor& visitor, std::string_view prefix)
        : visitor_(visitor), length_(visitor.prefix_.size()) {
      visitor.prefix_.append(prefix).append(".");
    }
    ~Scope() { visitor_.prefix_.resize(length_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    StateVisitor& visitor_;
    size_t length_;
  };

 protected:
  virtual void on_tensor(const std::string& name, const at::Tensor& value) = 0;
  virtual void on_value(const std::string& name, Json& value) = 0;
  // Names what is read in messages.
  [[nodiscard]] virtual std::string source() const { return "state"; }

 private:
  [[nodiscard]] std::string full(std::string_view name) const {
    return std::string(prefix_).append(name);
  }

  std::string prefix_;
};

}  // namespace spikenm::nn
