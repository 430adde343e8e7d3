// Chains, and the three of the papers' networks that are.
#include "spikenm/nn/models/builder.h"

#include "spikenm/nn/run_pass.h"
#include "support/tensors.h"

namespace spikenm::nn {
namespace {

using Names = std::vector<std::string>;

const ModelSpec kSpec{.channels = 2, .height = 32, .width = 33, .classes = 3};

std::unique_ptr<Network> build(const std::string& name, const std::string& lines,
                               const ModelSpec& spec = kSpec) {
  const Config config = Config::from_text("[model]\n" + lines, "test");
  auto network = models().find(name)(spec, config.section("model"));
  config.reject_unread();
  return network;
}

// The synapses whose neurons may be masked.
Names masked_neurons(Network& network) {
  Names names;
  for (const Synapse& s : network.synapses())
    if (s.drives != nullptr && s.drives->maskable) names.push_back(s.name);
  return names;
}

Names synapse_names(Network& network) {
  Names names;
  for (const Synapse& s : network.synapses()) names.push_back(s.name);
  return names;
}

Names norm_names(Network& network) {
  Names names;
  for (const Norm& n : network.norms()) names.push_back(n.name);
  return names;
}

TEST(Chain, NeuronsOfConvolutionsAfterTheFirstMayBeMasked) {
  EXPECT_EQ(masked_neurons(*build("small_conv", "")), (Names{"conv2", "conv3"}));
  EXPECT_EQ(masked_neurons(*build("vgg", "layers = '4 A 5 6'\nfc = [7]")),
            (Names{"conv2", "conv3"}));
  EXPECT_EQ(masked_neurons(*build("mlp", "hidden = [5, 5]")), Names{});
  EXPECT_EQ(masked_neurons(*build("6conv2fc", "width = 2\nfc = 3")),
            (Names{"conv2", "conv3", "conv4", "conv5", "conv6"}));
  EXPECT_EQ(masked_neurons(*build("vggsnn", "width = 1")),
            (Names{"conv2", "conv3", "conv4", "conv5", "conv6", "conv7", "conv8"}));
  EXPECT_EQ(masked_neurons(*build("vgg13", "width = 1")).size(), 9u);
}

TEST(Chain, EveryWeightOfAPaperNetworkMayBeMasked) {
  for (const char* name : {"6conv2fc", "vggsnn", "vgg13"})
    for (const Synapse& s : build(name, "width = 1")->synapses())
      EXPECT_TRUE(s.maskable) << name << " " << s.name;
}

TEST(SixConvTwoFc, HasTheLayersOfThePaper) {
  const auto network = build("6conv2fc", "width = 2\nfc = 5\nvoters = 4");
  EXPECT_EQ(synapse_names(*network),
            (Names{"conv1", "conv2", "conv3", "conv4", "conv5", "conv6", "fc1", "fc2"}));
  EXPECT_EQ(norm_names(*network),
            (Names{"bn_conv1", "bn_conv2", "bn_conv3", "bn_conv4", "bn_conv5", "bn_conv6"}));
  EXPECT_EQ(network->neurons().size(), 8u);  // fc2's too
  const nm::WeightShape fc1 = network->synapses()[6].shape(), fc2 = network->synapses()[7].shape();
  EXPECT_EQ(fc1.cin, 2 * 8 * 8);  // 32x33 -> 16x16 -> 8x8
  EXPECT_EQ(fc1.cout, 5);
  EXPECT_EQ(fc2.cout, 3 * 4);
}

TEST(SixConvTwoFc, TheNormOfFc1IsAChoice) {
  const auto network = build("6conv2fc", "width = 2\nfc = 5\nfc_norm = true");
  EXPECT_EQ(norm_names(*network).back(), "bn_fc1");
  EXPECT_EQ(network->norms().size(), 7u);
}

// Ten voters that fire or not: tenths.
TEST(SixConvTwoFc, ClassesAreVotedBySpikes) {
  ModelSpec spec = kSpec;
  spec.neuron.params.threshold = 0.1;  // narrow layers fire too
  const auto network = build("6conv2fc", "width = 4\nfc = 50", spec);
  RunPass pass(true);
  const Tensor votes =
      network->forward(pass, test::normal_tensor({4, 3, 2, 32, 33}, at::kFloat, 1, 3)) * 10;
  EXPECT_LT((votes - votes.round()).abs().max().item<double>(), 1e-5);
  EXPECT_GT(votes.max().item<double>(), 0);
  EXPECT_LE(votes.max().item<double>(), 10.001);
}

// 32x33 -> 16x16 -> 8x8 -> 4x4 -> 2x2: widths 1 2 4 4 8 8 8 8.
TEST(Vggsnn, HasTheLayersOfThePaper) {
  const auto network = build("vggsnn", "width = 1");
  const std::vector<int64_t> wanted{1, 2, 4, 4, 8, 8, 8, 8, 30};
  ASSERT_EQ(network->synapses().size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_EQ(network->synapses()[i].shape().cout, wanted[i]) << i;
  EXPECT_EQ(network->synapses().back().shape().cin, 8 * 2 * 2);
  EXPECT_EQ(network->synapses().back().drives, nullptr);
}

// 32x33 -> 16 -> 8 -> 4 -> 2 -> 1.
TEST(Vgg13, HasTheLayersOfThePaper) {
  const auto network = build("vgg13", "width = 1");
  const std::vector<int64_t> wanted{1, 1, 2, 2, 4, 4, 8, 8, 8, 8, 30};
  ASSERT_EQ(network->synapses().size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_EQ(network->synapses()[i].shape().cout, wanted[i]) << i;
  EXPECT_EQ(network->synapses().back().shape().cin, 8);
  EXPECT_EQ(network->synapses().back().drives, nullptr);
}

}  // namespace
}  // namespace spikenm::nn
