// What the GPU's synapses are made of, against torch's own operations.
#include "spikenm/ops/synapse_gpu.h"

#include "spikenm/nm/grouping.h"
#include "spikenm/ops/flatten.h"
#include "spikenm/ops/nm_sample.h"
#include "spikenm/ops/patches.h"
#include "support/gpu.h"
#include "support/tensors.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

namespace spikenm::ops {
namespace {

using test::gradients;
using test::normal_tensor;
using test::tensors_close;
using test::trained;

// Float holds the values of all types.
testing::AssertionResult same_values(const Tensor& found, const Tensor& wanted) {
  if (found.scalar_type() != wanted.scalar_type())
    return testing::AssertionFailure() << found.scalar_type() << ", not " << wanted.scalar_type();
  return test::tensors_identical(found.to(at::kFloat), wanted.to(at::kFloat));
}

constexpr at::ScalarType kTypes[] = {at::kFloat, at::kBFloat16, at::kHalf};

// From the float that is trained, and from a weight that is in the compute type already.
TEST(CudaComputeWeight, IsTheWeightChannelsLastAndTurnedRound) {
  const SynapseGeometry geometry{.stride = 1, .padding = 1};
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{1, 1, 3, 3}, {5, 3, 3, 3}, {33, 65, 3, 3}, {7, 40, 5, 3}})
    for (const at::ScalarType type : kTypes)
      for (const bool ready : {false, true}) {
        SCOPED_TRACE(testing::Message() << at::IntArrayRef(shape) << " " << type << " " << ready);
        const Tensor w = normal_tensor(shape, at::kFloat, 1).to(at::kCUDA), wanted = w.to(type);
        const GpuSynapse call{
            .geometry = geometry, .compute = type, .x_sizes = {1, 1, shape[1], 8, 8}};
        const ComputeWeight made = compute_weight(ready ? wanted : w, call, true);
        EXPECT_TRUE(made.forward.is_contiguous(at::MemoryFormat::ChannelsLast));
        EXPECT_TRUE(made.backward.is_contiguous(at::MemoryFormat::ChannelsLast));
        EXPECT_TRUE(same_values(made.forward.contiguous().cpu(), wanted.cpu()));
        EXPECT_TRUE(same_values(made.backward.contiguous().cpu(),
                                wanted.flip({2, 3}).transpose(0, 1).contiguous().cpu()));
      }
}

// A stride skips places, and a border wider than the kernel has no turned convolution.
TEST(CudaComputeWeight, IsTurnedRoundOnlyWhereThatServes) {
  const Tensor w = normal_tensor({4, 8, 3, 3}, at::kFloat, 1).to(at::kCUDA);
  const auto turned = [&](const SynapseGeometry& g, bool wanted) {
    return compute_weight(w, {.geometry = g, .x_sizes = {1, 1, 8, 9, 9}}, wanted)
        .backward.defined();
  };
  EXPECT_TRUE(turned({.stride = 1, .padding = 0}, true));
  EXPECT_TRUE(turned({.stride = 1, .padding = 2}, true));
  EXPECT_FALSE(turned({.stride = 1, .padding = 1}, false));
  EXPECT_FALSE(turned({.stride = 2, .padding = 1}, true));
  EXPECT_FALSE(turned({.stride = 1, .padding = 3}, true));
}

// Every border of the input's gradient, exact numbers, against the CPU.
TEST(CudaSynapse, TheInputsGradientIsTheCpusAtEveryBorder) {
  at::globalContext().setAllowTF32CuDNN(false);
  for (const int64_t kernel : {1, 2, 3, 5})
    for (int64_t padding = 0; padding <= kernel; ++padding) {
      SCOPED_TRACE(testing::Message() << "kernel " << kernel << " padding " << padding);
      const SynapseGeometry geometry{.stride = 1, .padding = padding};
      std::vector<Tensor> found;
      for (const auto device : {at::kCPU, at::kCUDA}) {
        const Tensor x = trained(normal_tensor({2, 3, 9, 7, 6}, at::kFloat, 1).to(device));
        const Tensor w = trained(normal_tensor({10, 9, kernel, kernel}, at::kFloat, 2).to(device));
        const Tensor y = synapse(x, w, geometry);
        found.push_back(
            gradients(y, normal_tensor(y.sizes(), at::kFloat, 3).to(device), {x})[0].cpu());
      }
      EXPECT_TRUE(tensors_close(found[1], found[0], {2e-4, 2e-4}));
    }
}

// at::im2col has channels outermost and one column per place.
Tensor patches_by_torch(const Tensor& x, int64_t kh, int64_t kw, const SynapseGeometry& g) {
  const Tensor columns =
      at::im2col(x, {kh, kw}, {1, 1}, {g.padding, g.padding}, {g.stride, g.stride});
  return columns.unflatten(1, {x.size(1), kh * kw}).permute({0, 3, 2, 1}).flatten(2).flatten(0, 1);
}

TEST(CudaPatches, AreTorchsColumnsAndZeros) {
  for (const int64_t channels : {1, 2, 3, 7})
    for (const auto& [kh, kw] : {std::pair<int64_t, int64_t>{3, 3}, {1, 1}, {5, 2}})
      for (const SynapseGeometry& g :
           {SynapseGeometry{}, SynapseGeometry{.stride = 1, .padding = 1},
            SynapseGeometry{.stride = 2, .padding = 2}, SynapseGeometry{.stride = 3}})
        for (const at::ScalarType type : kTypes) {
          SCOPED_TRACE(testing::Message() << channels << " of " << kh << "x" << kw << " stride "
                                          << g.stride << " padding " << g.padding << " " << type);
          const Tensor x = normal_tensor({5, channels, 9, 8}, at::kFloat, 1);
          const Tensor wanted = patches_by_torch(x, kh, kw, g).to(type);
          const Tensor w =
              at::empty({4, channels, kh, kw}, at::TensorOptions(at::kCUDA).dtype(type));
          for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
            const Tensor found = patches(x.to(at::kCUDA).contiguous(format), w, g).cpu();
            ASSERT_EQ(found.size(1) % 8, 0);
            const int64_t columns = wanted.size(1), filled = found.size(1) - columns;
            EXPECT_TRUE(same_values(found.narrow(1, 0, columns).contiguous(), wanted));
            EXPECT_EQ(found.narrow(1, columns, filled).to(at::kFloat).abs().sum().item<float>(), 0);
          }
        }
}

TEST(CudaFlatten, IsTorchsForthAndBack) {
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{2, 3, 1, 1, 1}, {2, 3, 5, 7, 3}, {1, 2, 66, 8, 8}, {2, 1, 129, 5, 13}})
    for (const at::ScalarType type : kTypes) {
      SCOPED_TRACE(testing::Message() << at::IntArrayRef(shape) << " " << type);
      const Tensor values = normal_tensor(shape, at::kFloat, 1).to(type);
      const Tensor x = trained(values.to(at::kCUDA)), y = ops::flatten(x);
      EXPECT_TRUE(same_values(y.detach().cpu(), values.flatten(2)));
      const Tensor g = normal_tensor(y.sizes(), at::kFloat, 2).to(type);
      EXPECT_TRUE(
          same_values(gradients(y, g.to(at::kCUDA), {x})[0].cpu().contiguous(), g.view(shape)));
    }
}

// In 16 bits: the kept weights rounded once, and a gradient that is not rounded at all.
TEST(CudaMaskedWeight, InSixteenBitsIsRoundedAndItsGradientIsNot) {
  const nm::WeightShape shape{.cout = 6, .cin = 10, .kh = 3, .kw = 1};
  for (const nm::Axis axis : {nm::Axis::kFlat, nm::Axis::kIn})
    for (const at::ScalarType type : {at::kBFloat16, at::kHalf}) {
      const auto draw = std::make_shared<MaskDraw>();
      draw->rule.layout = nm::make_layout(shape, {.n = 2, .m = 4}, axis, "test");
      draw->rule.dense_weight_grad = true;
      draw->compute = type;
      const auto options = at::TensorOptions(at::kCUDA);
      const Tensor w = trained(
          normal_tensor({shape.cout, shape.cin, shape.kh, shape.kw}, at::kFloat, 1).to(at::kCUDA));
      const Tensor logits =
          trained(normal_tensor({draw->rule.layout.n_blocks, 4}, at::kFloat, 2).to(at::kCUDA));
      draw_mask(*draw, logits, w);
      const Tensor effective = masked_weight(w, logits, draw);
      EXPECT_EQ(effective.scalar_type(), type);
      const Tensor keep = mask_of(draw->rule.layout, draw->mask.draws, w).keep;
      const Tensor kept = at::where(keep.eq(1), w.detach(), at::zeros_like(w));
      EXPECT_TRUE(same_values(effective.detach().cpu(), kept.to(type).cpu()));
      const Tensor g = normal_tensor(w.sizes(), at::kFloat, 3).to(options);
      const Tensor grad_w = torch::autograd::grad({effective}, {w}, {g})[0];
      EXPECT_TRUE(same_values(grad_w.cpu(), g.cpu()));
    }
}

// Pieces see what the stream did before them, and what comes after sees them all.
TEST(CudaSideStreams, RunBetweenWhatWasBeforeAndWhatComesAfter) {
  for (const int64_t count : {0, 1, 3, 17}) {
    const Tensor x = at::zeros({1 << 20}, at::kCUDA);
    std::vector<Tensor> pieces(static_cast<size_t>(count));
    for (int i = 0; i < 50; ++i) x.add_(1);
    run_side_by_side(x.device(), count, [&](int64_t i) { pieces[static_cast<size_t>(i)] = x * i; });
    x.zero_();
    Tensor sum = at::zeros_like(x);
    for (const Tensor& piece : pieces) sum += piece;
    const auto wanted = static_cast<float>(50 * count * (count - 1) / 2);
    EXPECT_EQ(sum.min().item<float>(), wanted);
    EXPECT_EQ(sum.max().item<float>(), wanted);
  }
}

}  // namespace
}  // namespace spikenm::ops
