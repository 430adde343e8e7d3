// Synaptic operations on the GPU against the CPU's.
#include "spikenm/ops/sop_count.h"

#include "support/gpu.h"
#include "support/tensors.h"

namespace spikenm::ops {
namespace {

using test::normal_tensor;
using test::tensors_identical;

constexpr at::ScalarType kTypes[] = {at::kFloat, at::kBFloat16, at::kHalf};

// Quarters from 0 to 2: spikes, fractions and sums, exact in every type.
Tensor quarters(at::IntArrayRef shape) {
  return normal_tensor(shape, at::kFloat, 1).mul(4).round().clamp(0, 8).div(4);
}

Tensor sparse_weight(at::IntArrayRef shape) {
  const Tensor w = normal_tensor(shape, at::kFloat, 2);
  return w * normal_tensor(shape, at::kFloat, 3).gt(0.4);
}

Tensor reach_for(at::IntArrayRef x_sizes) {
  std::vector<int64_t> sizes = x_sizes.vec();
  sizes[0] = sizes[1] = 1;
  return normal_tensor(sizes, at::kFloat, 4).abs().mul(1000).round();
}

double count(const Tensor& x, const Tensor& reach) {
  SpikeCounter counter;
  counter.add(x, reach);
  return counter.total();
}

void expect_counts_of_cpu(const Tensor& x) {
  const Tensor reach = reach_for(x.sizes());
  const double wanted = count(x, reach), spikes = x.sum(at::kDouble).item<double>();
  for (const at::ScalarType type : kTypes) {
    SCOPED_TRACE(testing::Message() << x.sizes() << " " << type);
    const Tensor there = x.to(at::kCUDA, type);
    EXPECT_EQ(count(there, reach.to(at::kCUDA)), wanted);
    EXPECT_EQ(count(channels_last(there), reach.to(at::kCUDA)), wanted);
    SpikeCounter counter;
    counter.add(there);
    EXPECT_EQ(counter.total(), spikes);
  }
}

// Packs are 4 or 8 places, blocks 256 packs, strips 16 samples.
TEST(CudaSopCount, IsTheCpusAtEverySize) {
  for (const int64_t places : {1, 3, 4, 8, 17, 257, 1000, 1025, 2048, 4104})
    for (const int64_t samples : {1, 3, 15, 16, 17, 50})
      expect_counts_of_cpu(quarters({1, samples, places}));
  expect_counts_of_cpu(quarters({3, 2, 5, 7, 9}));
  expect_counts_of_cpu(quarters({3, 2, 16, 4, 6}));
  expect_counts_of_cpu(at::zeros({0, 2, 8}));
}

// More tiles than there are parts; the count is an odd number beyond what float holds.
TEST(CudaSopCount, OfManyTilesIsExact) {
  expect_counts_of_cpu(quarters({4, 64, 64, 32, 32}));
  for (const at::ScalarType type : kTypes)
    EXPECT_EQ(count(at::ones({1, 16393, 1025}, at::device(at::kCUDA).dtype(type)),
                    at::full({1, 1, 1025}, 8191.0f, at::kCUDA)),
              16393.0 * 1025 * 8191);
}

TEST(CudaSopCount, IsExactWhereMemoryIsNotAligned) {
  const Tensor x = quarters({1, 33, 64}), reach = reach_for(x.sizes());
  const double wanted = count(x, reach);
  for (const at::ScalarType type : kTypes)
    for (const int64_t shift : {1, 2, 4}) {
      const auto shifted = [&](const Tensor& t, at::ScalarType to) {
        const Tensor memory = at::full({shift + t.numel()}, 99, at::device(at::kCUDA).dtype(to));
        return memory.narrow(0, shift, t.numel()).copy_(t.flatten()).view(t.sizes());
      };
      EXPECT_EQ(count(shifted(x, type), reach.to(at::kCUDA)), wanted);
      EXPECT_EQ(count(x.to(at::kCUDA, type), shifted(reach, at::kFloat)), wanted);
    }
}

// Values that no sum holds exactly: the double sums of both differ in their last bits alone, and a
// second count in none.
TEST(CudaSopCount, OfAnyFloatsIsTheCpusAndRepeats) {
  const Tensor x = normal_tensor({4, 50, 3000}, at::kFloat, 1).abs(), reach = reach_for(x.sizes());
  const double wanted = count(x, reach), found = count(x.to(at::kCUDA), reach.to(at::kCUDA));
  EXPECT_NEAR(found, wanted, 1e-12 * wanted);
  EXPECT_EQ(count(x.to(at::kCUDA), reach.to(at::kCUDA)), found);
}

TEST(CudaSopCount, AddsUpOverInputs) {
  SpikeCounter counter;
  double wanted = 0;
  for (const int64_t places : {4000, 24, 3}) {
    const Tensor x = quarters({2, 70, places}), reach = reach_for(x.sizes());
    wanted += count(x, reach);
    counter.add(x.to(at::kCUDA), reach.to(at::kCUDA));
    EXPECT_EQ(counter.total(), wanted);
  }
}

void expect_reach_of_cpu(const Tensor& w, const SynapseGeometry& g, at::IntArrayRef x_sizes) {
  SCOPED_TRACE(testing::Message() << w.sizes() << " stride " << g.stride << " padding " << g.padding
                                  << " of " << x_sizes);
  EXPECT_TRUE(
      tensors_identical(reach_of(w.to(at::kCUDA), g, x_sizes).cpu(), reach_of(w, g, x_sizes)));
  std::vector<int64_t> out{w.size(0)};
  for (size_t d = 3; d < x_sizes.size(); ++d)
    out.push_back((x_sizes[d] + 2 * g.padding - w.size(static_cast<int64_t>(d) - 1)) / g.stride +
                  1);
  const Tensor keep = normal_tensor(out, at::kFloat, 5).gt(0).to(at::kFloat);
  EXPECT_TRUE(tensors_identical(reach_of(w.to(at::kCUDA), g, x_sizes, keep.to(at::kCUDA)).cpu(),
                                reach_of(w, g, x_sizes, keep)));
}

TEST(CudaReach, IsTheCpus) {
  for (const int64_t kernel : {1, 3, 5})
    for (const int64_t stride : {1, 2, 3})
      for (const int64_t padding : {0, 1})
        expect_reach_of_cpu(sparse_weight({17, 6, kernel, kernel}), {stride, padding},
                            {2, 3, 6, 9, 12});
  expect_reach_of_cpu(sparse_weight({256, 128, 3, 3}), {1, 1}, {2, 3, 128, 16, 16});
  for (const int64_t outputs : {1, 63, 64, 65, 300})
    expect_reach_of_cpu(sparse_weight({outputs, 1025, 1, 1}), {}, {2, 3, 1025});
}

// Every weight lives: counts beyond 2048, which TF32 would round.
TEST(CudaReach, IsExactWhereTf32IsNot) {
  const Tensor w = at::ones({4099, 3, 3, 3});
  expect_reach_of_cpu(w, {1, 1}, {1, 1, 3, 6, 6});
  EXPECT_EQ(reach_of(w.to(at::kCUDA), {1, 1}, {1, 1, 3, 6, 6}).max().item<float>(), 9 * 4099);
}

}  // namespace
}  // namespace spikenm::ops
