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

// Windows side by side.
PoolGeometry apart(PoolKind kind, int64_t size) {
  return {.kind = kind, .size = size, .stride = size};
}

Tensor reference(const Tensor& x, const PoolGeometry& g) {
  const Tensor rows = x.flatten(0, 1);
  const Tensor y = g.kind == PoolKind::kAverage ? at::avg_pool2d(rows, g.size, g.stride, g.padding)
                                                : at::max_pool2d(rows, g.size, g.stride, g.padding);
  return y.unflatten(0, {x.size(0), x.size(1)});
}

void expect_equals_aten(const Tensor& values, const PoolGeometry& geometry) {
  SCOPED_TRACE(testing::Message() << (geometry.kind == PoolKind::kMax ? "max " : "average ")
                                  << geometry.size << " stride " << geometry.stride << " padding "
                                  << geometry.padding << " of " << values.sizes() << " "
                                  << values.scalar_type());
  const Tensor x = trained(values);
  const Tensor found = pool(x, geometry), wanted = reference(x, geometry);
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
          expect_equals_aten(normal_tensor({2, 3, 2, height, std::max(width, size)}, type, 1),
                             apart(kind, size));
}

// Windows that overlap, leave gaps or hang over the border, as the 3x3 stride 2 of an ImageNet
// stem.
TEST(Pool, OverlapGapsAndPaddingEqualThoseOfAten) {
  for (const PoolGeometry& g : {PoolGeometry{PoolKind::kMax, 3, 2, 1},
                                {PoolKind::kMax, 3, 1, 1},
                                {PoolKind::kMax, 2, 3, 1},
                                {PoolKind::kMax, 5, 2, 2},
                                {PoolKind::kMax, 1, 4, 0},
                                {PoolKind::kMax, 15, 1, 7},
                                {PoolKind::kAverage, 3, 2, 0},
                                {PoolKind::kAverage, 2, 3, 0}})
    for (const auto& [height, width] : {std::pair<int64_t, int64_t>{15, 15}, {16, 17}, {23, 16}}) {
      const Tensor x = normal_tensor({2, 2, 3, height, width}, at::kDouble, 1);
      expect_equals_aten(x, g);
      expect_equals_aten(x.gt(0.5).to(at::kDouble), g);  // ties
      expect_equals_aten(x.abs().neg().sub(1), g);       // all below a border of zeros
    }
  expect_equals_aten(normal_tensor({1, 1, 2, 1, 2}, at::kDouble, 1), {PoolKind::kMax, 3, 2, 1});
}

TEST(Pool, SpikesEqualThoseOfAten) {
  for (const PoolKind kind : kKinds)
    for (const double threshold : {-9.0, 0.0, 1.0, 9.0})  // all, half, few, none
      expect_equals_aten(normal_tensor({3, 2, 4, 7, 9}, at::kFloat, 1).ge(threshold).to(at::kFloat),
                         apart(kind, 2));
}

Tensor map_of(std::vector<float> values, int64_t height, int64_t width) {
  return at::tensor(values).view({1, 1, 1, height, width});
}

TEST(Pool, OfEqualValuesTheFirstTakesTheGradient) {
  const Tensor x = trained(map_of({0, 1, 5, 5,  //
                                   1, 1, 5, 5},
                                  2, 4));
  const Tensor y = pool(x, {PoolKind::kMax});
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
  const Tensor y = pool(x, {PoolKind::kAverage});
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
    const Tensor found = pool(turned, {kind}), wanted = reference(turned, {kind});
    EXPECT_TRUE(tensors_close(found, wanted, rounding_of(at::kDouble)));
    const Tensor g = at::ones({1}, at::kDouble).expand(found.sizes());
    EXPECT_TRUE(tensors_close(gradients(found, g, {x})[0], gradients(wanted, g, {x})[0],
                              rounding_of(at::kDouble)));
  }
}

std::vector<Tensor> run_on(int n_threads, PoolKind kind) {
  const test::Threads scope(n_threads);
  const Tensor x = trained(normal_tensor({3, 5, 7, 33, 34}, at::kFloat, 1));
  const Tensor y = pool(x, {.kind = kind, .size = 3, .stride = 2});
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
  EXPECT_ERROR(pool(at::ones({1, 1, 1, 1, 4}), {PoolKind::kMax}), "pool", "1x4", "2x2 window");
  EXPECT_ERROR(pool(at::ones({1, 1, 1, 4, 1}), {PoolKind::kAverage}), "pool", "4x1");
  EXPECT_ERROR(pool(at::ones({1, 1, 4, 4}), {PoolKind::kMax}), "pool", "4-d", "[T,B,C,H,W]");
  EXPECT_ERROR(pool(at::ones({1, 1, 1, 4, 4}, at::kInt), {PoolKind::kMax}), "pool: input", "Int",
               "float");
}

TEST(Pool, WindowsThatMakeNoSenseAreErrors) {
  const Tensor x = at::ones({1, 1, 1, 20, 20});
  EXPECT_ERROR(pool(x, apart(PoolKind::kMax, 0)), "pool", "0x0 window");
  EXPECT_ERROR(pool(x, apart(PoolKind::kMax, 16)), "pool", "16x16 window");
  EXPECT_ERROR(pool(x, {PoolKind::kMax, 2, 0, 0}), "pool", "stride 0");
  EXPECT_ERROR(pool(x, {PoolKind::kMax, 3, 2, 2}), "pool", "padding 2", "half");
  EXPECT_ERROR(pool(x, {PoolKind::kMax, 3, 2, -1}), "pool", "padding -1");
  EXPECT_ERROR(pool(x, {PoolKind::kAverage, 3, 2, 1}), "pool", "padding 1", "max pool");
}

}  // namespace
}  // namespace spikenm::ops
