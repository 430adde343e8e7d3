#include "spikenm/nn/first_values.h"

#include "support/tensors.h"

#include <cmath>

namespace spikenm::nn {
namespace {

using at::Tensor;

TEST(KaimingWeight, SpreadFollowsTheFanOut) {
  const nm::WeightShape shapes[] = {{64, 32, 3, 3}, {100, 400, 1, 1}, {16, 512, 5, 3}};
  for (const nm::WeightShape& s : shapes) {
    const Tensor w = kaiming_weight(s, 1, 0).to(at::kDouble);
    const double wanted = std::sqrt(2.0 / static_cast<double>(s.cout * s.kh * s.kw));
    const double n = static_cast<double>(w.numel());  // about 18000 or more
    EXPECT_EQ(w.sizes(), at::IntArrayRef({s.cout, s.cin, s.kh, s.kw}));
    EXPECT_NEAR(w.std().item<double>() / wanted, 1, 4 / std::sqrt(2 * n));
    EXPECT_NEAR(w.mean().item<double>() / wanted, 0, 4 / std::sqrt(n));
    // Normal, not uniform: the fourth moment is 3.
    EXPECT_NEAR((w / wanted).pow(4).mean().item<double>(), 3, 0.3);
  }
}

// Uniform within 1/sqrt(50): the second moment is a third of the limit's square.
TEST(UniformBias, SpreadFollowsTheFanIn) {
  const nm::WeightShape shape{20000, 2, 5, 5};
  const Tensor bias = uniform_bias(shape, 1, 0).to(at::kDouble) * std::sqrt(50.0);
  ASSERT_EQ(bias.sizes(), at::IntArrayRef({20000}));
  EXPECT_LE(bias.abs().max().item<double>(), 1);
  EXPECT_GT(bias.abs().max().item<double>(), 0.999);
  EXPECT_NEAR(bias.mean().item<double>(), 0, 4 * std::sqrt(1.0 / 3 / 20000));
  EXPECT_NEAR(bias.square().mean().item<double>(), 1.0 / 3, 0.01);
}

TEST(UniformBias, SeedAndIndexDecideTheValues) {
  const nm::WeightShape shape{9, 3, 1, 1};
  const Tensor bias = uniform_bias(shape, 7, 2);
  EXPECT_TRUE(test::tensors_identical(uniform_bias(shape, 7, 2), bias));
  EXPECT_FALSE(uniform_bias(shape, 8, 2).equal(bias));
  EXPECT_FALSE(uniform_bias(shape, 7, 3).equal(bias));
}

// Large layers are filled in chunks, on several threads.
TEST(KaimingWeight, OneThreadAndTwoGiveTheSameBits) {
  const nm::WeightShape shape{128, 64, 3, 3};
  const auto on = [&](int n) {
    const test::Threads scope(n);
    return kaiming_weight(shape, 3, 1);
  };
  EXPECT_TRUE(test::tensors_identical(on(2), on(1)));
}

TEST(KaimingWeight, SeedAndIndexDecideTheValues) {
  const nm::WeightShape shape{4, 3, 3, 3};
  const Tensor w = kaiming_weight(shape, 7, 2);
  EXPECT_TRUE(test::tensors_identical(kaiming_weight(shape, 7, 2), w));
  EXPECT_FALSE(kaiming_weight(shape, 8, 2).equal(w));
  EXPECT_FALSE(kaiming_weight(shape, 7, 3).equal(w));
}

}  // namespace
}  // namespace spikenm::nn
