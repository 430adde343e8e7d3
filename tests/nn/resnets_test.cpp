// The residual networks sew_resnet18 and resnet19 as they run.
#include "spikenm/nn/run_pass.h"
#include "spikenm/ops/readout.h"
#include "support/model_network.h"
#include "support/tensors.h"

#include <map>

namespace spikenm::nn {
namespace {

using graph::ModelSpec;

ModelSpec spec_of(const graph::FrameShape& frame = {3, 16, 12}) {
  ModelSpec spec{.frame = frame, .classes = graph::numbered_classes(3), .neuron = {}};
  spec.neuron.params.threshold = 0.2;
  return spec;
}

std::unique_ptr<Network> build(const std::string& name, const std::string& lines,
                               const ModelSpec& spec = spec_of()) {
  return test::model_network(name, lines, spec);
}

// Walks a residual network by the names of its layers alone.
class ByName {
 public:
  explicit ByName(Network& network) {
    for (Synapse& s : network.synapses()) synapses_[s.name] = &s;
    for (Norm& n : network.norms()) norms_[n.name] = &n;
  }
  [[nodiscard]] bool has(const std::string& name) const { return synapses_.contains(name); }
  Tensor run(const std::string& name, const Tensor& x) {
    Synapse& synapse = *synapses_.at(name);
    Tensor y = pass_.synapse(synapse, x);
    if (norms_.contains("bn_" + name)) y = pass_.norm(*norms_.at("bn_" + name), y);
    return synapse.drives != nullptr ? pass_.neuron(const_cast<Neuron&>(*synapse.drives), y) : y;
  }
  Tensor stages(Tensor x, const std::vector<int>& blocks) {
    for (size_t stage = 0; stage < blocks.size(); ++stage)
      for (int i = 0; i < blocks[stage]; ++i) {
        const std::string at = fmt::format("layer{}.{}.", stage + 1, i);
        const Tensor y = run(at + "conv2", run(at + "conv1", x));
        x = y + (has(at + "shortcut") ? run(at + "shortcut", x) : x);
      }
    return x;
  }

 private:
  RunPass pass_{false};
  std::map<std::string, Synapse*> synapses_;
  std::map<std::string, Norm*> norms_;
};

Tensor frames() {
  return test::normal_tensor({3, 2, 3, 16, 12}, at::kFloat, 1, 2);
}

TEST(SewResnet18, ForwardIsThatOfItsNamedLayers) {
  const auto network = build("sew_resnet18", "width = 4");
  ByName layers(*network);
  const Tensor x = layers.stages(layers.run("stem", frames()), {2, 2, 2, 2});
  EXPECT_EQ(x.sizes(), at::IntArrayRef({3, 2, 32, 2, 2}));
  EXPECT_GE(x.max().item<double>(), 2);  // sums of spikes
  const Tensor wanted = ops::vote(layers.run("head", x.mean({3, 4})), 10);
  RunPass pass(false);
  EXPECT_TRUE(test::tensors_equal(network->forward(pass, frames()), wanted));
}

TEST(Resnet19, ForwardIsThatOfItsNamedLayers) {
  const auto network = build("resnet19", "width = 8");
  ByName layers(*network);
  const Tensor x = layers.stages(layers.run("stem", frames()), {3, 3, 2});
  EXPECT_EQ(x.sizes(), at::IntArrayRef({3, 2, 64, 4, 3}));
  const Tensor hidden = layers.run("fc1", x.mean({3, 4}));
  const Tensor wanted = ops::vote(layers.run("fc2", hidden), 10);
  RunPass pass(false);
  EXPECT_TRUE(test::tensors_equal(network->forward(pass, frames()), wanted));
}

TEST(SewResnet18, ShortcutsStandWhereTheShapeChanges) {
  const auto network = build("sew_resnet18", "width = 4");
  ByName layers(*network);
  EXPECT_FALSE(layers.has("layer1.0.shortcut"));
  for (const char* name : {"layer2.0.shortcut", "layer3.0.shortcut", "layer4.0.shortcut"})
    EXPECT_TRUE(layers.has(name)) << name;
  EXPECT_FALSE(layers.has("layer2.1.shortcut"));
  EXPECT_TRUE(ByName(*build("resnet19", "width = 4")).has("layer1.0.shortcut"));
}

TEST(SewResnet18, StemWeightsAndBlocksMayBeMaskedTheHeadNot) {
  const auto network = build("sew_resnet18", "width = 4");
  for (const Synapse& s : network->synapses()) {
    const bool block = s.name.starts_with("layer");
    EXPECT_EQ(s.spec->maskable, s.name != "head") << s.name;
    EXPECT_EQ(s.drives != nullptr && s.drives->spec->maskable, block) << s.name;
    EXPECT_EQ(s.bias.defined(), s.name == "head") << s.name;
  }
}

TEST(Resnet19, EveryWeightMayBeMaskedAndNeuronsOfBlocksOnly) {
  const auto network = build("resnet19", "width = 4");
  for (const Synapse& s : network->synapses()) {
    EXPECT_TRUE(s.spec->maskable) << s.name;
    EXPECT_EQ(s.drives != nullptr && s.drives->spec->maskable, s.name.starts_with("layer"))
        << s.name;
    EXPECT_EQ(s.drives == nullptr, s.name == "fc2") << s.name;
    EXPECT_EQ(s.bias.defined(), s.name.starts_with("fc")) << s.name;
  }
}

// 7x7 stride 2 padding 3, then a 3x3 pool of stride 2: 33x40 -> 17x20 -> 9x10 -> … -> 2x2.
TEST(SewResnet18, TheStemOfImagenetQuartersTheMap) {
  struct Sizes : Observer {
    std::map<std::string, std::vector<int64_t>> seen;
    void on_synapse_input(const Synapse& s, const Tensor& x, const Tensor&) override {
      seen[s.name] = x.sizes().slice(2).vec();
    }
  } sizes;
  const auto network = build("sew_resnet18", "width = 2\nstem = 'imagenet'", spec_of({3, 33, 40}));
  const nm::WeightShape stem = network->synapses().front().shape();
  EXPECT_EQ(stem.kh, 7);
  EXPECT_EQ(stem.kw, 7);
  RunPass pass(false, &sizes);
  (void)network->forward(pass, test::normal_tensor({1, 1, 3, 33, 40}, at::kFloat, 1));
  EXPECT_EQ(sizes.seen["layer1.0.conv1"], (std::vector<int64_t>{2, 9, 10}));
  EXPECT_EQ(sizes.seen["layer4.1.conv2"], (std::vector<int64_t>{16, 2, 2}));
  EXPECT_EQ(sizes.seen["head"], (std::vector<int64_t>{16}));
}

// Maps shrink to one position and stay there.
TEST(Resnets, TheSmallestFrameWorks) {
  for (const char* lines : {"width = 2", "width = 2\nstem = 'imagenet'"}) {
    const auto network = build("sew_resnet18", lines, spec_of({3, 1, 1}));
    RunPass pass(true);
    EXPECT_EQ(network->forward(pass, at::ones({2, 2, 3, 1, 1})).sizes(),
              at::IntArrayRef({2, 2, 3}));
  }
}

}  // namespace
}  // namespace spikenm::nn
