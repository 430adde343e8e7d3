// The models of the registry as networks: their tensors, scores and gradients.
#include "spikenm/graph/tensors.h"
#include "spikenm/nn/run_pass.h"
#include "support/model_network.h"
#include "support/tensors.h"

#include <set>

namespace spikenm::nn {
namespace {

using graph::models;
using graph::ModelSpec;
using graph::NeuronKind;
using test::deep_spec;
using test::normal_tensor;
using test::small_model;

ModelSpec spec_of(NeuronKind neuron = NeuronKind::kLif) {
  ModelSpec spec{.frame = {2, 18, 17}, .classes = graph::numbered_classes(3), .neuron = {}};
  spec.neuron.params.neuron = neuron;
  return spec;
}

std::unique_ptr<Network> build(const std::string& name, const std::string& lines,
                               const ModelSpec& spec = spec_of()) {
  return test::model_network(name, lines, spec);
}

std::unique_ptr<Network> build_small(const std::string& name, const ModelSpec& spec = deep_spec(),
                                     uint64_t seed = 5) {
  return std::make_unique<Network>(small_model(name, spec), seed);
}

int64_t count_parameters(const Network& network) {
  int64_t n = 0;
  for (const NamedTensor& p : network.parameters()) n += p.tensor.numel();
  return n;
}

Tensor frames(int64_t T, int64_t B) {
  return normal_tensor({T, B, 2, 18, 17}, at::kFloat, 1, 2);
}

Tensor deep_frames(int64_t T, int64_t B) {
  return normal_tensor({T, B, 2, 33, 32}, at::kFloat, 1, 2);
}

TEST(Models, EveryModelGivesScoresOfStepsSamplesAndClasses) {
  for (const std::string& name : models().names())
    for (const auto& [T, B] : {std::pair<int64_t, int64_t>{1, 2}, {4, 1}, {3, 5}})
      for (const bool training : {true, false}) {
        const auto network = build_small(name);
        RunPass pass(training);
        EXPECT_EQ(network->forward(pass, deep_frames(T, B)).sizes(), at::IntArrayRef({T, B, 3}))
            << name << " T " << T << " B " << B;
      }
}

TEST(Models, TheGraphAloneSaysWhichTensorsANetworkHas) {
  for (const std::string& name : models().names()) {
    for (const graph::NeuronTraits& neuron : graph::neuron_kinds()) {
      const auto network = build_small(name, deep_spec(neuron.kind));
      std::vector<NamedTensor> real = network->parameters();
      for (const NamedTensor& buffer : network->buffers()) real.push_back(buffer);
      const std::vector<graph::TensorShape> known = graph::tensors(network->graph());
      ASSERT_EQ(known.size(), real.size()) << name;
      for (size_t i = 0; i < known.size(); ++i) {
        EXPECT_EQ(known[i].name, real[i].name);
        EXPECT_EQ(known[i].sizes, real[i].tensor.sizes().vec()) << name << " " << known[i].name;
      }
    }
  }
}

TEST(Models, TheGradientReachesEveryParameter) {
  for (const std::string& name : models().names())
    for (const graph::NeuronTraits& neuron : graph::neuron_kinds()) {
      const auto network = build_small(name, deep_spec(neuron.kind));
      RunPass pass(true);
      std::vector<Tensor> parameters;
      for (const NamedTensor& p : network->parameters()) parameters.push_back(p.tensor);
      const Tensor loss = network->forward(pass, deep_frames(4, 6)).square().sum();
      const auto grads = torch::autograd::grad({loss}, parameters);
      for (size_t i = 0; i < grads.size(); ++i)
        EXPECT_GT(grads[i].abs().max().item<double>(), 0)
            << name << " " << network->parameters()[i].name;
    }
}

TEST(Models, NamesOfParametersAndBuffersAreUnique) {
  for (const std::string& name : models().names()) {
    const auto network = build_small(name, deep_spec(NeuronKind::kPlif));
    std::set<std::string> names;
    size_t n = 0;
    for (const auto& list : {network->parameters(), network->buffers()})
      for (const NamedTensor& t : list) n += names.insert(t.name).second ? 1 : 100;
    EXPECT_EQ(names.size(), n) << name;
  }
}

TEST(Models, TheSeedDecidesTheWeights) {
  for (const std::string& name : models().names()) {
    const auto a = build_small(name), b = build_small(name), c = build_small(name, deep_spec(), 6);
    for (size_t i = 0; i < a->synapses().size(); ++i) {
      EXPECT_TRUE(test::tensors_identical(a->synapses()[i].weight, b->synapses()[i].weight));
      EXPECT_FALSE(a->synapses()[i].weight.equal(c->synapses()[i].weight)) << name << " " << i;
    }
  }
}

TEST(Models, EveryModelKnowsItsFrameAndWhatItsSynapsesDrive) {
  for (const std::string& name : models().names()) {
    const auto network = build_small(name);
    EXPECT_EQ(network->frame(), (graph::FrameShape{2, 33, 32})) << name;
    std::set<const Neuron*> driven;
    for (const Synapse& s : network->synapses()) {
      if (s.drives == nullptr) continue;
      EXPECT_TRUE(driven.insert(s.drives).second) << name << " " << s.name;
      EXPECT_TRUE(s.drives->name.ends_with("_" + s.name)) << name << " " << s.drives->name;
    }
    EXPECT_EQ(driven.size(), network->neurons().size()) << name;
  }
}

TEST(Models, PlifStartsAtTheConfiguredTimeConstant) {
  ModelSpec spec = spec_of(NeuronKind::kPlif);
  spec.neuron.tau = 4;
  const auto network = build("small_conv", "", spec);
  for (const Neuron& neuron : network->neurons())
    EXPECT_NEAR(at::sigmoid(neuron.leak_logit).item<double>(), 0.25, 1e-6) << neuron.name;
}

// 2*18*17 -> 10 -> 7 -> 3 classes of 2 voters; a norm has two numbers a channel, PLIF one a layer.
TEST(Mlp, ParametersAreThoseCountedByHand) {
  const int64_t weights = 612 * 10 + 10 * 7 + 7 * 6, norms = 2 * (10 + 7);
  const std::string lines = "hidden = [10, 7]\nvoters = 2";
  EXPECT_EQ(count_parameters(*build("mlp", lines)), weights + norms);
  EXPECT_EQ(count_parameters(*build("mlp", lines, spec_of(NeuronKind::kPlif))),
            weights + norms + 2);
  EXPECT_EQ(count_parameters(*build("mlp", "hidden = []")), 612 * 3);
}

// 18x17 -> 9x8 -> 4x4 -> 2x2.
TEST(SmallConv, ParametersAreThoseCountedByHand) {
  const int64_t weights = 9 * (2 * 5 + 5 * 10 + 10 * 10) + 10 * 2 * 2 * 3 * 4;
  EXPECT_EQ(count_parameters(*build("small_conv", "width = 5\nvoters = 4")),
            weights + 2 * (5 + 10 + 10));
}

// 18x17 -> 9x8 -> 4x4, then 6*4*4 -> 11 -> 3*10.
TEST(Vgg, ParametersAreThoseCountedByHand) {
  const int64_t weights = 9 * (2 * 4 + 4 * 5 + 5 * 6) + 96 * 11 + 11 * 30;
  EXPECT_EQ(count_parameters(*build("vgg", "layers = '4 M 5 6 A'\nfc = [11]")),
            weights + 2 * (4 + 5 + 6 + 11));
}

TEST(Vgg, LayersAreNamedInOrder) {
  const auto network = build("vgg", "layers = '4 M 5 A'\nfc = [6]");
  std::vector<std::string> names;
  for (const NamedTensor& p : network->parameters()) names.push_back(p.name);
  const std::vector<std::string> wanted = {
      "conv1.weight",  "conv2.weight",    "fc1.weight",    "fc2.weight",    "bn_conv1.weight",
      "bn_conv1.bias", "bn_conv2.weight", "bn_conv2.bias", "bn_fc1.weight", "bn_fc1.bias"};
  EXPECT_EQ(names, wanted);
}

TEST(Vgg, APoolIsOfItsKind) {
  const Tensor x = frames(2, 3);
  RunPass pass(false);
  EXPECT_FALSE(build("vgg", "layers = '4 A'")
                   ->forward(pass, x)
                   .equal(build("vgg", "layers = '4 M'")->forward(pass, x)));
}

// Ten voters that fire or not: tenths.
TEST(SixConvTwoFc, ClassesAreVotedBySpikes) {
  const auto network = build("6conv2fc", "width = 4\nfc = 50", deep_spec());
  RunPass pass(true);
  const Tensor votes =
      network->forward(pass, test::normal_tensor({4, 3, 2, 33, 32}, at::kFloat, 1, 3)) * 10;
  EXPECT_LT((votes - votes.round()).abs().max().item<double>(), 1e-5);
  EXPECT_GT(votes.max().item<double>(), 0);
  EXPECT_LE(votes.max().item<double>(), 10.001);
}

}  // namespace
}  // namespace spikenm::nn
