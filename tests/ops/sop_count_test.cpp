#include "spikenm/ops/sop_count.h"

#include "spikenm/ops/pool.h"
#include "support/expect_error.h"
#include "support/tensors.h"

namespace spikenm::ops {
namespace {

using test::kRealTypes;
using test::normal_tensor;
using test::tensors_identical;

// About a third of the values are not 0.
Tensor sparse_weight(at::IntArrayRef shape, at::ScalarType type = at::kFloat) {
  const Tensor w = normal_tensor(shape, type, 1);
  return w * normal_tensor(shape, type, 2).gt(0.4);
}

Tensor spikes(at::IntArrayRef shape, at::ScalarType type = at::kFloat) {
  return normal_tensor(shape, type, 3).gt(0.5).to(type);
}

// The definition: the sum of conv(x, 1[w != 0]) at outputs that are kept.
double by_convolution(const Tensor& x, const Tensor& weight, const SynapseGeometry& g,
                      const Tensor& keep = {}) {
  const Tensor alive = weight.ne(0).to(at::kDouble), rows = x.flatten(0, 1).to(at::kDouble);
  Tensor y = x.dim() == 3 ? at::mm(rows, alive.flatten(1).t())
                          : at::conv2d(rows, alive, {}, g.stride, g.padding);
  if (keep.defined()) y = y * keep.to(at::kDouble);
  return y.sum().item<double>();
}

double by_reach(const Tensor& x, const Tensor& weight, const SynapseGeometry& g,
                const Tensor& keep = {}) {
  SpikeCounter counter;
  counter.add(x, reach_of(weight, g, x.sizes(), keep));
  return counter.total();
}

// Half of the outputs [Cout,OH,OW] or [Cout].
Tensor half_kept(const Tensor& x, const Tensor& w, const SynapseGeometry& g) {
  std::vector<int64_t> shape{w.size(0)};
  for (int64_t d = 3; d < x.dim(); ++d)
    shape.push_back((x.size(d) + 2 * g.padding - w.size(d - 1)) / g.stride + 1);
  return normal_tensor(shape, at::kFloat, 4).gt(0).to(at::kFloat);
}

void expect_definition(const Tensor& x, const Tensor& w, const SynapseGeometry& g) {
  SCOPED_TRACE(testing::Message() << w.sizes() << " stride " << g.stride << " padding " << g.padding
                                  << " of " << x.sizes() << " " << x.scalar_type());
  EXPECT_EQ(by_reach(x, w, g), by_convolution(x, w, g));
  const Tensor keep = half_kept(x, w, g);
  EXPECT_EQ(by_reach(x, w, g, keep), by_convolution(x, w, g, keep));
  EXPECT_EQ(by_reach(x, w, g, at::zeros_like(keep)), 0);
}

// A 3x3 kernel with padding reads corners 4 times, edges 6 times and the rest 9 times, for each of
// two output channels.
TEST(Reach, IsHowManyOutputsReadAPlace) {
  const Tensor found =
      reach_of(at::full({2, 1, 3, 3}, 0.5), {.stride = 1, .padding = 1}, {5, 7, 1, 3, 4});
  EXPECT_TRUE(tensors_identical(
      found, at::tensor({8.f, 12.f, 12.f, 8.f, 12.f, 18.f, 18.f, 12.f, 8.f, 12.f, 12.f, 8.f})
                 .view({1, 1, 1, 3, 4})));
}

// Outputs 0 and 2 of three are kept; columns of the weight have 2, 1 and 0 live weights there.
TEST(Reach, OfALinearLayerCountsTheColumnsOfKeptOutputs) {
  const Tensor w = at::tensor({1.f, 2.f, 0.f, 3.f, 0.f, 4.f, -1.f, 0.f, 0.f}).view({3, 3, 1, 1});
  EXPECT_TRUE(
      tensors_identical(reach_of(w, {}, {2, 2, 3}), at::tensor({3.f, 1.f, 1.f}).view({1, 1, 3})));
  EXPECT_TRUE(tensors_identical(reach_of(w, {}, {2, 2, 3}, at::tensor({1.f, 0.f, 1.f})),
                                at::tensor({2.f, 1.f, 0.f}).view({1, 1, 3})));
}

// 2x2 windows 2 apart leave the last column of 5 unread.
TEST(Reach, IsZeroWhereTheStrideSkips) {
  EXPECT_TRUE(tensors_identical(
      reach_of(at::ones({1, 1, 2, 2}), {.stride = 2, .padding = 0}, {1, 1, 1, 2, 5}),
      at::tensor({1.f, 1.f, 1.f, 1.f, 0.f, 1.f, 1.f, 1.f, 1.f, 0.f}).view({1, 1, 1, 2, 5})));
}

TEST(SpikeCounter, CountsWhatTheConvolutionWould) {
  for (const at::ScalarType type : kRealTypes)
    for (const int64_t kernel : {1, 3, 5})
      for (const int64_t stride : {1, 2, 3})
        for (const int64_t padding : {0, 1, 2}) {
          const Tensor w = sparse_weight({6, 5, kernel, kernel}, type);
          for (const auto& [height, width] : {std::pair<int64_t, int64_t>{5, 5}, {8, 7}, {9, 12}})
            expect_definition(spikes({3, 2, 5, height, width}, type), w, {stride, padding});
        }
}

// Wide enough for the CPU's Winograd convolution, and 1x1 maps.
TEST(SpikeCounter, CountsWideAndNarrowLayers) {
  expect_definition(spikes({2, 3, 32, 8, 8}), sparse_weight({48, 32, 3, 3}), {1, 1});
  expect_definition(spikes({2, 3, 4, 1, 1}), sparse_weight({3, 4, 3, 3}), {1, 1});
  expect_definition(spikes({1, 1, 1, 1, 1}), sparse_weight({1, 1, 1, 1}), {});
}

TEST(SpikeCounter, CountsLinearLayers) {
  for (const at::ScalarType type : kRealTypes)
    for (const int64_t features : {1, 3, 130, 2049})
      expect_definition(spikes({4, 3, features}, type), sparse_weight({7, features, 1, 1}, type),
                        {});
}

// Quarters are exact; ninths are as exact as doubles are.
TEST(SpikeCounter, CountsFractionsOfAveragePools) {
  const Tensor w = sparse_weight({6, 5, 3, 3});
  const Tensor x = spikes({3, 2, 5, 12, 12});
  expect_definition(pool(x, {.kind = PoolKind::kAverage}), w, {1, 1});
  const Tensor ninths = pool(x, {.kind = PoolKind::kAverage, .size = 3, .stride = 3});
  const double wanted = by_convolution(ninths, w, {1, 1});
  EXPECT_NEAR(by_reach(ninths, w, {1, 1}), wanted, 1e-12 * wanted);
}

TEST(SpikeCounter, DoesNotMindTheLayout) {
  const Tensor w = sparse_weight({6, 5, 3, 3}), x = spikes({3, 2, 5, 7, 8});
  const double wanted = by_convolution(x, w, {2, 1});
  EXPECT_EQ(by_reach(channels_last(x), w, {2, 1}), wanted);
  EXPECT_EQ(by_reach(x.transpose(3, 4).contiguous().transpose(3, 4), w, {2, 1}), wanted);
  EXPECT_EQ(by_reach(x, w.contiguous(at::MemoryFormat::ChannelsLast), {2, 1}), wanted);
  // One step that lasts for three.
  const Tensor one = x.narrow(0, 0, 1);
  EXPECT_EQ(by_reach(one.expand({3, -1, -1, -1, -1}), w, {2, 1}),
            3 * by_convolution(one, w, {2, 1}));
}

TEST(SpikeCounter, AddsUpAndBeginsAtZero) {
  SpikeCounter counter;
  EXPECT_EQ(counter.total(), 0);
  const Tensor x = spikes({3, 2, 5, 7, 8}), y = spikes({2, 9, 33});
  counter.add(x);
  EXPECT_EQ(counter.total(), x.sum().item<double>());
  counter.add(y);
  counter.add(at::zeros({0, 2, 4}));
  EXPECT_EQ(counter.total(), x.sum().item<double>() + y.sum().item<double>());
}

// What is trained can be watched: no graph is kept.
TEST(SpikeCounter, TakesTensorsOfAGraph) {
  const Tensor x = test::trained(spikes({3, 2, 5, 7, 8})),
               w = test::trained(sparse_weight({6, 5, 3, 3}));
  EXPECT_FALSE(reach_of(w, {1, 1}, x.sizes()).requires_grad());
  EXPECT_EQ(by_reach(x * 2, w * 1, {1, 1}), 2 * by_convolution(x.detach(), w.detach(), {1, 1}));
}

TEST(SpikeCounter, AReachOfOtherPlacesIsAnError) {
  SpikeCounter counter;
  const Tensor reach = at::ones({1, 1, 5, 7, 8});
  EXPECT_ERROR(counter.add(at::ones({3, 2, 5, 8, 7}), reach), "reach of 280 places");
  EXPECT_ERROR(counter.add(at::ones({3, 2, 280}), reach), "reach of 280 places");
}

}  // namespace
}  // namespace spikenm::ops
