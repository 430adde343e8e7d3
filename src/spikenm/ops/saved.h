// Any value saved in an autograd context from forward to backward.
#pragma once

#include <ATen/core/ivalue.h>

#include <utility>

namespace spikenm::ops {

template <class T>
struct Saved : torch::CustomClassHolder {
  explicit Saved(T v) : value(std::move(v)) {}
  T value;
};

template <class T>
c10::IValue save_value(T value) {
  return c10::IValue::make_capsule(c10::make_intrusive<Saved<T>>(std::move(value)));
}

// The context lives longer than this use: the reference is valid for the whole backward call.
template <class T>
const T& saved_value(const c10::IValue& held) {
  return static_cast<const Saved<T>&>(*held.toCapsule()).value;
}

}  // namespace spikenm::ops
