// Tensors of known values, and whole tensors compared in one expectation.
#pragma once

#include "spikenm/ops/tensor_args.h"
#include "support/compare.h"
#include "support/normal_values.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <vector>

namespace spikenm::test {

using at::Tensor;

inline constexpr at::ScalarType kRealTypes[] = {at::kFloat, at::kDouble};

// Normal values; each stream is another set, and both types hold the same numbers.
inline Tensor normal_tensor(at::IntArrayRef shape, at::ScalarType type, uint32_t stream,
                            double scale = 1) {
  int64_t n = 1;
  for (const int64_t size : shape) n *= size;
  const auto values = normal_values<double>(static_cast<size_t>(n), scale, stream);
  return at::tensor(values, at::kDouble).view(shape).to(type);
}

inline Tensor trained(const Tensor& t) {
  return t.detach().clone().set_requires_grad(true);
}

template <class T>
std::vector<T> values_of(const Tensor& t) {
  const Tensor dense = t.detach().contiguous();
  const T* const begin = dense.const_data_ptr<T>();
  return {begin, begin + dense.numel()};
}

template <class Compare>
testing::AssertionResult compare_tensors(const Tensor& found, const Tensor& wanted,
                                         Compare&& compare) {
  if (!found.defined() || !wanted.defined())
    return testing::AssertionFailure() << "a tensor is undefined";
  if (found.sizes() != wanted.sizes() || found.scalar_type() != wanted.scalar_type())
    return testing::AssertionFailure()
           << "found " << found.sizes() << " " << found.scalar_type() << ", wanted "
           << wanted.sizes() << " " << wanted.scalar_type();
  if (found.scalar_type() == at::kByte)
    return compare(values_of<uint8_t>(found), values_of<uint8_t>(wanted));
  return ops::dispatch_real(found, [&](auto zero) {
    using T = decltype(zero);
    return compare(values_of<T>(found), values_of<T>(wanted));
  });
}

inline testing::AssertionResult tensors_close(const Tensor& found, const Tensor& wanted,
                                              Tolerance tolerance) {
  return compare_tensors(found, wanted,
                         [&](const auto& a, const auto& b) { return all_close(a, b, tolerance); });
}

inline testing::AssertionResult tensors_equal(const Tensor& found, const Tensor& wanted) {
  return tensors_close(found, wanted, {});
}

// Bit for bit.
inline testing::AssertionResult tensors_identical(const Tensor& found, const Tensor& wanted) {
  return compare_tensors(found, wanted,
                         [](const auto& a, const auto& b) { return all_identical(a, b); });
}

// Rounding of sums over some hundred values of size 1.
inline Tolerance rounding_of(at::ScalarType type) {
  return type == at::kDouble ? Tolerance{1e-11, 1e-11} : Tolerance{5e-5, 1e-5};
}

// d sum(y * g) / d inputs: g makes every output count differently.
inline std::vector<Tensor> gradients(const Tensor& y, const Tensor& g,
                                     const std::vector<Tensor>& inputs) {
  return torch::autograd::grad({y}, inputs, {g.to(y.scalar_type())});
}

// ATen runs on one thread, as in every program of ours, before the first test: with two, oneDNN's
// backward never ends for some shapes (mb 3, 5 to 2 channels, 7x8, 3x3, stride 2).
inline const bool kAtenHasOneThread = (ops::use_threads(0), true);

// Threads of our kernels while this lives.
class Threads {
 public:
  explicit Threads(int n) { ops::use_threads(n); }
  ~Threads() { ops::use_threads(0); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
};

}  // namespace spikenm::test
