// Python pickles of plain data and numpy arrays (the CIFAR batches), protocols 0 to 5. The reader
// knows a few of numpy's constructors by name and refuses all others: nothing is ever executed.
#pragma once

#include "spikenm/data/formats/npy.h"

#include <concepts>
#include <memory>
#include <utility>
#include <variant>

namespace spikenm::data {

// An array and the bytes that hold its data; the bytes keep their address when it is copied or
// moved.
struct PickleArray {
  std::shared_ptr<const std::string> bytes;
  NpyArray array;
};

struct PickleItems;
enum class PickleName : uint8_t;

// Copies share their content. Each accessor is null when the value is of another kind.
class PickleValue {
 public:
  PickleValue() = default;  // None
  template <class T>
    requires(!std::same_as<std::remove_cvref_t<T>, PickleValue>)
  explicit PickleValue(T&& value) : value_(std::forward<T>(value)) {}

  [[nodiscard]] bool is_none() const { return std::holds_alternative<std::monostate>(value_); }
  [[nodiscard]] const bool* boolean() const { return std::get_if<bool>(&value_); }
  [[nodiscard]] const int64_t* integer() const { return std::get_if<int64_t>(&value_); }
  [[nodiscard]] const double* number() const { return std::get_if<double>(&value_); }
  // Bytes unchanged, or a string in UTF-8.
  [[nodiscard]] const std::string* text() const;
  // The items of a list or tuple.
  [[nodiscard]] const std::vector<PickleValue>* items() const;
  [[nodiscard]] const PickleArray* array() const;
  // The value under a text key of a dict; null when this is not a dict or has no such key.
  [[nodiscard]] const PickleValue* get(std::string_view key) const;

  // The content that the value shares with its copies; null for another kind. For the reader, which
  // builds it.
  template <class T>
  [[nodiscard]] const std::shared_ptr<T>& shared() const {
    static const std::shared_ptr<T> kNone;
    const auto* pointer = std::get_if<std::shared_ptr<T>>(&value_);
    return pointer == nullptr ? kNone : *pointer;
  }
  [[nodiscard]] const PickleName* name() const { return std::get_if<PickleName>(&value_); }

 private:
  // The last two are numpy's types and constructors, which appear in a pickle beside the arrays
  // they describe.
  std::variant<std::monostate, bool, int64_t, double, std::shared_ptr<const std::string>,
               std::shared_ptr<PickleItems>, std::shared_ptr<PickleArray>, std::shared_ptr<NpyType>,
               PickleName>
      value_;
};

PickleValue parse_pickle(Bytes bytes, std::string_view source);

}  // namespace spikenm::data
