// Weight gradients and credits on the GPU against the plain loops.
#include "spikenm/kernels/credit_product.h"

#include "cuda/device_array.h"
#include "spikenm/kernels/credit_sum.h"
#include "support/compare.h"
#include "support/normal_values.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>

namespace spikenm::kernels {
namespace {

using test::DeviceArray;

template <class T>
constexpr Real kRealOf = Real::kFloat;
template <>
constexpr Real kRealOf<__nv_bfloat16> = Real::kBfloat16;
template <>
constexpr Real kRealOf<__half> = Real::kHalf;

template <class T>
std::vector<T> narrowed(const std::vector<float>& values) {
  std::vector<T> result;
  for (const float v : values) result.push_back(static_cast<T>(v));
  return result;
}

template <class T>
std::vector<float> widened(const std::vector<T>& values) {
  std::vector<float> result;
  for (const T v : values) result.push_back(static_cast<float>(v));
  return result;
}

// Whole numbers in [-4, 4]: every sum of them is exact.
std::vector<float> whole_values(size_t n, uint32_t stream) {
  std::vector<float> values = test::normal_values<float>(n, 2, stream);
  for (float& v : values) v = std::clamp(std::round(v), -4.0f, 4.0f);
  return values;
}

struct Shape {
  int64_t steps, batch, n_out, n_in;

  [[nodiscard]] size_t rows() const { return static_cast<size_t>(steps * batch); }
  [[nodiscard]] size_t weights() const { return static_cast<size_t>(n_out * n_in); }
};

// Tiles are 128 x 128, chunks 64 rows, copies 8, 4, 2 or 1 elements wide.
constexpr Shape kShapes[] = {{1, 1, 1, 1},       {3, 5, 7, 9},      {8, 64, 100, 200},
                             {2, 64, 128, 256},  {4, 70, 130, 264}, {10, 33, 65, 129},
                             {8, 64, 256, 1024}, {1, 200, 10, 132}, {5, 64, 11, 127},
                             {2, 129, 127, 1},   {1, 63, 136, 140}, {7, 128, 128, 128}};

struct Sums {
  std::vector<float> total, credit;
};

Sums on_cpu(const Shape& s, const std::vector<float>& grad, const std::vector<float>& x) {
  Sums sums{std::vector<float>(s.weights()), std::vector<float>(s.weights())};
  credit_product_ref({.steps = s.steps,
                      .batch = s.batch,
                      .n_out = s.n_out,
                      .n_in = s.n_in,
                      .grad = grad.data(),
                      .x = x.data(),
                      .total = sums.total.data(),
                      .credit = sums.credit.data()});
  return sums;
}

// The arrays begin `shift` elements after an aligned place; what lies beside them must stay.
template <class T>
Sums on_gpu(const Shape& s, const std::vector<T>& grad, const std::vector<T>& x, size_t shift = 0) {
  constexpr float kGuard = 1234;
  std::vector<T> padded_grad(shift), padded_x(shift);
  padded_grad.insert(padded_grad.end(), grad.begin(), grad.end());
  padded_x.insert(padded_x.end(), x.begin(), x.end());
  const DeviceArray<T> device_grad(padded_grad), device_x(padded_x);
  const std::vector<float> guarded(shift + s.weights() + 8, kGuard);
  const DeviceArray<float> total(guarded), credit(guarded);
  credit_product_cuda({.real = kRealOf<T>,
                       .steps = s.steps,
                       .batch = s.batch,
                       .n_out = s.n_out,
                       .n_in = s.n_in,
                       .grad = device_grad.get() + shift,
                       .x = device_x.get() + shift,
                       .total = total.get() + shift,
                       .credit = credit.get() + shift},
                      nullptr);
  Sums sums{total.host(), credit.host()};
  for (std::vector<float>* v : {&sums.total, &sums.credit}) {
    const auto begin = v->begin() + static_cast<std::ptrdiff_t>(shift), end = v->end() - 8;
    for (auto i = v->begin(); i != begin; ++i) EXPECT_EQ(*i, kGuard);
    for (auto i = end; i != v->end(); ++i) EXPECT_EQ(*i, kGuard);
    *v = std::vector<float>(begin, end);
  }
  return sums;
}

testing::Message text_of(const Shape& s) {
  return testing::Message() << s.steps << " steps of " << s.batch << ", " << s.n_out << " x "
                            << s.n_in;
}

template <class T>
class CudaCreditProduct : public testing::Test {};
using SixteenBits = testing::Types<__nv_bfloat16, __half>;
TYPED_TEST_SUITE(CudaCreditProduct, SixteenBits);

TYPED_TEST(CudaCreditProduct, OfWholeNumbersIsBitForBitTheReferences) {
  using T = TypeParam;
  for (const Shape& s : kShapes) {
    SCOPED_TRACE(text_of(s));
    const auto grad = whole_values(s.rows() * static_cast<size_t>(s.n_out), 1),
               x = whole_values(s.rows() * static_cast<size_t>(s.n_in), 2);
    const Sums wanted = on_cpu(s, grad, x), found = on_gpu(s, narrowed<T>(grad), narrowed<T>(x));
    EXPECT_TRUE(test::all_close(found.total, wanted.total, {}));
    EXPECT_TRUE(test::all_close(found.credit, wanted.credit, {}));
  }
}

// 16-bit products are exact in float; what differs is the rounding of the sums, some bits of the
// sum of magnitudes.
TYPED_TEST(CudaCreditProduct, IsTheReferencesWithinTheRoundingOfFloatSums) {
  using T = TypeParam;
  const auto magnitudes = [](std::vector<float> values) {
    for (float& v : values) v = std::abs(v);
    return values;
  };
  for (const Shape& s : kShapes) {
    SCOPED_TRACE(text_of(s));
    const auto grad =
        narrowed<T>(test::normal_values<float>(s.rows() * static_cast<size_t>(s.n_out), 0.1, 3));
    const auto x =
        narrowed<T>(test::normal_values<float>(s.rows() * static_cast<size_t>(s.n_in), 1, 4));
    const auto wide_grad = widened(grad), wide_x = widened(x);
    const Sums wanted = on_cpu(s, wide_grad, wide_x), found = on_gpu(s, grad, x);
    const Sums bound = on_cpu(s, magnitudes(wide_grad), magnitudes(wide_x));
    size_t n_far = 0;
    for (size_t i = 0; i < wanted.total.size(); ++i) {
      const float tolerance = std::ldexp(bound.total[i], -18);
      n_far += !(std::abs(found.total[i] - wanted.total[i]) <= tolerance) ||
               !(std::abs(found.credit[i] - wanted.credit[i]) <= tolerance);
    }
    EXPECT_EQ(n_far, 0);
  }
}

TYPED_TEST(CudaCreditProduct, IsTheSameFromAnyAddress) {
  using T = TypeParam;
  const Shape s{3, 66, 136, 136};
  const auto grad = whole_values(s.rows() * 136, 5), x = whole_values(s.rows() * 136, 6);
  const Sums wanted = on_cpu(s, grad, x);
  for (const size_t shift : {1, 2, 3, 4}) {
    const Sums found = on_gpu(s, narrowed<T>(grad), narrowed<T>(x), shift);
    EXPECT_TRUE(test::all_close(found.total, wanted.total, {})) << "shift " << shift;
    EXPECT_TRUE(test::all_close(found.credit, wanted.credit, {})) << "shift " << shift;
  }
}

template <class T>
class CudaTrace : public testing::Test {};
using AllTypes = testing::Types<float, __nv_bfloat16, __half>;
TYPED_TEST_SUITE(CudaTrace, AllTypes);

// Slices are [out, taps, channels], sums [out, channels, taps].
TYPED_TEST(CudaTrace, SumsOfSlicesAreTheCpusInTheWeightsOrder) {
  using T = TypeParam;
  struct Size {
    size_t out, channels, taps;
  };
  for (const Size& z : {Size{1, 1, 1}, Size{7, 1, 1}, Size{5, 3, 9}, Size{33, 17, 25},
                        Size{64, 64, 9}, Size{2, 70, 121}})
    for (const size_t steps : {size_t{1}, size_t{8}, size_t{70}})
      for (const bool with_credit : {true, false}) {
        SCOPED_TRACE(testing::Message() << z.out << " x " << z.channels << " x " << z.taps << ", "
                                        << steps << " steps, credit " << with_credit);
        const size_t n = z.out * z.channels * z.taps;
        const auto slices = narrowed<T>(test::normal_values<float>(n * steps, 1, 7));
        const auto wide = widened(slices);
        std::vector<float> total(n, 0), credit(n, 0), permuted(n);
        for (size_t t = 0; t < steps; ++t) {
          for (size_t i = 0; i < n; ++i) {
            const size_t channel = i % z.channels, row = i / z.channels;
            permuted[(row / z.taps * z.channels + channel) * z.taps + row % z.taps] =
                wide[t * n + i];
          }
          accumulate_credit(static_cast<int64_t>(n), permuted.data(), total.data(), credit.data());
        }
        const DeviceArray<T> device_slices(slices);
        std::vector<const void*> pointers;
        for (size_t t = 0; t < steps; ++t) pointers.push_back(device_slices.get() + t * n);
        const DeviceArray<float> found(n), found_credit(n);
        accumulate_credit_cuda({.real = kRealOf<T>,
                                .slices = pointers,
                                .n = static_cast<int64_t>(n),
                                .channels = static_cast<int64_t>(z.channels),
                                .taps = static_cast<int64_t>(z.taps),
                                .total = found.get(),
                                .credit = with_credit ? found_credit.get() : nullptr},
                               nullptr);
        EXPECT_TRUE(test::all_close(found.host(), total, {}));
        if (with_credit) {
          EXPECT_TRUE(test::all_close(found_credit.host(), credit, {}));
        }
      }
}

}  // namespace
}  // namespace spikenm::kernels
