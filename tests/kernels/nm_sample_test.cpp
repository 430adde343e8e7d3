#include "spikenm/kernels/nm_sample.h"

#include "spikenm/core/parallel.h"
#include "support/block_sample.h"
#include "support/compare.h"
#include "support/nm_formula.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace spikenm::kernels {
namespace {

using nm::BlockLayout;
using test::all_close;
using test::all_identical;
using test::all_layouts;
using test::BlockSample;

std::vector<uint8_t> draw_ref(const DrawInputs<float>& in) {
  std::vector<uint8_t> draws(static_cast<size_t>(in.layout.n_blocks * in.n_draws), 255);
  nm_draw_ref(in, draws.data());
  return draws;
}

std::vector<uint8_t> draw_cpu(const DrawInputs<float>& in, Isa isa, int n_threads) {
  set_threads(n_threads);
  std::vector<uint8_t> draws(static_cast<size_t>(in.layout.n_blocks * in.n_draws), 255);
  nm_draw_cpu(in, draws.data(), isa);
  set_threads(0);
  return draws;
}

void expect_same_draws(const DrawInputs<float>& in) {
  const std::vector<uint8_t> wanted = draw_ref(in);
  for (const Isa isa : supported_isas())
    EXPECT_TRUE(all_identical(draw_cpu(in, isa, 1), wanted))
        << isa_name(isa) << " m " << in.layout.m << " draws " << in.n_draws << " replace "
        << in.replace << " kappa " << in.kappa << " noise " << in.noise << " share "
        << in.layout.share;
}

TEST(NmSample, EveryInstructionSetDrawsTheSameMask) {
  for (const int m : {1, 2, 3, 4, 5, 8, 16, 31, 64})
    for (const BlockLayout& layout : all_layouts(m, /*cout=*/10)) {
      const BlockSample<float> sample(layout);
      for (int32_t n_draws = 1; n_draws <= std::min(m, 4); ++n_draws)
        for (const bool replace : {true, false})
          for (const float kappa : {0.0f, 1.0f})
            for (const float noise : {1.0f, 0.3f}) {
              DrawInputs<float> in = sample.inputs(n_draws, replace);
              in.kappa = kappa;
              in.noise = noise;
              expect_same_draws(in);
            }
    }
}

// More blocks than one chunk holds.
TEST(NmSample, OneThreadAndTwoDrawTheSameMask) {
  const BlockSample<float> sample(all_layouts(31, /*cout=*/700)[2]);
  const DrawInputs<float> in = sample.inputs(2, true);
  for (const Isa isa : supported_isas())
    EXPECT_TRUE(all_identical(draw_cpu(in, isa, 2), draw_cpu(in, isa, 1))) << isa_name(isa);
}

TEST(NmSample, ALayerWithoutBlocksDrawsNothing) {
  const BlockSample<float> sample(
      nm::make_layout({2, 3, 1, 1}, {.n = 2, .m = 4}, nm::Axis::kIn, ""));
  ASSERT_EQ(sample.layout.n_blocks, 0);
  std::vector<uint8_t> keep(6, 9);
  EXPECT_TRUE(draw_cpu(sample.inputs(2, true), active_isa(), 1).empty());
  nm_mask(sample.layout, 2, nullptr, keep.data());
  EXPECT_TRUE(all_identical(keep, {1, 1, 1, 1, 1, 1}));
}

TEST(NmSample, MoreDrawsLeaveTheFirstDrawsUnchanged) {
  for (const bool replace : {true, false}) {
    const BlockSample<float> sample(all_layouts(8, 10)[0]);
    const auto two = draw_ref(sample.inputs(2, replace)), six = draw_ref(sample.inputs(6, replace));
    for (size_t b = 0; b < two.size() / 2; ++b)
      for (size_t k = 0; k < 2; ++k) ASSERT_EQ(six[b * 6 + k], two[b * 2 + k]) << "block " << b;
  }
}

TEST(NmSample, ExactlyDrawsDistinctPositionsUpToTheWholeBlock) {
  for (const int m : {1, 4, 31, 64}) {
    const BlockSample<float> sample(all_layouts(m, 10)[0]);
    const auto draws = draw_ref(sample.inputs(m, /*replace=*/false));
    for (size_t i = 0; i < draws.size(); i += static_cast<size_t>(m)) {
      const auto first = draws.begin() + static_cast<ptrdiff_t>(i);
      EXPECT_EQ(std::set<uint8_t>(first, first + m).size(), static_cast<size_t>(m));
      EXPECT_LT(*std::max_element(first, first + m), m);
    }
  }
}

TEST(NmSample, AnotherSeedStreamOrStepDrawsAnotherMask) {
  const BlockSample<float> sample(all_layouts(8, 50)[0]);
  const DrawInputs<float> in = sample.inputs(2, true);
  DrawInputs<float> seed = in, stream = in, step = in;
  seed.seed += uint64_t{1} << 32;
  stream.stream += 1;
  step.step += 1;
  for (const auto& other : {seed, stream, step}) EXPECT_NE(draw_ref(other), draw_ref(in));
}

// One block of m = 4, without noise.
std::vector<uint8_t> draw_four(std::vector<float> logits, int32_t n_draws, bool replace) {
  const BlockSample<float> sample(nm::make_layout({1, 4, 1, 1}, {}, nm::Axis::kFlat, ""));
  DrawInputs<float> in = sample.inputs(n_draws, replace);
  in.logits = logits.data();
  in.noise = 0;
  return draw_ref(in);
}

TEST(NmSample, TiesGoToTheLowestPosition) {
  using Draws = std::vector<uint8_t>;
  EXPECT_EQ(draw_four({0, 0, 0, 0}, 2, true), (Draws{0, 0}));
  EXPECT_EQ(draw_four({0, 0, 0, 0}, 3, false), (Draws{0, 1, 2}));
  EXPECT_EQ(draw_four({-1, 1, 1, 0}, 4, false), (Draws{1, 2, 3, 0}));
}

TEST(NmSample, TopNTakesTheLargestValuesWithoutNoise) {
  const BlockSample<float> sample(nm::make_layout({1, 8, 1, 1}, {}, nm::Axis::kFlat, ""));
  const std::vector<float> logits = {3, 1, 2, 5, 7, 7, 7, 7};
  const std::vector<float> weight = {1, 1, -1000, 1, 1, 0, -10, 1};
  DrawInputs<float> in = sample.inputs(2, true);
  in.logits = logits.data();
  in.weight = weight.data();
  std::vector<uint8_t> draws(4);
  nm_top_n(in, draws.data());
  EXPECT_TRUE(all_identical(draws, {3, 0, 0, 1}));
  in.kappa =
      1;  // log 1000 = 6.9 lifts position 2 above 3; log 10 lifts position 2 of the other block
  nm_top_n(in, draws.data());
  EXPECT_TRUE(all_identical(draws, {2, 3, 2, 0}));
}

// [Cout,Cin,kh,kw] = [3,5,2,1], blocks of 4 along Cin, channels 0 and 1 share: see grouping.h.
TEST(NmSample, MaskMarksDrawsInEverySharingChannelAndKeepsTails) {
  const BlockLayout layout =
      nm::make_layout({3, 5, 2, 1}, {.n = 2, .m = 4, .share = 2}, nm::Axis::kIn, "");
  const std::vector<uint8_t> draws = {0, 3, 1, 1, 2, 2, 3, 1};
  std::vector<uint8_t> keep(30, 9);
  nm_mask(layout, 2, draws.data(), keep.data());
  EXPECT_TRUE(all_identical(keep, {1, 0, 0, 1, 0, 0, 1, 0, 1, 1,  //
                                   1, 0, 0, 1, 0, 0, 1, 0, 1, 1,  //
                                   0, 0, 0, 1, 1, 0, 0, 1, 1, 1}));
}

struct GradientCase {
  double kappa, tau;
  bool replace;
  OrGradient or_gradient;
};
const GradientCase kGradientCases[] = {
    {0, 1, true, OrGradient::kLiteral},    {1, 0.5, true, OrGradient::kLiteral},
    {0, 0.7, true, OrGradient::kSoft},     {1, 1, true, OrGradient::kSoft},
    {0, 0.5, false, OrGradient::kLiteral}, {1, 1, false, OrGradient::kLiteral}};

// Draws a mask and runs the backward in T; the double logits hold float values.
template <class T>
std::vector<T> straight_through(const BlockSample<T>& sample, const GradientCase& c,
                                const std::vector<uint8_t>& draws, int32_t n_draws) {
  std::vector<T> gradient(sample.logits.size(), T(99));
  DrawInputs<T> in = sample.inputs(n_draws, c.replace);
  in.kappa = T(c.kappa);
  nm_straight_through_ref<T>({.draw = in,
                              .draws = draws.data(),
                              .weight = sample.weight.data(),
                              .grad_effective = sample.gradient.data(),
                              .tau = T(c.tau),
                              .or_gradient = c.or_gradient,
                              .grad_logits = gradient.data()});
  return gradient;
}

std::vector<uint8_t> draws_of(const BlockLayout& layout, const GradientCase& c, int32_t n_draws) {
  const BlockSample<float> sample(layout);
  DrawInputs<float> in = sample.inputs(n_draws, c.replace);
  in.kappa = static_cast<float>(c.kappa);
  return draw_ref(in);
}

test::BlockFormula formula(const BlockSample<double>& sample, const GradientCase& c,
                           const std::vector<uint8_t>& draws, int32_t n_draws) {
  DrawInputs<double> in = sample.inputs(n_draws, c.replace);
  in.kappa = c.kappa;
  return {.in = in, .draws = draws, .gradient = sample.gradient, .tau = c.tau};
}

TEST(NmSample, StraightThroughIsItsWrittenFormulaInDoubleAndInFloat) {
  for (const int m : {1, 4, 5, 16})
    for (const BlockLayout& layout : all_layouts(m, 5))
      for (const GradientCase& c : kGradientCases) {
        const int32_t n_draws = std::min(m, 3);
        const auto draws = draws_of(layout, c, n_draws);
        const BlockSample<double> sample(layout);
        const auto found = straight_through(sample, c, draws, n_draws);
        const auto wanted =
            formula(sample, c, draws, n_draws).straight_through(c.or_gradient == OrGradient::kSoft);
        EXPECT_TRUE(all_close(found, wanted, {1e-12, 1e-10})) << "m " << m;
        const auto in_float = straight_through(BlockSample<float>(layout), c, draws, n_draws);
        EXPECT_TRUE(
            all_close(std::vector<double>(in_float.begin(), in_float.end()), wanted, {1e-5, 1e-4}))
            << "m " << m;
      }
}

// At fixed noise: M = 1 - prod_k (1 - y~_k) with soft values, or sum_k y~_k without replacement.
TEST(NmSample, RelaxedPathPassesGradcheck) {
  for (const BlockLayout& layout : all_layouts(4, 4))
    for (const GradientCase& c : kGradientCases) {
      if (c.replace && c.or_gradient == OrGradient::kLiteral) continue;
      const auto draws = draws_of(layout, c, 3);
      BlockSample<double> sample(layout);
      const test::BlockFormula relaxed = formula(sample, c, draws, 3);
      const auto found = straight_through(sample, c, draws, 3);
      for (size_t i = 0; i < sample.logits.size(); ++i) {
        const int64_t b = static_cast<int64_t>(i) / layout.m;
        ASSERT_NEAR(found[i],
                    test::slope(sample.logits[i], [&] { return relaxed.relaxed_loss(b); }), 1e-8);
      }
    }
}

TEST(NmSample, APositionDrawnTwiceGetsNoLiteralGradient) {
  BlockSample<double> sample(nm::make_layout({1, 4, 1, 1}, {}, nm::Axis::kFlat, ""));
  sample.logits = {0, 0, 1, 0};
  sample.weight = {1, 1, 1, 1};
  sample.gradient = {0, 0, 5, 0};
  const std::vector<uint8_t> twice = {2, 2}, once = {2, 0};
  const GradientCase literal{0, 1, true, OrGradient::kLiteral}, soft{0, 1, true, OrGradient::kSoft};
  EXPECT_TRUE(all_close(straight_through(sample, literal, twice, 2), {0, 0, 0, 0}, {}));
  EXPECT_GT(straight_through(sample, literal, once, 2)[2], 0.1);
  EXPECT_GT(straight_through(sample, soft, twice, 2)[2], 0.1);
}

constexpr CreditScale kScales[] = {CreditScale::kRaw, CreditScale::kBlockMean,
                                   CreditScale::kLayerMean, CreditScale::kBlockZ};

// scale * sum of KL(q || pi), and what the kernel added to a gradient of 1.
struct Distilled {
  double loss = 0;
  std::vector<double> gradient;
};
Distilled distill(const BlockSample<double>& sample, CreditScale scale, const double* credit,
                  void (*change)(Distillation<double>&) = nullptr) {
  std::vector<double> gradient(sample.logits.size(), 1);
  Distillation<double> args{.draw = sample.inputs(2, true),
                            .credit = credit,
                            .credit_scale = scale,
                            .layer_mean = 0.8,
                            .tau_q = 0.6,
                            .scale = 0.3,
                            .grad_logits = gradient.data()};
  args.draw.kappa = 0.5;
  if (change != nullptr) change(args);
  const double kl = nm_distill(args).kl;
  for (double& g : gradient) g -= 1;
  return {0.3 * kl, gradient};
}

TEST(NmSample, DistillationGradientIsTheSlopeOfItsLoss) {
  for (const CreditScale scale : kScales)
    for (const BlockLayout& layout : all_layouts(5, 4)) {
      BlockSample<double> sample(layout);
      const Distilled found = distill(sample, scale, sample.credit.data());
      EXPECT_NEAR(found.loss, 0.3 * test::distillation_kl(sample, scale, 0.5, 0.8, 0.6), 1e-9);
      for (size_t i = 0; i < sample.logits.size(); ++i) {
        const auto loss = [&] { return distill(sample, scale, sample.credit.data()).loss; };
        ASSERT_NEAR(found.gradient[i], test::slope(sample.logits[i], loss), 1e-8) << "logit " << i;
      }
    }
}

TEST(NmSample, ACreditCanBeMultipliedByTheSizeOfItsWeight) {
  for (const CreditScale scale : kScales)
    for (const BlockLayout& layout : all_layouts(5, 4)) {
      const BlockSample<double> sample(layout);
      std::vector<double> products = sample.credit;
      for (size_t i = 0; i < products.size(); ++i) products[i] *= std::abs(sample.weight[i]);
      const Distilled found =
          distill(sample, scale, sample.credit.data(), [](auto& a) { a.times_weight = true; });
      const Distilled wanted = distill(sample, scale, products.data());
      EXPECT_EQ(found.loss, wanted.loss);
      EXPECT_EQ(found.gradient, wanted.gradient);
      EXPECT_NE(found.gradient, distill(sample, scale, sample.credit.data()).gradient);
    }
}

TEST(NmSample, ThePriorCanBeLeftOutOfTheProbabilitiesThatAreDistilledInto) {
  for (const BlockLayout& layout : all_layouts(5, 4)) {
    const BlockSample<double> sample(layout);
    const auto with = [&](void (*change)(Distillation<double>&)) {
      return distill(sample, CreditScale::kBlockMean, sample.credit.data(), change);
    };
    const Distilled found = with([](auto& a) { a.pi_has_prior = false; }),
                    wanted = with([](auto& a) { a.draw.kappa = 0; });
    EXPECT_EQ(found.loss, wanted.loss);
    EXPECT_EQ(found.gradient, wanted.gradient);
    EXPECT_NE(found.gradient, with(nullptr).gradient);
  }
}

TEST(NmSample, WithoutCreditTheTargetIsUniform) {
  BlockSample<double> sample(all_layouts(4, 4)[0]);
  std::fill(sample.weight.begin(), sample.weight.end(), 1.0);
  const std::vector<double> nothing(sample.credit.size(), 0);
  for (const double* credit : {static_cast<const double*>(nullptr), nothing.data()})
    for (const CreditScale scale : kScales) {
      const Distilled found = distill(sample, scale, credit);
      for (size_t b = 0; b < sample.logits.size(); b += 4) {
        const auto first = sample.logits.begin() + static_cast<ptrdiff_t>(b);
        const auto pi = test::softmax({first, first + 4}, 1);
        for (size_t s = 0; s < 4; ++s)
          ASSERT_NEAR(found.gradient[b + s], 0.3 * (pi[s] - 0.25), 1e-12);
      }
    }
}

}  // namespace
}  // namespace spikenm::kernels
