// Histograms counted on the GPU against those of the plain loop.
#include "spikenm/train/tensor_histogram.h"

#include "support/gpu.h"
#include "support/tensors.h"

#include <cmath>

namespace spikenm::train {
namespace {

void expect_same(const Histogram& found, const Histogram& wanted) {
  EXPECT_EQ(found.n, wanted.n);
  EXPECT_EQ(found.min, wanted.min);
  EXPECT_EQ(found.max, wanted.max);
  EXPECT_EQ(found.limits, wanted.limits);
  EXPECT_EQ(found.counts, wanted.counts);
  EXPECT_NEAR(found.sum, wanted.sum, 1e-9 * static_cast<double>(wanted.n));
  EXPECT_NEAR(found.sum_squares, wanted.sum_squares, 1e-9 * static_cast<double>(wanted.n));
}

TEST(TensorHistogramOnGpu, IsTheCpus) {
  for (const int64_t n : {int64_t{0}, int64_t{1}, int64_t{999}, (int64_t{1} << 22) + 7}) {
    at::Tensor values = test::normal_tensor({n}, at::kFloat, 3);
    if (n > 10) {
      values[3] = NAN;
      values[n - 1] = INFINITY;
    }
    const at::Tensor keep = at::arange(n).remainder(3).ne(0).to(at::kFloat);
    expect_same(tensor_histogram(values.cuda()), tensor_histogram(values));
    expect_same(tensor_histogram(values.cuda(), keep.cuda()), tensor_histogram(values, keep));
  }
}

}  // namespace
}  // namespace spikenm::train
