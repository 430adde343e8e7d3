#include "spikenm/sparsity/frozen_masks.h"

#include "support/small_network.h"

#include <gtest/gtest.h>

#include <map>

namespace spikenm::sparsity {
namespace {

// A mask of the right shape that keeps every third weight.
LayerMask every_third(nn::Synapse& synapse) {
  nm::Mask mask = nm::Mask::dense(synapse.weight.numel());
  for (size_t i = 0; i < mask.keep.size(); ++i) mask.keep[i] = i % 3 == 0 ? 1 : 0;
  return make_layer_mask(synapse, std::move(mask));
}

struct OtherHook : nn::WeightHook {
  Tensor effective(const Tensor& weight) override { return weight + 1; }
};

TEST(LayerMask, IsTheMaskInTheWeightsShapeAndType) {
  const auto network = test::small_network();
  nn::Synapse& conv2 = network->synapses()[1];
  const LayerMask m = every_third(conv2);
  EXPECT_EQ(m.synapse, &conv2);
  EXPECT_EQ(m.keep.sizes(), conv2.weight.sizes());
  EXPECT_EQ(m.keep.scalar_type(), at::kFloat);
  const Tensor flat = m.keep.flatten();
  for (int64_t i = 0; i < flat.numel(); ++i)
    ASSERT_EQ(flat[i].item<float>(), i % 3 == 0 ? 1.0f : 0.0f);
}

TEST(ApplyToWeights, ZeroesWhatIsDroppedAndKeepsTheRestBitForBit) {
  const auto network = test::small_network();
  nn::Synapse& conv2 = network->synapses()[1];
  const Tensor conv1_before = network->synapses()[0].weight.detach().clone();
  const Tensor before = conv2.weight.detach().clone();
  const LayerMask m = every_third(conv2);
  apply_to_weights({.weights = {m}});
  EXPECT_TRUE(at::equal(conv2.weight.detach(), before * m.keep));
  EXPECT_GT(before.ne(0).sum().item<int64_t>(), conv2.weight.ne(0).sum().item<int64_t>());
  EXPECT_TRUE(at::equal(network->synapses()[0].weight.detach(), conv1_before));
  EXPECT_TRUE(conv2.weight.requires_grad());
}

TEST(FrozenHooks, MaskTheWeightForAsLongAsTheyLive) {
  const auto network = test::small_network();
  nn::Synapse& conv2 = network->synapses()[1];
  const LayerMask m = every_third(conv2);
  {
    const FrozenHooks hooks({.weights = {m}});
    ASSERT_NE(conv2.hook, nullptr);
    EXPECT_TRUE(at::equal(conv2.hook->effective(conv2.weight), conv2.weight * m.keep));
    EXPECT_EQ(conv2.hook->credit(), nullptr);
    EXPECT_EQ(network->synapses()[0].hook, nullptr);
  }
  EXPECT_EQ(conv2.hook, nullptr);
}

TEST(FrozenHooks, PutBackWhatWasThereAlsoWhenNested) {
  const auto network = test::small_network();
  nn::Synapse& conv2 = network->synapses()[1];
  OtherHook other;
  conv2.hook = &other;
  {
    const FrozenHooks outer({.weights = {every_third(conv2)}});
    const nn::WeightHook* const outer_hook = conv2.hook;
    {
      const FrozenHooks inner({.weights = {every_third(conv2)}});
      EXPECT_NE(conv2.hook, outer_hook);
    }
    EXPECT_EQ(conv2.hook, outer_hook);
  }
  EXPECT_EQ(conv2.hook, &other);
}

TEST(FrozenHooks, LetGradientThroughToKeptWeightsOnly) {
  const auto network = test::small_network();
  nn::Synapse& conv2 = network->synapses()[1];
  const LayerMask m = every_third(conv2);
  const FrozenHooks hooks({.weights = {m}});
  nn::RunPass pass(/*training=*/true);
  network->forward(pass, test::spike_batch()).sum().backward();
  const Tensor gradient = conv2.weight.grad();
  EXPECT_EQ((gradient * (1 - m.keep)).abs().max().item<float>(), 0);
  EXPECT_GT(gradient.abs().max().item<float>(), 0);
}

// The places of the masks' bytes, by name.
class Places : public nn::StateVisitor {
 public:
  std::map<std::string, const void*> places;

 protected:
  void on_tensor(const std::string& name, const Tensor&) override {
    ADD_FAILURE() << name << " may be written to";
  }
  void on_constant(const std::string& name, const Tensor& value) override {
    EXPECT_TRUE(value.is_cpu() && value.scalar_type() == at::kByte) << name;
    places[name] = value.const_data_ptr();
  }
  void on_value(const std::string&, Json&) override {}
};

// A checkpoint shares this memory: it makes no bytes of the masks, and no copy of them.
TEST(VisitMasks, ShowsTheSameBytesToEveryVisitorThatSaves) {
  const auto network = test::small_network();
  const auto method = test::method_on(*network, "magnitude", "");
  Masks masks = harden_all(*method);
  Places first, second;
  visit_masks(first, *method, masks);
  visit_masks(second, *method, masks);
  EXPECT_EQ(first.places.size(), masks.weights.size());
  EXPECT_EQ(first.places, second.places);
  for (const LayerMask& m : masks.weights) {
    EXPECT_EQ(first.places.at(m.synapse->name + ".mask"), m.bits.const_data_ptr());
    EXPECT_TRUE(at::equal(m.bits, m.keep.to(at::kByte)));
  }
}

TEST(HardenAll, GivesTheMaskOfEveryLayerOfTheMethod) {
  const auto network = test::small_network();
  const auto method = test::method_on(*network, "magnitude", "layers = [\"conv*\"]");
  const auto masks = harden_all(*method).weights;
  ASSERT_EQ(masks.size(), 3u);
  for (size_t i = 0; i < masks.size(); ++i) {
    EXPECT_EQ(masks[i].synapse, &network->synapses()[i]);
    EXPECT_EQ(masks[i].mask.keep, method->harden(i).keep);
  }
}

}  // namespace
}  // namespace spikenm::sparsity
