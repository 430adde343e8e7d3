#include "spikenm/ops/pattern_class.h"

#include "spikenm/core/random.h"
#include "spikenm/kernels/math/gumbel.h"
#include "support/tensors.h"

#include <bit>

namespace spikenm::ops {
namespace {

using test::gradients;
using test::normal_tensor;
using test::tensors_close;
using test::tensors_equal;
using test::trained;

constexpr uint64_t kSeed = 11;
constexpr uint32_t kStream = 3, kStep = 4;

// A 2:4 layer [3,8,1,1] in double: 6 blocks, no tail, ten patterns.
struct Layer {
  nm::NmPattern pattern{.n = 2, .m = 4};
  nm::BlockLayout layout = nm::make_layout({3, 8, 1, 1}, pattern, nm::Axis::kIn, "test");
  Patterns patterns =
      std::make_shared<const std::vector<nm::BlockBits>>(nm::enumerate_at_most(pattern));
  Tensor weight = trained(normal_tensor({3, 8, 1, 1}, at::kDouble, 1));
  Tensor logits = trained(normal_tensor({6, 10}, at::kDouble, 2));

  [[nodiscard]] PatternDraw draw() const {
    return {.layout = layout,
            .patterns = patterns,
            .seed = kSeed,
            .stream = kStream,
            .step = kStep,
            .tau = 0.7};
  }

  // [10, 4] the patterns as numbers.
  [[nodiscard]] Tensor table() const {
    Tensor rows = at::zeros({10, 4}, at::kDouble);
    for (int64_t p = 0; p < 10; ++p)
      for (int64_t s = 0; s < 4; ++s)
        rows[p][s] = static_cast<double>((*patterns)[static_cast<size_t>(p)] >> s & 1);
    return rows;
  }

  // [6, 10] the noise of the draw: ten patterns take three counters a block.
  static Tensor noise() {
    const RandomAddress words(kSeed, kStream, kStep);
    Tensor rows = at::zeros({6, 10}, at::kDouble);
    for (int64_t b = 0; b < 6; ++b)
      for (int64_t p = 0; p < 10; ++p)
        rows[b][p] =
            kernels::gumbel<float>(words.words(static_cast<uint64_t>(b * 3 + p / 4)).word[p % 4]);
    return rows;
  }
};

TEST(PatternWeight, DrawsTheLargestLogitPlusNoise) {
  const Layer layer;
  EXPECT_TRUE(at::equal(draw_patterns(layer.draw(), layer.logits),
                        (layer.logits.detach() + Layer::noise()).argmax(1)));
  EXPECT_TRUE(at::equal(draw_patterns(layer.draw(), layer.logits, /*noise=*/false),
                        layer.logits.detach().argmax(1)));
}

TEST(PatternWeight, HasTheGradientsOfStraightThroughGumbelSoftmax) {
  const Layer layer;
  const auto draw = std::make_shared<PatternDraw>(layer.draw());
  const Tensor chosen = draw_patterns(*draw, layer.logits);
  const Tensor hard = at::one_hot(chosen, 10).to(at::kDouble);
  draw->keep = at::mm(hard, layer.table()).view_as(layer.weight);
  const Tensor effective = pattern_weight(layer.weight, layer.logits, draw);

  // The oracle: autograd through y^ = y~ + stopgrad(y - y~) and a mask made of patterns.
  const Tensor w = trained(layer.weight), logits = trained(layer.logits);
  const Tensor soft = ((logits + Layer::noise()) / draw->tau).softmax(1);
  const Tensor y = soft + (hard - soft).detach();
  const Tensor wanted = w * at::mm(y, layer.table()).view_as(w);

  EXPECT_TRUE(tensors_close(effective, wanted, {1e-12, 1e-12}));
  const Tensor g = normal_tensor({3, 8, 1, 1}, at::kDouble, 5);
  const auto found = gradients(effective, g, {layer.weight, layer.logits}),
             oracle = gradients(wanted, g, {w, logits});
  EXPECT_TRUE(tensors_close(found[0], oracle[0], {1e-12, 1e-12}));
  EXPECT_TRUE(tensors_close(found[1], oracle[1], {1e-9, 1e-9}));
  EXPECT_GT(oracle[1].abs().max().item<double>(), 0.05);
}

TEST(PatternWeight, MasksTheWeightsGradientAlone) {
  const Layer layer;
  const auto draw = std::make_shared<PatternDraw>(layer.draw());
  draw->keep = at::zeros_like(layer.weight);
  draw->keep[0][0] = 1;
  const Tensor g = normal_tensor({3, 8, 1, 1}, at::kDouble, 5);
  const Tensor fixed = layer.logits.detach();
  EXPECT_TRUE(tensors_equal(
      gradients(pattern_weight(layer.weight, fixed, draw), g, {layer.weight})[0], g * draw->keep));
}

}  // namespace
}  // namespace spikenm::ops
