#include "spikenm/train/tensor_histogram.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

namespace spikenm::train {
namespace {

void expect_same(const Histogram& found, const Histogram& wanted) {
  EXPECT_EQ(found.n, wanted.n);
  EXPECT_EQ(found.min, wanted.min);
  EXPECT_EQ(found.max, wanted.max);
  EXPECT_EQ(found.limits, wanted.limits);
  EXPECT_EQ(found.counts, wanted.counts);
  EXPECT_NEAR(found.sum, wanted.sum, 1e-9 * std::abs(wanted.sum_squares));
  EXPECT_NEAR(found.sum_squares, wanted.sum_squares, 1e-9 * wanted.sum_squares);
}

// No values, one, equal ones, and more than fit in one piece of the operations' work.
TEST(TensorHistogram, IsTheSameByOperations) {
  const auto several = [](int64_t n) {
    return at::arange(n, at::kFloat).mul_(0.37F).sin_().mul_(3).view({n, 1});
  };
  at::Tensor holes = several(1000);
  holes[7] = NAN;
  holes[8] = INFINITY;
  holes[9] = -INFINITY;
  for (const at::Tensor& values : {several(0), several(1), at::full({5, 5}, 0.25F), several(1000),
                                   holes, holes.narrow(0, 7, 3), several((int64_t{1} << 22) + 5)})
    expect_same(histogram_by_operations(values), tensor_histogram(values));
}

TEST(TensorHistogram, CountsOnlyWhatIsKept) {
  const at::Tensor values = at::arange(60, at::kFloat).view({3, 20}).t(),  // not in its order
      keep = values.remainder(3).ne(0).to(at::kFloat);
  for (const Histogram& found :
       {tensor_histogram(values, keep), histogram_by_operations(values, keep)}) {
    EXPECT_EQ(found.n, 40);
    EXPECT_EQ(found.min, 1);
    EXPECT_EQ(found.max, 59);
    EXPECT_EQ(found.sum, 1200);
  }
  expect_same(histogram_by_operations(values, keep), tensor_histogram(values, keep));
  EXPECT_EQ(tensor_histogram(values, at::zeros_like(values)).n, 0);
  EXPECT_EQ(histogram_by_operations(values, at::zeros_like(values)).n, 0);
}

}  // namespace
}  // namespace spikenm::train
