// Any value kept in an autograd context from forward to backward.
#pragma once

#include <ATen/core/ivalue.h>

#include <utility>

namespace spikenm::ops {

template <class T>
struct Kept : torch::CustomClassHolder {
  explicit Kept(T v) : value(std::move(v)) {}
  T value;
};

template <class T>
c10::IValue keep(T value) {
  return c10::IValue::make_capsule(c10::make_intrusive<Kept<T>>(std::move(value)));
}

// The context lives longer than this use: the reference is valid for the whole backward call.
template <class T>
const T& kept(const c10::IValue& held) {
  return static_cast<const Kept<T>&>(*held.toCapsule()).value;
}

}  // namespace spikenm::ops
