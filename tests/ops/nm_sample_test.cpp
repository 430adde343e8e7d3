#include "spikenm/ops/nm_sample.h"

#include "spikenm/kernels/nm_sample.h"
#include "support/tensors.h"

#include <algorithm>

namespace spikenm::ops {
namespace {

using nm::OrGradient;
using test::gradients;
using test::kRealTypes;
using test::normal_tensor;
using test::tensors_close;
using test::tensors_equal;
using test::tensors_identical;
using test::trained;

// A layer with its blocks, weight and logits; every layout has a tail.
struct Layer {
  nm::WeightShape shape;
  nm::BlockLayout layout;

  Layer(int m, nm::Axis axis, int share)
      : shape{5, 2 * m + 1, 3, 1},
        layout(nm::make_layout(shape, {.n = 2, .m = m, .share = share}, axis, "test")) {}

  [[nodiscard]] Tensor weight(at::ScalarType type) const {
    return normal_tensor({shape.cout, shape.cin, shape.kh, shape.kw}, type, 1);
  }
  [[nodiscard]] Tensor logits(at::ScalarType type) const {
    return normal_tensor({layout.n_blocks, layout.m}, type, 2);
  }
  [[nodiscard]] Tensor gradient(at::ScalarType type) const {
    return normal_tensor({shape.cout, shape.cin, shape.kh, shape.kw}, type, 3);
  }
  [[nodiscard]] MaskDraw draw() const {
    MaskDraw draw;
    draw.rule.layout = layout;
    draw.address = {.seed = 42, .stream = 3, .step = 17};
    return draw;
  }
};

std::vector<Layer> all_layers() {
  return {{4, nm::Axis::kFlat, 1}, {4, nm::Axis::kIn, 1}, {16, nm::Axis::kIn, 2}};
}

// Each way to draw once.
std::vector<MaskDraw> all_draws(const Layer& layer) {
  std::vector<MaskDraw> draws(5, layer.draw());
  draws[1].rule.or_gradient = OrGradient::kSoft;
  draws[2].rule.replace = false;
  draws[3].rule.n_draws = 3;
  draws[3].rule.kappa = 0.7;
  draws[3].softness.tau = 0.4;
  draws[4].softness.noise = 0.3;
  draws[4].rule.dense_weight_grad = true;
  return draws;
}

template <class T>
kernels::StraightThrough<T> arguments(const MaskDraw& d, const Tensor& logits, const Tensor& w,
                                      const Tensor& g, const Tensor& out) {
  return {.draw = {.layout = d.rule.layout,
                   .logits = data<T>(logits),
                   .weight = data<T>(w),
                   .kappa = static_cast<T>(d.rule.kappa),
                   .noise = static_cast<T>(d.softness.noise),
                   .n_draws = d.rule.n_draws,
                   .replace = d.rule.replace,
                   .seed = d.address.seed,
                   .stream = d.address.stream,
                   .step = d.address.step},
          .draws = data<uint8_t>(d.mask.draws),
          .weight = data<T>(w),
          .grad_effective = data<T>(g),
          .tau = static_cast<T>(d.softness.tau),
          .or_gradient = d.rule.or_gradient,
          .grad_logits = data<T>(out)};
}

// A draw's gradient on the logits by the plain loops, in type T.
template <class T>
Tensor straight_through(const MaskDraw& d, const Layer& layer) {
  const at::ScalarType type = std::is_same_v<T, double> ? at::kDouble : at::kFloat;
  const Tensor logits = layer.logits(type), w = layer.weight(type), g = layer.gradient(type);
  Tensor out = at::empty_like(logits);
  kernels::nm_straight_through_ref(arguments<T>(d, logits, w, g, out));
  return out;
}

TEST(NmMask, EffectiveWeightIsTheWeightWhereKept) {
  for (const Layer& layer : all_layers())
    for (const at::ScalarType type : kRealTypes) {
      const auto draw = std::make_shared<MaskDraw>(layer.draw());
      const Tensor w = layer.weight(type), logits = layer.logits(type);
      draw_mask(*draw, logits, w);
      EXPECT_EQ(draw->mask.keep.scalar_type(), type);
      const Tensor effective = masked_weight(w, logits, draw);
      EXPECT_TRUE(tensors_equal(effective, at::where(draw->mask.keep.eq(1), w, at::zeros_like(w))));
      const int64_t kept = draw->mask.keep.sum().item<int64_t>(), tail = layer.layout.tail();
      const int64_t blocks = (layer.layout.numel - tail) / layer.layout.m;
      EXPECT_GT(tail, 0);
      EXPECT_GE(kept, tail + blocks);
      EXPECT_LE(kept, tail + 2 * blocks);
    }
}

TEST(NmMask, WeightGradientIsMaskedOrDense) {
  for (const Layer& layer : all_layers())
    for (const bool dense : {false, true}) {
      const auto draw = std::make_shared<MaskDraw>(layer.draw());
      draw->rule.dense_weight_grad = dense;
      const Tensor w = trained(layer.weight(at::kFloat)), logits = layer.logits(at::kFloat);
      const Tensor g = layer.gradient(at::kFloat);
      draw_mask(*draw, logits, w);
      EXPECT_TRUE(tensors_equal(gradients(masked_weight(w, logits, draw), g, {w})[0],
                                dense ? g : g * draw->mask.keep));
    }
}

TEST(NmMask, LogitGradientIsTheStraightThroughOneInBothTypes) {
  for (const Layer& layer : all_layers())
    for (const MaskDraw& options : all_draws(layer))
      for (const at::ScalarType type : kRealTypes) {
        const auto draw = std::make_shared<MaskDraw>(options);
        const Tensor w = trained(layer.weight(type)), logits = trained(layer.logits(type));
        draw_mask(*draw, logits, w);
        const auto grads =
            gradients(masked_weight(w, logits, draw), layer.gradient(type), {w, logits});
        const Tensor wanted = type == at::kDouble ? straight_through<double>(*draw, layer)
                                                  : straight_through<float>(*draw, layer);
        EXPECT_TRUE(tensors_identical(grads[1], wanted)) << type;
        EXPECT_TRUE(tensors_close(wanted.to(at::kDouble), straight_through<double>(*draw, layer),
                                  {1e-5, 1e-4}));
        EXPECT_GT(wanted.abs().max().item<double>(), 0.01);
      }
}

TEST(NmMask, LogitsAloneMayBeTrained) {
  const Layer layer(4, nm::Axis::kIn, 1);
  const auto draw = std::make_shared<MaskDraw>(layer.draw());
  const Tensor w = layer.weight(at::kDouble), logits = trained(layer.logits(at::kDouble));
  draw_mask(*draw, logits, w);
  EXPECT_TRUE(tensors_identical(
      gradients(masked_weight(w, logits, draw), layer.gradient(at::kDouble), {logits})[0],
      straight_through<double>(*draw, layer)));
}

TEST(NmMask, EveryInstructionSetGivesTheReferencesStraightThroughGradient) {
  for (const Layer& layer : all_layers())
    for (MaskDraw draw : all_draws(layer)) {
      const Tensor w = layer.weight(at::kFloat), logits = layer.logits(at::kFloat);
      const Tensor g = layer.gradient(at::kFloat);
      draw_mask(draw, logits, w);
      const Tensor wanted = straight_through<float>(draw, layer);
      for (const Isa isa : supported_isas()) {
        Tensor found = at::full_like(logits, -1);
        kernels::nm_straight_through_cpu(arguments<float>(draw, logits, w, g, found), isa);
        EXPECT_TRUE(tensors_identical(found, wanted)) << isa_name(isa);
      }
    }
}

TEST(NmMask, ADrawFollowsFromSeedStreamAndStep) {
  const Layer layer(16, nm::Axis::kIn, 1);
  const Tensor w = layer.weight(at::kFloat), logits = layer.logits(at::kFloat);
  const auto drawn = [&](uint64_t seed, uint32_t stream, uint32_t step) {
    MaskDraw draw = layer.draw();
    draw.address = {.seed = seed, .stream = stream, .step = step};
    draw_mask(draw, logits, w);
    return draw.mask;
  };
  const BlockMask first = drawn(1, 2, 3), again = drawn(1, 2, 3);
  EXPECT_TRUE(tensors_equal(again.draws, first.draws));
  EXPECT_TRUE(tensors_equal(again.keep, first.keep));
  EXPECT_FALSE(drawn(2, 2, 3).draws.equal(first.draws));
  EXPECT_FALSE(drawn(1, 3, 3).draws.equal(first.draws));
  EXPECT_FALSE(drawn(1, 2, 4).draws.equal(first.draws));
}

TEST(NmMask, PositionsAloneAreThoseOfTheMask) {
  for (const Layer& layer : all_layers())
    for (MaskDraw draw : all_draws(layer)) {
      const Tensor w = layer.weight(at::kFloat), logits = layer.logits(at::kFloat);
      draw_mask(draw, logits, w);
      EXPECT_TRUE(
          tensors_equal(draw_positions(draw.rule, draw.address, draw.softness.noise, logits, w),
                        draw.mask.draws));
    }
}

// A recorded step reads the draws where they were.
TEST(NmMask, AnotherDrawOfTheSameSizeUsesTheSameMemory) {
  const Layer layer(4, nm::Axis::kIn, 1);
  const Tensor w = layer.weight(at::kFloat), logits = layer.logits(at::kFloat);
  MaskDraw draw = layer.draw();
  draw_mask(draw, logits, w);
  const void* const place = draw.mask.draws.const_data_ptr();
  ++draw.address.step;
  draw_mask(draw, logits, w);
  EXPECT_EQ(draw.mask.draws.const_data_ptr(), place);
  draw.rule.n_draws = 3;
  draw_mask(draw, logits, w);
  EXPECT_EQ(draw.mask.draws.size(1), 3);
}

TEST(NmMask, FloatAndDoubleDrawTheSameMask) {
  const Layer layer(16, nm::Axis::kFlat, 1);
  MaskDraw a = layer.draw(), b = layer.draw();
  a.rule.kappa = b.rule.kappa = 1;
  draw_mask(a, layer.logits(at::kFloat), layer.weight(at::kFloat));
  draw_mask(b, layer.logits(at::kDouble), layer.weight(at::kDouble));
  EXPECT_TRUE(tensors_equal(a.mask.draws, b.mask.draws));
}

TEST(NmMask, AppliedDrawsKeepTheirPositionsAndTails) {
  // 1 x 10 weights: two blocks of 4 and a tail of 2
  const auto layout = nm::make_layout({1, 10, 1, 1}, {.n = 3, .m = 4}, nm::Axis::kFlat, "test");
  const Tensor draws =
      at::tensor(std::vector<int64_t>{0, 3, 3, 2, 1, 0}).view({2, 3}).to(at::kByte);
  const BlockMask mask = mask_of(layout, draws, at::zeros({1, 10, 1, 1}, at::kDouble));
  EXPECT_TRUE(tensors_equal(mask.draws, draws));
  const std::vector<double> wanted = {1, 0, 0, 1, 1, 1, 1, 0, 1, 1};
  EXPECT_TRUE(tensors_equal(mask.keep, at::tensor(wanted).view({1, 10, 1, 1})));
  EXPECT_EQ(mask_bytes(layout, draws), std::vector<uint8_t>(wanted.begin(), wanted.end()));
}

TEST(NmMask, TopPositionsAreThoseOfTheLargestLogits) {
  for (const Layer& layer : all_layers())
    for (const int32_t n : {1, 2, 4}) {
      const Tensor logits = layer.logits(at::kFloat);
      // With `replace`, too, no position comes twice.
      const DrawRule rule{.layout = layer.layout, .n_draws = 2, .replace = true};
      const Tensor found = top_positions(rule, n, logits, layer.weight(at::kFloat));
      EXPECT_TRUE(tensors_equal(found, std::get<1>(logits.topk(n, 1)).to(at::kByte)));
    }
}

TEST(NmMask, ThePriorMovesTheTopPositionToTheLargestWeight) {
  DrawRule rule;
  rule.layout = nm::make_layout({1, 4, 1, 1}, {.n = 1, .m = 4}, nm::Axis::kFlat, "test");
  const Tensor w = at::tensor(std::vector<float>{0.1f, -2.0f, 1.0f, 0.0f}).view({1, 4, 1, 1});
  const Tensor logits = at::tensor(std::vector<float>{0, 0, 0.1f, 0.5f}).view({1, 4});
  EXPECT_EQ(top_positions(rule, 1, logits, w).item<uint8_t>(), 3);
  rule.kappa = 1;
  EXPECT_EQ(top_positions(rule, 1, logits, w).item<uint8_t>(), 1);
}

}  // namespace
}  // namespace spikenm::ops
