#include "spikenm/ops/pool.h"

#include "support/expect_error.h"
#include "support/tensors.h"

namespace spikenm::ops {
namespace {

using test::gradients;
using test::kRealTypes;
using test::normal_tensor;
using test::rounding_of;
using test::tensors_close;
using test::tensors_equal;
using test::tensors_identical;
using test::trained;

constexpr PoolKind kKinds[] = {PoolKind::kAverage, PoolKind::kMax};

Tensor reference(const Tensor& x, PoolKind kind, int64_t size) {
  const Tensor rows = x.flatten(0, 1);
  const Tensor y =
      kind == PoolKind::kAverage ? at::avg_pool2d(rows, size) : at::max_pool2d(rows, size);
  return y.unflatten(0, {x.size(0), x.size(1)});
}

void expect_equals_aten(const Tensor& values, PoolKind kind, int64_t size) {
  SCOPED_TRACE(testing::Message() << (kind == PoolKind::kMax ? "max " : "average ") << size
                                  << " of " << values.sizes() << " " << values.scalar_type());
  const Tensor x = trained(values);
  const Tensor found = pool(x, kind, size), wanted = reference(x, kind, size);
  EXPECT_TRUE(tensors_close(found, wanted, rounding_of(x.scalar_type())));
  const Tensor g = normal_tensor(wanted.sizes(), x.scalar_type(), 2);
  EXPECT_TRUE(tensors_close(gradients(found, g, {x})[0], gradients(wanted, g, {x})[0],
                            rounding_of(x.scalar_type())));
}

// Maps that no window divides, and one that is the window.
TEST(Pool, OutputAndGradientEqualThoseOfAten) {
  for (const at::ScalarType type : kRealTypes)
    for (const PoolKind kind : kKinds)
      for (const int64_t size : {1, 2, 3, 15})
        for (const auto& [height, width] :
             {std::pair<int64_t, int64_t>{size, size}, {size + 1, 2 * size}, {3 * size + 1, 17}})
          expect_equals_aten(normal_tensor({2, 3, 2, height, std::max(width, size)}, type, 1), kind,
                             size);
}

TEST(Pool, SpikesEqualThoseOfAten) {
  for (const PoolKind kind : kKinds)
    for (const double threshold : {-9.0, 0.0, 1.0, 9.0})  // all, half, few, none
      expect_equals_aten(normal_tensor({3, 2, 4, 7, 9}, at::kFloat, 1).ge(threshold).to(at::kFloat),
                         kind, 2);
}

Tensor map_of(std::vector<float> values, int64_t height, int64_t width) {
  return at::tensor(values).view({1, 1, 1, height, width});
}

TEST(Pool, OfEqualValuesTheFirstTakesTheGradient) {
  const Tensor x = trained(map_of({0, 1, 5, 5,  //
                                   1, 1, 5, 5},
                                  2, 4));
  const Tensor y = pool(x, PoolKind::kMax, 2);
  EXPECT_TRUE(tensors_equal(y, map_of({1, 5}, 1, 2)));
  EXPECT_TRUE(tensors_equal(gradients(y, map_of({10, 20}, 1, 2), {x})[0], map_of({0, 10, 20, 0,  //
                                                                                  0, 0, 0, 0},
                                                                                 2, 4)));
}

// By hand, with a last column and row that fill no window.
TEST(Pool, AverageSpreadsTheGradientAndRestsGetNone) {
  const Tensor x = trained(map_of({1, 2, 9,  //
                                   3, 6, 9,  //
                                   9, 9, 9},
                                  3, 3));
  const Tensor y = pool(x, PoolKind::kAverage, 2);
  EXPECT_TRUE(tensors_equal(y, map_of({3}, 1, 1)));
  EXPECT_TRUE(tensors_equal(gradients(y, map_of({8}, 1, 1), {x})[0], map_of({2, 2, 0,  //
                                                                             2, 2, 0,  //
                                                                             0, 0, 0},
                                                                            3, 3)));
}

TEST(Pool, TransposedInputsAndGradientsCountAsTheirValues) {
  for (const PoolKind kind : kKinds) {
    const Tensor x = trained(normal_tensor({6, 5, 2, 3, 4}, at::kDouble, 1));
    const Tensor turned = x.permute({2, 3, 4, 0, 1});  // [2,3,4,6,5]
    const Tensor found = pool(turned, kind, 2), wanted = reference(turned, kind, 2);
    EXPECT_TRUE(tensors_close(found, wanted, rounding_of(at::kDouble)));
    const Tensor g = at::ones({1}, at::kDouble).expand(found.sizes());
    EXPECT_TRUE(tensors_close(gradients(found, g, {x})[0], gradients(wanted, g, {x})[0],
                              rounding_of(at::kDouble)));
  }
}

std::vector<Tensor> run_on(int n_threads, PoolKind kind) {
  const test::Threads scope(n_threads);
  const Tensor x = trained(normal_tensor({3, 5, 7, 33, 34}, at::kFloat, 1));
  const Tensor y = pool(x, kind, 2);
  return {y, gradients(y, normal_tensor(y.sizes(), at::kFloat, 2), {x})[0]};
}

TEST(Pool, OneThreadAndTwoGiveTheSameBits) {
  for (const PoolKind kind : kKinds) {
    const auto one = run_on(1, kind), two = run_on(2, kind);
    EXPECT_TRUE(tensors_identical(two[0], one[0]));
    EXPECT_TRUE(tensors_identical(two[1], one[1]));
  }
}

TEST(Pool, MapsSmallerThanTheWindowAreErrors) {
  EXPECT_ERROR(pool(at::ones({1, 1, 1, 1, 4}), PoolKind::kMax, 2), "pool", "1x4", "2x2 window");
  EXPECT_ERROR(pool(at::ones({1, 1, 1, 4, 1}), PoolKind::kAverage, 2), "pool", "4x1");
  EXPECT_ERROR(pool(at::ones({1, 1, 4, 4}), PoolKind::kMax, 2), "pool", "4-d", "[T,B,C,H,W]");
  EXPECT_ERROR(pool(at::ones({1, 1, 1, 4, 4}), PoolKind::kMax, 0), "pool");
  EXPECT_ERROR(pool(at::ones({1, 1, 1, 20, 20}), PoolKind::kMax, 16), "pool");
  EXPECT_ERROR(pool(at::ones({1, 1, 1, 4, 4}, at::kInt), PoolKind::kMax, 2), "pool: input",
               "float or double");
}

}  // namespace
}  // namespace spikenm::ops
