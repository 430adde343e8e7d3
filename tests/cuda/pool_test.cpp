// Pooling on the GPU against the CPU's.
#include "spikenm/ops/pool.h"

#include "support/gpu.h"
#include "support/tensors.h"

namespace spikenm::ops {
namespace {

using test::gradients;
using test::normal_tensor;
using test::tensors_close;
using test::tensors_identical;
using test::trained;

constexpr at::ScalarType kTypes[] = {at::kFloat, at::kBFloat16, at::kHalf};

struct Pooled {
  Tensor y, grad_x;
};

// `values` and `g` are exact in every type.
Pooled run_pool(const Tensor& values, const Tensor& g, const PoolGeometry& geometry,
                const at::Device& device, at::ScalarType type) {
  const Tensor x = trained(values.to(device, type));
  const Tensor y = pool(x, geometry);
  const Tensor grad_x = gradients(y, g.to(device), {x})[0];
  EXPECT_EQ(y.scalar_type(), type);
  EXPECT_EQ(grad_x.scalar_type(), type);
  return {.y = y.detach().cpu().to(at::kFloat), .grad_x = grad_x.cpu().to(at::kFloat)};
}

// Of a value near 1; overlapping windows add up to nine of them.
test::Tolerance rounding_of(at::ScalarType type) {
  if (type == at::kFloat) return {1e-5, 1e-6};
  return type == at::kHalf ? test::Tolerance{4e-3, 2e-3} : test::Tolerance{3e-2, 1e-2};
}

Tensor eighths(at::IntArrayRef shape, uint32_t stream) {
  return normal_tensor(shape, at::kFloat, stream).mul(8).round().clamp(-32, 32).div(8);
}

void expect_equals_cpu(const Tensor& x, const PoolGeometry& geometry) {
  const std::vector<int64_t> out{x.size(0), x.size(1), x.size(2), geometry.out(x.size(3)),
                                 geometry.out(x.size(4))};
  const Tensor g = eighths(out, 2);
  const Pooled cpu = run_pool(x, g, geometry, at::kCPU, at::kFloat);
  for (const at::ScalarType type : kTypes) {
    SCOPED_TRACE(testing::Message() << (geometry.kind == PoolKind::kMax ? "max " : "average ")
                                    << geometry.size << " stride " << geometry.stride << " padding "
                                    << geometry.padding << " of " << x.sizes() << " " << type);
    const Pooled gpu = run_pool(x, g, geometry, at::kCUDA, type);
    if (geometry.kind == PoolKind::kMax) {
      EXPECT_TRUE(tensors_identical(gpu.y, cpu.y));  // one of the inputs, whatever its type
    } else {
      EXPECT_TRUE(tensors_close(gpu.y, cpu.y, rounding_of(type)));
    }
    EXPECT_TRUE(tensors_close(gpu.grad_x, cpu.grad_x, rounding_of(type)));
  }
}

std::vector<PoolGeometry> all_geometries() {
  std::vector<PoolGeometry> all;
  for (const PoolKind kind : {PoolKind::kAverage, PoolKind::kMax})
    for (const int64_t size : {2, 3})
      for (const int64_t stride : {1, 2, 3})
        for (const int64_t padding : {0, 1})
          if (kind == PoolKind::kMax || padding == 0)
            all.push_back({.kind = kind, .size = size, .stride = stride, .padding = padding});
  return all;
}

// Windows that overlap, touch and leave gaps, on maps that they divide and do not; many values are
// equal, so that the first of equals must take the gradient.
TEST(CudaPool, ValuesAndGradientsAreTheCpus) {
  for (const PoolGeometry& geometry : all_geometries())
    for (const int64_t channels : {1, 3, 8, 17})
      for (const auto& [height, width] : {std::pair<int64_t, int64_t>{3, 3}, {8, 8}, {7, 10}})
        expect_equals_cpu(eighths({2, 3, channels, height, width}, 1), geometry);
}

TEST(CudaPool, SpikesAreTheCpus) {
  for (const PoolGeometry& geometry : all_geometries())
    for (const double threshold : {-9.0, 1.0, 9.0}) {  // all, few, none
      const Tensor x = normal_tensor({2, 2, 8, 7, 9}, at::kFloat, 1);
      expect_equals_cpu(x.ge(threshold).to(at::kFloat), geometry);
    }
}

// All below a border of zeros, which must never be the largest.
TEST(CudaPool, TheBorderIsNeverChosen) {
  const Tensor x = eighths({2, 2, 8, 5, 6}, 1).abs().neg().sub(1);
  expect_equals_cpu(x, {.kind = PoolKind::kMax, .size = 3, .stride = 2, .padding = 1});
  expect_equals_cpu(x, {.kind = PoolKind::kMax, .size = 2, .stride = 1, .padding = 1});
}

TEST(CudaPool, LargeMapsAndWindowsToo) {
  const Tensor x = eighths({4, 8, 64, 32, 32}, 1);
  expect_equals_cpu(x, {.kind = PoolKind::kMax});
  expect_equals_cpu(x, {.kind = PoolKind::kAverage});
  const Tensor odd = eighths({1, 2, 3, 31, 17}, 1);
  expect_equals_cpu(odd, {.kind = PoolKind::kMax, .size = 15, .stride = 1, .padding = 7});
  expect_equals_cpu(odd, {.kind = PoolKind::kMax, .size = 1, .stride = 4});
}

TEST(CudaPool, TheLayoutOfTheInputDoesNotMatter) {
  const Tensor x = eighths({3, 2, 17, 7, 9}, 1).to(at::kCUDA);
  for (const PoolKind kind : {PoolKind::kAverage, PoolKind::kMax}) {
    const PoolGeometry geometry{.kind = kind, .size = 3, .stride = 2};
    const Tensor a = trained(x), b = channels_last(x).detach().set_requires_grad(true);
    const Tensor found = pool(a, geometry), same = pool(b, geometry);
    const Tensor g = eighths(found.sizes(), 2).to(at::kCUDA);
    EXPECT_TRUE(tensors_identical(same.cpu(), found.cpu()));
    EXPECT_TRUE(tensors_identical(gradients(same, channels_last(g), {b})[0].cpu(),
                                  gradients(found, g, {a})[0].cpu()));
  }
}

}  // namespace
}  // namespace spikenm::ops
