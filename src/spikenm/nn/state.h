// The state of a run: all tensors and numbers that it needs to continue after a stop. Each part of
// a run has one function that shows its tensors and numbers to a visitor, by name. One visitor
// copies them to save them, one loads them and one hashes them (train/state_copy.h). All three use
// the same function, so what is saved is also loaded.
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

  // True if the visitor replaces tensors and values by saved ones. What was computed from the old
  // ones must then be computed again.
  [[nodiscard]] virtual bool loads() const { return false; }

  // Shows a tensor. Loading copies the saved values into its memory, so type and shape must match.
  void tensor(std::string_view name, const at::Tensor& value) { on_tensor(full(name), value); }

  // The same for a tensor that is never written to: when its values change, another tensor takes its
  // place. So a copy of the state may share its memory.
  void constant(std::string_view name, const at::Tensor& value) { on_constant(full(name), value); }

  // Shows a value that JSON can store without changing a bit: a number, a text or a list of them.
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

  // Throws an Error about a loaded value that cannot be right. `problem` says why: "found 7, wanted
  // 1 to 4".
  [[noreturn]] void refuse(std::string_view name, std::string_view problem) const {
    fail("{}: {}: {}", source(), full(name), problem);
  }

  // While a Scope lives, all names begin with its prefix and a point: "optimizer.steps".
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
  virtual void on_constant(const std::string& name, const at::Tensor& value) {
    on_tensor(name, value);
  }
  virtual void on_value(const std::string& name, Json& value) = 0;
  // What messages call the thing that is read, such as the path of a file.
  [[nodiscard]] virtual std::string source() const { return "state"; }

 private:
  [[nodiscard]] std::string full(std::string_view name) const {
    return std::string(prefix_).append(name);
  }

  std::string prefix_;
};

}  // namespace spikenm::nn
