#include "spikenm/sparsity/neuron_pruning.h"

#include "support/expect_error.h"
#include "support/small_network.h"
#include "support/tiny_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace spikenm::sparsity {
namespace {

using test::method_on, test::search_step, test::small_network, test::TinyGraph;

const std::string kBoth = "granularity = \"weight+neuron\"\n";
const ClearMoments kNothing = [](const Tensor&, const Tensor&) {};

// The masks' scalars: the last parameter group of the method.
std::vector<Tensor> scalars(Pruning& method) {
  return method.param_groups().back().tensors;
}

void give(const Tensor& m, const Tensor& values) {
  const at::NoGradGuard no_grad;
  m.copy_(values);
}

// Neurons a (2x4x4, masked) and b (2x2x2, masked) behind a, read by a sum; c is the readout.
//   a = conv 3x3 (1 -> 2); b = conv 3x3 stride 2 (2 -> 2); s = conv 1x1 stride 2 (2 -> 2), no
//   neuron of its own to mask; c = linear of (b + s).
std::unique_ptr<nn::Network> make_residual(bool readout_maskable = true) {
  TinyGraph graph(1, 4, 4);
  const graph::NeuronParams fire{.neuron = graph::NeuronKind::kIf};
  graph.synapse("a", at::full({2, 1, 3, 3}, 0.4f), {.stride = 1, .padding = 1});
  const auto a = graph.neuron("fire_a", fire, /*maskable=*/true);
  graph.synapse("b", at::full({2, 2, 3, 3}, 0.3f), {.stride = 2, .padding = 1});
  const auto b = graph.neuron("fire_b", fire, /*maskable=*/true);
  graph.synapse_of(a, "s", at::full({2, 2, 1, 1}, 0.7f), {.stride = 2, .padding = 0});
  graph.sum({b, graph.neuron("fire_s", fire)});
  graph.flatten();
  graph.synapse("c", at::arange(24, at::kFloat).view({3, 8, 1, 1}) / 20, {}, readout_maskable);
  return graph.make();
}

struct Residual {
  std::unique_ptr<nn::Network> network = make_residual();

  // Forward and backward of one step on x [T,B,1,4,4].
  void step(Pruning& method, const Tensor& x, const StepInfo& info) {
    const MethodHooks hooks(method);
    method.begin_step(info);
    nn::RunPass pass(/*training=*/true);
    network->forward(pass, x).square().mean().backward();
    method.after_backward(info);
  }
};

Tensor frames() {
  return at::arange(3 * 2 * 16, at::kFloat).remainder(5).gt(1).to(at::kFloat).view({3, 2, 1, 4, 4});
}

// Forward and backward through the gates of the first layer alone, whose spikes are `value`.
void pull_gates(Pruning& method, double value) {
  std::vector<int64_t> shape = method.neurons()[0].shape;
  shape.insert(shape.begin(), {1, 1});
  method.effective_spikes(0, at::full(shape, value)).sum().backward();
}

TEST(NeuronPruning, ScaledErrorsGiveTheSameGradient) {
  std::vector<Tensor> found;
  for (const double scale : {1.0, 1024.0}) {
    Residual residual;
    const auto method = method_on(*residual.network, "dense", kBoth);
    method->begin_step({});
    pull_gates(*method, scale);
    StepInfo info;
    if (scale > 1) info.scaling = {.inverse = at::full({1}, 1 / scale), .overflow = at::zeros({1})};
    method->after_backward(info);
    found.push_back(scalars(*method)[0].grad());
  }
  EXPECT_TRUE(at::allclose(found[0], found[1], 1e-6, 0));
  EXPECT_GT(found[0].abs().min().item<double>(), 0);
}

// All that a method shows must be finite.
struct Finite : nn::StateVisitor {
  void on_tensor(const std::string& name, const Tensor& value) override {
    EXPECT_TRUE(value.isfinite().all().item<bool>()) << name;
  }
  void on_value(const std::string&, Json&) override {}
};

// The scalars tell the watch of steps (train/step_watch.h), which skips the step. What is kept from
// step to step does not learn of it.
TEST(NeuronPruning, AnOverflowOfTheGatesIsSeenAtTheScalarsAndNotKept) {
  Residual residual;
  const auto method = method_on(*residual.network, "dense", kBoth);
  method->begin_step({});
  pull_gates(*method, std::numeric_limits<double>::infinity());
  method->after_backward({});
  EXPECT_FALSE(scalars(*method)[0].grad().isfinite().any().item<bool>());
  Finite finite;
  method->visit_state(finite);
}

TEST(NeuronPruning, IsOffByDefault) {
  const auto network = small_network();
  const Config config = Config::from_text("", "test");
  EXPECT_TRUE(make_method("random", *network, config, 0)->neurons().empty());
  EXPECT_TRUE(harden_all(*make_method("random", *network, config, 0)).neurons.empty());
}

TEST(NeuronPruning, MasksTheNeuronsThatMayBe) {
  const auto network = small_network();
  const auto method = method_on(*network, "magnitude", kBoth);
  ASSERT_EQ(method->neurons().size(), 2u);  // not those of the first convolution
  EXPECT_EQ(method->neurons()[0].neuron, &network->neurons()[1]);
  EXPECT_EQ(method->neurons()[0].shape, (std::vector<int64_t>{16, 4, 4}));
  EXPECT_EQ(method->neurons()[1].shape, (std::vector<int64_t>{16, 2, 2}));
  EXPECT_EQ(method->layers().size(), 4u);
}

TEST(NeuronPruning, StandsBesideEveryMethodOfWeightsAndLeavesItsMasksAlone) {
  for (const auto& row : methods().rows()) {
    SCOPED_TRACE(row.name);
    const auto plain_network = small_network(), network = small_network();
    const auto plain = method_on(*plain_network, row.name, "", 3);
    if (!plain->neurons().empty()) continue;  // masks both itself
    const auto method = method_on(*network, row.name, kBoth, 3);
    EXPECT_EQ(test::hardened(*method), test::hardened(*plain));
    EXPECT_EQ(method->pattern_text(), plain->pattern_text());
    EXPECT_EQ(method->param_groups().size(), plain->param_groups().size() + 1);
    for (int64_t step = 0; step < 3; ++step) {
      EXPECT_TRUE(std::isfinite(search_step(*network, *method, {step, 3})));
      for (const Tensor& m : scalars(*method)) {
        EXPECT_TRUE(m.grad().isfinite().all().item<bool>());
        EXPECT_GT(m.grad().abs().max().item<float>(), 0);
        give(m, m - 0.01 * m.grad().sign());
      }
      method->after_step({step, 3}, kNothing);
    }
    const Masks masks = harden_all(*method);
    for (const LayerMask& mask : masks.weights) EXPECT_TRUE(nm::audit(mask.mask).valid());
    ASSERT_EQ(masks.neurons.size(), 2u);
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(masks.neurons[i].keep.sizes().vec(), method->neurons()[i].shape);
      EXPECT_TRUE(at::equal(masks.neurons[i].keep, scalars(*method)[i].gt(0).to(at::kFloat)));
    }
    for (const nn::Neuron& neuron : network->neurons()) EXPECT_EQ(neuron.hook, nullptr);
  }
}

TEST(NeuronPruning, KeepsNothingAtZeroAndWhatIsAboveIt) {
  const auto network = small_network();
  const auto method = method_on(*network, "dense", kBoth);
  EXPECT_EQ(method->harden_neurons(0).sum().item<float>(), 0);
  give(scalars(*method)[0], at::full({16, 4, 4}, -1e-9f));
  scalars(*method)[0].detach()[3][1][2].fill_(1e-9f);
  const Tensor keep = method->harden_neurons(0);
  EXPECT_EQ(keep.sum().item<float>(), 1);
  EXPECT_EQ(keep[3][1][2].item<float>(), 1);
}

// beta = 5 * 200^(k/K): 5 at first, 70.71 half way; the gate of m = 0.02 is 1/(1 + e^-1.414).
TEST(NeuronPruning, GatesSharpenOverTheSearch) {
  const auto network = small_network();
  const auto method = method_on(*network, "dense", kBoth);
  give(scalars(*method)[0], at::full({16, 4, 4}, 0.02f));
  const Tensor spikes = at::ones({2, 3, 16, 4, 4});
  method->begin_step({0, 10});
  EXPECT_NEAR(method->effective_spikes(0, spikes).mean().item<float>(), 0.52497919, 1e-6);
  method->begin_step({5, 10});
  EXPECT_NEAR(method->effective_spikes(0, spikes).mean().item<float>(), 0.80442968, 1e-6);
  EXPECT_NEAR(method->take_statistics().at("beta").get<double>(), 70.7106781, 1e-6);
  // Shut, not denormal: sigmoid(-70) is 1e-31.
  give(scalars(*method)[0], at::full({16, 4, 4}, -1.0f));
  method->begin_step({5, 10});
  EXPECT_EQ(method->effective_spikes(0, spikes).abs().max().item<float>(), 0);
}

// The oracle: the same network with gates as plain autograd expressions of m, and the penalty in
// the loss. c of fire_a: b reads it with 2*3*3 / 4, s with 2*1 / 4: 5; of fire_b: c reads it, 3.
TEST(NeuronPruning, GradientIsThatOfTheGatedLossWithItsPenalty) {
  struct Oracle : nn::SpikeHook {
    Tensor m;
    double beta = 0;
    Tensor effective(const Tensor& spikes) override { return spikes * at::sigmoid(beta * m); }
  };
  const double lambda = 0.003, beta = 5 * std::pow(200, 0.25);
  Residual method_side, oracle_side;
  const auto method = method_on(*method_side.network, "dense", kBoth + "lambda_neuron = 0.003");
  Oracle hooks[2];
  for (size_t i = 0; i < 2; ++i) {
    const Tensor values = at::arange(scalars(*method)[i].numel(), at::kFloat).sin() * 0.05;
    give(scalars(*method)[i], values.view(scalars(*method)[i].sizes()));
    hooks[i].m = scalars(*method)[i].detach().clone().set_requires_grad(true);
    hooks[i].beta = beta;
    oracle_side.network->neurons()[i].hook = &hooks[i];
  }
  method_side.step(*method, frames(), {1, 4});
  nn::RunPass pass(/*training=*/true);
  const Tensor penalty =
      5 * at::sigmoid(beta * hooks[0].m).sum() + 3 * at::sigmoid(beta * hooks[1].m).sum();
  (oracle_side.network->forward(pass, frames()).square().mean() + lambda * penalty).backward();
  for (size_t i = 0; i < 2; ++i) {
    const Tensor found = scalars(*method)[i].grad(), wanted = hooks[i].m.grad();
    EXPECT_LT((found - wanted).abs().max().item<float>(), 1e-5 * wanted.abs().max().item<float>());
    EXPECT_TRUE(at::allclose(method_side.network->synapses()[i].weight.grad(),
                             oracle_side.network->synapses()[i].weight.grad(), 1e-5, 1e-7));
  }
}

// No spike, no task: at m = 0 the gradient is beta/4 lambda c.
TEST(NeuronPruning, ASilentNeuronFeelsItsConnectionsAlone) {
  Residual model;
  const auto method =
      method_on(*model.network, "dense", kBoth + "lambda_neuron = 0.01\nbeta_min = 8");
  model.step(*method, at::zeros({3, 2, 1, 4, 4}), {0, 4});
  EXPECT_TRUE(at::allclose(scalars(*method)[0].grad(), at::full({2, 4, 4}, 8 / 4.0 * 0.01 * 5)));
  EXPECT_TRUE(at::allclose(scalars(*method)[1].grad(), at::full({2, 2, 2}, 8 / 4.0 * 0.01 * 3)));
  // A readout that is not counted costs nothing.
  Residual with_readout{make_residual(/*readout_maskable=*/false)};
  const auto uncounted = method_on(*with_readout.network, "dense", kBoth + "lambda_neuron = 0.01");
  with_readout.step(*uncounted, at::zeros({3, 2, 1, 4, 4}), {0, 4});
  EXPECT_EQ(scalars(*uncounted)[1].grad().abs().max().item<float>(), 0);
}

TEST(NeuronPruning, HasARateOfItsOwn) {
  const auto network = small_network();
  EXPECT_EQ(method_on(*network, "random", kBoth)->param_groups().back().lr, 1e-3);
  EXPECT_EQ(method_on(*network, "random", kBoth + "neuron_lr = 0.02")->param_groups().back().lr,
            0.02);
}

TEST(NeuronPruning, WrongOptionsAreOneSentenceEach) {
  const auto network = small_network();
  EXPECT_ERROR(method_on(*network, "random", kBoth + "target_conn = 1.5"), "target_conn", "1.5");
  EXPECT_ERROR(method_on(*network, "random", kBoth + "beta_min = 10\nbeta_max = 5"), "beta_max",
               "5", "10");
  EXPECT_ERROR(method_on(*network, "random", "granularity = \"neuron\""), "granularity", "neuron",
               "weight+neuron");
  const auto without_neurons = test::small_network_unmaskable("lif");
  EXPECT_ERROR(method_on(*without_neurons, "random", kBoth), "granularity", "no neurons");
}

TEST(NeuronPruning, ComposesWithSharedMasksAndLayerPatterns) {
  const auto network = small_network();
  const auto method = method_on(*network, "spikenm",
                                kBoth +
                                    "share = 2\npattern = \"auto:0.4\"\nauto_m = 8\n"
                                    "first_layer = \"dense\"\nlayer_pattern.\"conv3\" = \"1:4\"");
  EXPECT_EQ(method->layers().size(), 3u);
  search_step(*network, *method, {0, 2});
  for (const LayerMask& mask : harden_all(*method).weights) {
    EXPECT_TRUE(nm::audit(mask.mask).valid());
    EXPECT_EQ(mask.mask.layout.share, 2);
  }
}

}  // namespace
}  // namespace spikenm::sparsity
