#include "spikenm/nn/models/models.h"

#include "spikenm/nn/run_pass.h"
#include "support/expect_error.h"
#include "support/tensors.h"

#include <map>
#include <set>

namespace spikenm::nn {
namespace {

using test::normal_tensor;

ModelSpec spec_of(kernels::Neuron neuron = kernels::Neuron::kLif) {
  ModelSpec spec{.channels = 2, .height = 18, .width = 17, .classes = 3, .seed = 5};
  spec.neuron.params.neuron = neuron;
  return spec;
}

// Frames that five pools fit, and neurons that fire in the deepest and narrowest layer.
ModelSpec deep_spec(kernels::Neuron neuron = kernels::Neuron::kLif) {
  ModelSpec spec = spec_of(neuron);
  spec.height = 33;
  spec.width = 32;
  spec.neuron.params.threshold = 0.1;
  return spec;
}

std::unique_ptr<Network> build(const std::string& name, const std::string& lines,
                               const ModelSpec& spec = spec_of()) {
  const Config config = Config::from_text("[model]\n" + lines, "test");
  auto network = models().find(name)(spec, config.section("model"));
  config.reject_unread();
  return network;
}

// Every model, as narrow as it gets where its own width is that of a paper.
std::unique_ptr<Network> build_small(const std::string& name, const ModelSpec& spec = deep_spec()) {
  static const std::map<std::string, std::string> kSmall{{"6conv2fc", "width = 4\nfc = 12"},
                                                         {"vggsnn", "width = 2"},
                                                         {"vgg13", "width = 2"},
                                                         {"sew_resnet18", "width = 4"},
                                                         {"resnet19", "width = 4"}};
  const auto it = kSmall.find(name);
  return build(name, it == kSmall.end() ? "" : it->second, spec);
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

TEST(Models, EveryModelCanBeBuiltOfShapesAlone) {
  for (const std::string& name : models().names()) {
    for (const auto neuron : {kernels::Neuron::kLif, kernels::Neuron::kPlif}) {
      ModelSpec spec = deep_spec(neuron);
      const auto real = build_small(name, spec);
      spec.shapes_only = true;
      const auto shapes = build_small(name, spec);
      const auto compare = [&](const std::vector<NamedTensor>& a,
                               const std::vector<NamedTensor>& b) {
        ASSERT_EQ(a.size(), b.size());
        for (size_t i = 0; i < a.size(); ++i) {
          EXPECT_EQ(a[i].name, b[i].name);
          EXPECT_EQ(a[i].tensor.sizes(), b[i].tensor.sizes()) << name << " " << a[i].name;
          EXPECT_TRUE(a[i].tensor.is_meta() && !b[i].tensor.is_meta());
        }
      };
      compare(shapes->parameters(), real->parameters());
      compare(shapes->buffers(), real->buffers());
    }
  }
}

TEST(Models, SizesThatNoNetworkHasAreRefused) {
  EXPECT_ERROR(build("mlp", "hidden = [4611686018427387904]"), "fc1", "4611686018427387904x612",
               "at most");
  EXPECT_ERROR(build("vgg", "layers = '100000 100000'"), "conv2", "100000x100000x3x3");
  std::string layers = "hidden = [1";
  std::string words = "64";
  for (int i = 1; i < 1000; ++i) {
    layers += ", 1";
    words += " 64";
  }
  const char* const limit = "found 1000 layers, wanted at most 999 (a fixed limit)";
  EXPECT_ERROR(build("mlp", layers + "]"), "hidden: ", limit);
  EXPECT_ERROR(build("vgg", "layers = '" + words + "'"), "layers: ", limit);
}

TEST(Models, TheGradientReachesEveryParameter) {
  for (const std::string& name : models().names())
    for (const auto neuron :
         {kernels::Neuron::kIf, kernels::Neuron::kLif, kernels::Neuron::kPlif}) {
      const auto network = build_small(name, deep_spec(neuron));
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
    const auto network = build_small(name, deep_spec(kernels::Neuron::kPlif));
    std::set<std::string> names;
    size_t n = 0;
    for (const auto& list : {network->parameters(), network->buffers()})
      for (const NamedTensor& t : list) n += names.insert(t.name).second ? 1 : 100;
    EXPECT_EQ(names.size(), n) << name;
  }
}

TEST(Models, TheSeedDecidesTheWeights) {
  for (const std::string& name : models().names()) {
    ModelSpec other = deep_spec();
    other.seed = 6;
    const auto a = build_small(name), b = build_small(name), c = build_small(name, other);
    for (size_t i = 0; i < a->synapses().size(); ++i) {
      EXPECT_TRUE(test::tensors_identical(a->synapses()[i].weight, b->synapses()[i].weight));
      EXPECT_FALSE(a->synapses()[i].weight.equal(c->synapses()[i].weight)) << name << " " << i;
    }
  }
}

TEST(Models, EveryModelKnowsItsFrameAndWhatItsSynapsesDrive) {
  for (const std::string& name : models().names()) {
    const auto network = build_small(name);
    EXPECT_EQ(network->frame().channels, 2) << name;
    EXPECT_EQ(network->frame().height, 33) << name;
    EXPECT_EQ(network->frame().width, 32) << name;
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
  ModelSpec spec = spec_of(kernels::Neuron::kPlif);
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
  EXPECT_EQ(count_parameters(*build("mlp", lines, spec_of(kernels::Neuron::kPlif))),
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

TEST(Vgg, BadLayersAreErrors) {
  EXPECT_ERROR(build("vgg", "layers = '4 B 5'"), "model.layers", "'B'", "A or M");
  EXPECT_ERROR(build("vgg", "layers = '4x'"), "model.layers", "'4x'");
  EXPECT_ERROR(build("vgg", "layers = '0'"), "model.layers", "'0'");
  EXPECT_ERROR(build("vgg", "layers = '-3'"), "model.layers", "'-3'");
  EXPECT_ERROR(build("vgg", "layers = '99999999999999999999'"), "model.layers");
  EXPECT_ERROR(build("vgg", "fc = [0]"), "model.fc", "found 0");
  EXPECT_ERROR(build("vgg", "voters = 0"), "model.voters");
}

TEST(Models, APoolThatFindsNoMapIsAnError) {
  EXPECT_ERROR(build("vgg", "layers = '4 A A A A A'"), "2x2 pool", "1x1",
               "larger frames or fewer pools");
  ModelSpec flat = spec_of();
  flat.height = 7;
  EXPECT_ERROR(build("small_conv", "", flat), "2x2 pool", "1x4");
}

TEST(Models, BadSizesAreErrors) {
  EXPECT_ERROR(build("mlp", "hidden = [5, 0]"), "model.hidden", "found 0");
  EXPECT_ERROR(build("mlp", "voters = 0"), "model.voters");
  EXPECT_ERROR(build("small_conv", "width = 0"), "model.width");
  EXPECT_ERROR(build("small_conv", "pool = 'median'"), "model.pool", "average, max");
  EXPECT_ERROR(build("resnet", ""), "resnet", "mlp, small_conv, vgg", "sew_resnet18");
  for (const char* name : {"6conv2fc", "vggsnn", "vgg13", "sew_resnet18", "resnet19"}) {
    EXPECT_ERROR(build(name, "width = 0", deep_spec()), "model.width");
    EXPECT_ERROR(build(name, "width = 4\nvoters = 0", deep_spec()), "model.voters");
  }
  EXPECT_ERROR(build("6conv2fc", "width = 4\nfc = 0"), "model.fc");
}

}  // namespace
}  // namespace spikenm::nn
