// Two search steps followed with pencil and paper, from logits to new logits. Every number below is
// written out beside how it comes about and compared with what the real parts give: the method, its
// hooks, the layers, the loss and the optimiser of the logits. Blocks have M = 4 and keep at most
// 2, T = 2, one sample.
//
// The slope of the surrogate (ATan, alpha 2) is phi(u) = 1 / (1 + (pi u)^2):
//   phi(0) = 1, phi(1/4) = 0.618486, phi(1/2) = 0.288400, phi(1) = 0.092000.
#include "spikenm/core/random.h"
#include "spikenm/kernels/math/block_draw.h"
#include "spikenm/nn/optimizer.h"
#include "spikenm/sparsity/temperature.h"
#include "spikenm/train/loss.h"
#include "support/small_network.h"
#include "support/tensors.h"
#include "support/tiny_network.h"

#include <gtest/gtest.h>

#include <cmath>

namespace spikenm::sparsity {
namespace {

using Numbers = std::vector<double>;
using test::floats;

constexpr float kLog2 = 0.69314718f;

void expect_numbers(const Tensor& found, const Numbers& wanted) {
  const auto values = test::values_of<double>(found.to(at::kDouble));
  ASSERT_EQ(values.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(values[i], wanted[i], 1e-5) << "at " << i;
}

// Keeps what enters each layer and what leaves it.
struct RecordingPass : nn::RunPass {
  RecordingPass() : RunPass(/*training=*/true) {}

  std::vector<Tensor> inputs;    // what enters each layer, [T,1,Cin]
  std::vector<Tensor> currents;  // what leaves it for its neurons, [T,1,Cout], with gradients
  std::vector<Tensor> spikes;    // [T,1,Cout]

  Tensor run(nn::Network& network, const Tensor& x) override { return Pass::run(network, x); }
  Tensor synapse(nn::Synapse& layer, const Tensor& x) override {
    inputs.push_back(x);
    currents.push_back(RunPass::synapse(layer, x));
    currents.back().retain_grad();
    return currents.back();
  }
  Tensor neuron(nn::Neuron& layer, const Tensor& x) override {
    return spikes.emplace_back(RunPass::neuron(layer, x));
  }
};

// What one step of the search leaves behind. Layers are counted from 0, and so are draws.
struct WorkedStep {
  uint64_t seed;
  StepInfo info;
  std::unique_ptr<nn::Network> network;
  std::unique_ptr<Pruning> method;
  RecordingPass pass;
  std::vector<Tensor> before;  // the logits of each layer, [4]
  std::vector<Tensor> task;    // the logits' gradient from the loss alone
  double loss = 0;

  WorkedStep(uint64_t of_seed, const StepInfo& at) : seed(of_seed), info(at) {}

  [[nodiscard]] Tensor logits(size_t layer) const {
    return method->param_groups()[0].tensors[layer];
  }

  // The step of the search phase, on frames x [T,1,C], towards a score of 1.
  void run(const test::TinyGraph& graph, const std::vector<std::vector<float>>& logit_values,
           const Tensor& x) {
    network = graph.make();
    method = test::method_on(*network, "spikenm", "preset = \"paper\"\nlogit_lr = 0.05", seed);
    for (size_t i = 0; i < logit_values.size(); ++i) {
      before.push_back(at::tensor(logit_values[i]));
      logits(i).detach().copy_(before[i].view({1, 4}));
    }
    const MethodHooks hooks(*method);
    method->begin_step(info);
    const Tensor scores = network->forward(pass, x);
    const Tensor value = train::losses().find("mse")(scores, at::zeros({1}, at::kLong));
    loss = value.item<double>();
    value.backward();
    for (size_t i = 0; i < logit_values.size(); ++i) task.push_back(logits(i).grad().clone());
    method->after_backward(info);
    const ParamGroup group = method->param_groups()[0];
    nn::Optimizer(group.tensors, group.optimizer).step(group.lr);
  }

  // g_k of a layer's only block, as the draw addressed it.
  [[nodiscard]] Tensor noise(size_t layer, int32_t k) const {
    Numbers g;
    for (int32_t s = 0; s < 4; ++s)
      g.push_back(kernels::gumbel_at(
          seed, random_stream(RandomUse::kMaskDraw, static_cast<uint32_t>(layer)),
          static_cast<uint32_t>(info.step), /*b=*/0, k, s, /*m=*/4));
    return at::tensor(g);
  }

  // y~_k = softmax((theta + g_k) / tau).
  [[nodiscard]] Tensor relaxed(size_t layer, int32_t k) const {
    const double tau = temperature(1, 0.1, info.progress());
    return ((before[layer] + noise(layer, k)) / tau).softmax(0);
  }

  [[nodiscard]] Tensor keep(size_t layer) const { return harden_all(*method).weights[layer].keep; }

  // g^t = dL/d current_t times the input of step t: the gradient through the use of W at t.
  [[nodiscard]] Tensor gradient_of(size_t layer, int64_t t) const {
    return at::mm(pass.currents[layer].grad()[t].t(), pass.inputs[layer][t]);
  }

  // The logits' gradient from the distillation alone.
  [[nodiscard]] Tensor distilled(size_t layer) const { return logits(layer).grad() - task[layer]; }
};

// ---- Example 1: four inputs, one integrate-and-fire neuron -----------------------------------
//
//   inputs   x_1 = (1, 1, 0, 0)   x_2 = (-1, 1, 1, 1)
//   weights  W = (0.8, 0.5, -0.6, 0.5)   logits theta = (0, ln 2, 0, 0)
//   The first step of a search of 10: tau = 1.
struct OneLayer : testing::Test, WorkedStep {
  OneLayer() : WorkedStep(/*seed=*/14, {.step = 0, .steps = 10}) {
    test::TinyGraph graph(4);
    graph.flatten();
    graph.synapse("fc", floats({0.8f, 0.5f, -0.6f, 0.5f}, {1, 4, 1, 1}));
    graph.neuron("out");
    run(graph, {{0, kLog2, 0, 0}}, floats({1, 1, 0, 0, -1, 1, 1, 1}, {2, 1, 4}));
  }
};

TEST_F(OneLayer, LogitsPlusNoiseDrawTheMask) {
  // theta + g_0 = (0.782924, 1.328570, 0.267953, -0.558663): the largest is position 1.
  expect_numbers(noise(0, 0), {0.782924, 0.635423, 0.267953, -0.558663});
  // theta + g_1 = (0.116370, 1.200865, -0.012125, 2.028112): the largest is position 3.
  expect_numbers(noise(0, 1), {0.116370, 0.507718, -0.012125, 2.028112});
  expect_numbers(keep(0), {0, 1, 0, 1});
  expect_numbers(method->effective_weight(0, network->synapses()[0].weight), {0, 0.5, 0, 0.5});
}

TEST_F(OneLayer, EffectiveWeightsMakeCurrentSpikesAndLoss) {
  // 0.5 * 1 + 0.5 * 0 and 0.5 * 1 + 0.5 * 1.
  expect_numbers(pass.currents[0], {0.5, 1.0});
  // h_1 = 0.5 stays below 1; h_2 = 0.5 + 1.0 = 1.5 fires.
  expect_numbers(pass.spikes[0], {0, 1});
  EXPECT_NEAR(loss, 0.25, 1e-5);  // (1/2 - 1)^2
}

TEST_F(OneLayer, EveryTimeStepHasItsGradientAndItsCredit) {
  // dL/do_t = 2 (1/2 - 1) / 2 = -1/2. Both membranes are 1/2 from the threshold: phi = 0.288400.
  // delta_2 = -1/2 phi = -0.144200. Step 1 did not fire, so its membrane flows on:
  // delta_1 = -1/2 phi + delta_2 = -0.288400.
  expect_numbers(pass.currents[0].grad(), {-0.288400, -0.144200});
  // g^t = delta_t x_t.
  expect_numbers(gradient_of(0, 0), {-0.288400, -0.288400, 0, 0});
  expect_numbers(gradient_of(0, 1), {0.144200, -0.144200, -0.144200, -0.144200});
  // C = |g^1| + |g^2|; position 0, whose two gradients oppose each other, keeps the sum of both.
  expect_numbers(method->credit(0)->credit, {0.432601, 0.432601, 0.144200, 0.144200});
  // g^1 + g^2 = (-0.144200, -0.432601, -0.144200, -0.144200), and the mask on it.
  expect_numbers(network->synapses()[0].weight.grad(), {0, -0.432601, 0, -0.144200});
}

TEST_F(OneLayer, CreditsPullTheProbabilities) {
  // C over its mean 0.288400 is (3/2, 3/2, 1/2, 1/2); q = softmax of it: e/(2e + 2), 1/(2e + 2).
  const Tensor credit = method->credit(0)->credit.flatten();
  expect_numbers((credit / credit.mean()).softmax(0), {0.365529, 0.365529, 0.134471, 0.134471});
  // pi = softmax(theta) = (1, 2, 1, 1) / 5.
  expect_numbers(before[0].softmax(0), {0.2, 0.4, 0.2, 0.2});
  // KL = sum q ln(q/pi) = 0.220425 - 0.032941 - 0.053381 - 0.053381.
  EXPECT_NEAR(method->take_statistics().at("eid_kl").get<double>(), 0.080722, 1e-5);
  // lambda/B (pi - q) with lambda = 5 and B = 1.
  expect_numbers(distilled(0), {-0.827646, 0.172354, 0.327646, 0.327646});
}

TEST_F(OneLayer, TheLossReachesTheLogitsThroughTheRelaxedDraws) {
  // G = (g^1 + g^2) W = (-0.115360, -0.216300, 0.086520, -0.072100). Draw 0 took position 1, draw 1
  // took 3; what the other draw holds anyway does not depend on this one:
  // u_0 = (-0.115360, -0.216300, 0.086520, 0), u_1 = (-0.115360, 0, 0.086520, -0.072100).
  expect_numbers(relaxed(0, 0), {0.278966, 0.481417, 0.166687, 0.072930});
  expect_numbers(relaxed(0, 1), {0.086190, 0.254946, 0.075797, 0.583066});
  // sum_s y~_s u_s is -0.121890 and -0.045424; y~ (u - that) is
  // (0.001822, -0.045451, 0.034739, 0.008889) and (-0.006028, 0.011581, 0.010001, -0.015554).
  expect_numbers(task[0], {-0.004206, -0.033870, 0.044740, -0.006664});
}

TEST_F(OneLayer, AdamMovesTheLogitsByItsRate) {
  // task + distillation.
  expect_numbers(logits(0).grad(), {-0.831853, 0.138484, 0.372387, 0.320982});
  // At the first step m^ = g and v^ = g^2, so Adam moves by 0.05 g/|g| against the gradient.
  expect_numbers(logits(0), {0.05, kLog2 - 0.05, -0.05, -0.05});
}

// ---- Example 2: one input, four leaky neurons, one integrate-and-fire neuron ------------------
//
//   input    x_t = 2 at both steps
//   layer 0  W = (0.6, -0.8, 1, 0.4)    theta = (0, 0, ln 2, 0)     LIF: h = v/2 + current/2
//   layer 1  W = (0.5, 0.5, 0.75, -1)   theta = (0, ln 2, ln 2, 0)  IF
//   Half way through a search of 10 steps.
struct TwoLayers : testing::Test, WorkedStep {
  TwoLayers() : WorkedStep(/*seed=*/14317, {.step = 5, .steps = 10}) {
    test::TinyGraph graph;
    graph.flatten();
    graph.synapse("fc1", floats({0.6f, -0.8f, 1, 0.4f}, {4, 1, 1, 1}));
    graph.neuron("hidden", {.neuron = graph::NeuronKind::kLif});
    graph.synapse("fc2", floats({0.5f, 0.5f, 0.75f, -1}, {1, 4, 1, 1}));
    graph.neuron("out");
    run(graph, {{0, 0, kLog2, 0}, {0, kLog2, kLog2, 0}}, floats({2, 2}, {2, 1, 1}));
  }
};

TEST_F(TwoLayers, LogitsPlusNoiseDrawTheMasks) {
  // theta + g: (0.301001, 0.862502, 1.256617, 0.856959) and (0.016111, 0.679342, 1.208935,
  // -0.795810): both draws of layer 0 take position 2, and its block keeps one weight.
  expect_numbers(noise(0, 0), {0.301001, 0.862502, 0.563470, 0.856959});
  expect_numbers(noise(0, 1), {0.016111, 0.679342, 0.515788, -0.795810});
  expect_numbers(keep(0), {0, 0, 1, 0});
  // theta + g: (0.876619, 2.319759, 1.007613, 0.308028) takes 1, (0.489214, 0.725160, 0.992269,
  // -0.637399) takes 2.
  expect_numbers(noise(1, 0), {0.876619, 1.626612, 0.314466, 0.308028});
  expect_numbers(noise(1, 1), {0.489214, 0.032013, 0.299122, -0.637399});
  expect_numbers(keep(1), {0, 1, 1, 0});
}

TEST_F(TwoLayers, EffectiveWeightsMakeCurrentsSpikesAndLoss) {
  expect_numbers(pass.currents[0], {0, 0, 2, 0, 0, 0, 2, 0});  // 2 W_eff at both steps
  // Hidden neuron 2: h_1 = 2/2 = 1 fires (equality does) and resets to 0, so h_2 = 1 fires too.
  expect_numbers(pass.spikes[0], {0, 0, 1, 0, 0, 0, 1, 0});
  expect_numbers(pass.currents[1], {0.75, 0.75});
  expect_numbers(pass.spikes[1], {0, 1});  // h_1 = 0.75, h_2 = 1.5
  EXPECT_NEAR(loss, 0.25, 1e-5);           // (1/2 - 1)^2
}

TEST_F(TwoLayers, GradientsAndCreditsOfTheLastLayer) {
  // dL/do_t = -1/2; delta_2 = -1/2 phi(1/2) = -0.144200; delta_1 = -1/2 phi(1/4) + delta_2.
  expect_numbers(pass.currents[1].grad(), {-0.453443, -0.144200});
  // Only hidden neuron 2 spiked.
  expect_numbers(gradient_of(1, 0), {0, 0, -0.453443, 0});
  expect_numbers(gradient_of(1, 1), {0, 0, -0.144200, 0});
  expect_numbers(method->credit(1)->credit, {0, 0, 0.597644, 0});
  expect_numbers(network->synapses()[1].weight.grad(), {0, 0, -0.597644, 0});
}

TEST_F(TwoLayers, GradientsAndCreditsOfTheFirstLayer) {
  // The error of hidden neuron j is W_eff,j delta_t: 0.5 delta_t for 1, 0.75 delta_t for 2.
  // Neuron 1 never spiked (h = 0, phi(1)), and half of its membrane's error flows back in time:
  //   delta_2 = -0.072100 * 0.092 = -0.006633, delta_1 = -0.226722 * 0.092 + delta_2/2 = -0.024175.
  // Neuron 2 stood at its threshold (phi = 1), and its reset cuts the flow:
  //   delta_2 = -0.108150, delta_1 = -0.340083. The current counts half (tau = 2).
  expect_numbers(pass.currents[0].grad(), {0, -0.012087, -0.170041, 0, 0, -0.003317, -0.054075, 0});
  expect_numbers(gradient_of(0, 0), {0, -0.024175, -0.340083, 0});  // times x_t = 2
  expect_numbers(gradient_of(0, 1), {0, -0.006633, -0.108150, 0});
  // Position 1 was not drawn and earns credit all the same.
  expect_numbers(method->credit(0)->credit, {0, 0.030808, 0.448233, 0});
  expect_numbers(network->synapses()[0].weight.grad(), {0, 0, -0.448233, 0});
}

TEST_F(TwoLayers, CreditsPullTheProbabilities) {
  // C over its mean: (0, 0.257248, 3.742752, 0) and (0, 0, 4, 0); q = softmax of it.
  const auto target = [&](size_t layer) {
    const Tensor credit = method->credit(layer)->credit.flatten();
    return (credit / credit.mean()).softmax(0);
  };
  expect_numbers(target(0), {0.021974, 0.028421, 0.927630, 0.021974});
  expect_numbers(target(1), {0.017362, 0.017362, 0.947915, 0.017362});
  expect_numbers(before[0].softmax(0), {0.2, 0.2, 0.4, 0.2});
  expect_numbers(before[1].softmax(0), {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6});
  // The mean of KL(q || pi) over the two blocks: (0.627780 + 0.860850) / 2.
  EXPECT_NEAR(method->take_statistics().at("eid_kl").get<double>(), 0.744315, 1e-5);
  // lambda/B (pi - q) with lambda = 5 and B = 2.
  expect_numbers(distilled(0), {0.445064, 0.428947, -1.319075, 0.445064});
  expect_numbers(distilled(1), {0.373262, 0.789929, -1.536454, 0.373262});
}

TEST_F(TwoLayers, TheLossReachesTheLogitsThroughTheRelaxedDraws) {
  // tau = 1 (0.1/1)^(5/10) = 0.316228.
  EXPECT_NEAR(method->take_statistics().at("tau").get<double>(), 0.316228, 1e-5);
  // Layer 0: G = (0, 0.024646, -0.448233, 0). Both draws took position 2, so each sees it held by
  // the other: u = (0, 0.024646, 0, 0) twice.
  expect_numbers(relaxed(0, 0), {0.030088, 0.177637, 0.617725, 0.174551});
  expect_numbers(relaxed(0, 1), {0.018979, 0.154571, 0.824994, 0.001456});
  // sum_s y~_s u_s is 0.004378 and 0.003810; y~ (u - that) / tau is
  // (-0.000417, 0.011385, -0.008552, -0.002417) and (-0.000229, 0.010185, -0.009939, -0.000018).
  expect_numbers(task[0], {-0.000645, 0.021570, -0.018491, -0.002434});
  // Layer 1: G = (0, 0, -0.448233, 0). Draw 0 finds position 2 held by draw 1: u_0 = 0. Draw 1 took
  // position 2 itself: u_1 = G, sum_s y~_s u_s = -0.273439.
  expect_numbers(relaxed(1, 1), {0.124303, 0.262133, 0.610039, 0.003526});
  expect_numbers(task[1], {0.107484, 0.226664, -0.337196, 0.003049});
}

TEST_F(TwoLayers, AdamMovesTheLogitsByItsRate) {
  expect_numbers(logits(0).grad(), {0.444419, 0.450518, -1.337566, 0.442630});
  expect_numbers(logits(1).grad(), {0.480746, 1.016593, -1.873650, 0.376311});
  expect_numbers(logits(0), {-0.05, -0.05, kLog2 + 0.05, -0.05});
  expect_numbers(logits(1), {-0.05, kLog2 - 0.05, kLog2 + 0.05, -0.05});
}

}  // namespace
}  // namespace spikenm::sparsity
