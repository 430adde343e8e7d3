#include "spikenm/train/search_hooks.h"

#include "support/small_network.h"
#include "support/tensors.h"

#include <gtest/gtest.h>

#include <cmath>

namespace spikenm::train {
namespace {

using sparsity::Pruning;
using test::method_on, test::small_network;

// Step `step` of a search of 100, which is half of the training.
Position at_step(int64_t step) {
  return {.phase_step = step, .phase_steps = 100, .step = step, .steps = 200};
}

nn::Optimizer optimizer_of(const nn::Network& network, const nn::OptimizerOptions& options = {}) {
  std::vector<at::Tensor> tensors;
  for (const nn::NamedTensor& p : network.parameters()) tensors.push_back(p.tensor);
  return {tensors, options};
}

// How far a step moves a parameter of the method's own whose gradient is `gradient` everywhere.
at::Tensor moved_by_step(nn::Network& network, Pruning& method, const at::Tensor& own,
                         const Schedule& schedule, int64_t step, double gradient) {
  nn::Optimizer weights = optimizer_of(network);
  SearchHooks search(method, schedule, weights);
  const StepHooks hooks = search.hooks();
  hooks.before_forward(at_step(step));
  const at::Tensor before = own.detach().clone();
  own.mutable_grad() = at::full_like(own, gradient);
  hooks.after_backward(at_step(step), {});
  hooks.step_parameters(at_step(step), {});
  return before - own.detach();
}

// Adam's first step is its rate whatever the gradient.
TEST(SearchHooks, LogitsLearnAtTheirOwnRateTimesTheSchedule) {
  const auto network = small_network();
  const auto method = method_on(*network, "spikenm", "lambda_eid = 0\nlogit_lr = 0.02");
  const at::Tensor logits = method->param_groups().at(0).tensors.at(1);
  const Schedule two_cosines{.kind = Schedule::Kind::kTwoCosines, .lr = 0.3},
      constant{.kind = Schedule::Kind::kConstant, .lr = 0.3};
  for (const auto& [step, factor] :
       {std::pair{0, 1.0}, std::pair{25, 0.853553}, std::pair{50, 0.5}, std::pair{75, 0.146447}}) {
    const at::Tensor moved = moved_by_step(*network, *method, logits, two_cosines, step, 4);
    EXPECT_TRUE(test::tensors_close(moved, at::full_like(moved, 0.02 * factor), {1e-3, 1e-6}))
        << step;
    const at::Tensor steady = moved_by_step(*network, *method, logits, constant, step, 4);
    EXPECT_TRUE(test::tensors_close(steady, at::full_like(steady, 0.02), {1e-3, 1e-6})) << step;
  }
}

TEST(SearchHooks, LogitsThatIgnoreTheScheduleKeepTheirRate) {
  const auto network = small_network();
  const auto method =
      method_on(*network, "spikenm", "lambda_eid = 0\nlogit_lr = 0.02\nlogit_schedule = false");
  const at::Tensor logits = method->param_groups().at(0).tensors.at(1);
  const Schedule two_cosines{.kind = Schedule::Kind::kTwoCosines, .lr = 0.3};
  for (const int step : {0, 50, 99}) {
    const at::Tensor moved = moved_by_step(*network, *method, logits, two_cosines, step, 4);
    EXPECT_TRUE(test::tensors_close(moved, at::full_like(moved, 0.02), {1e-3, 1e-6})) << step;
  }
}

// With a prior of nothing but |w| and no noise the mask is that of the largest weights, so the test
// can drop a weight and bring it back.
TEST(SearchHooks, AWeightThatComesBackKeepsItsValueOrStartsFromZeroWithoutMoments) {
  for (const bool from_zero : {false, true}) {
    const auto network = small_network();
    const auto method = method_on(
        *network, "spikenm",
        std::string("draws_start = 0\nnoise = 0\nlogit_lr = 0\nredraw_every = 1\nregrow = ") +
            (from_zero ? "\"zero\"" : "\"keep\""));
    nn::Optimizer weights =
        optimizer_of(*network, {.kind = nn::OptimizerKind::kSgd, .momentum = 0.9});
    const Schedule schedule;
    SearchHooks search(*method, schedule, weights);
    const StepHooks hooks = search.hooks();
    at::Tensor weight = network->synapses()[2].weight;
    weight.mutable_grad() = at::ones_like(weight);
    weights.step(0);  // the momentum of every weight is 1
    hooks.before_forward(at_step(0));
    const at::Tensor before = network->synapses()[2].hook->effective(weight).detach().ne(0);
    {
      const at::NoGradGuard no_grad;
      weight.copy_(at::where(before, weight * 1e-6, weight));  // the others are larger now
    }
    const at::Tensor values = weight.detach().clone();
    hooks.before_forward(at_step(1));
    const at::Tensor came_back = before.logical_not();
    ASSERT_GT(came_back.sum().item<int64_t>(), 10);
    const at::Tensor touched = from_zero ? came_back : at::zeros_like(came_back);
    EXPECT_TRUE(at::equal(weight.detach(), values.masked_fill(touched, 0)));

    const at::Tensor rested = weight.detach().clone();
    weight.mutable_grad() = at::zeros_like(weight);
    weights.step(0.1);
    EXPECT_TRUE(at::equal(weight.detach().ne(rested), touched.logical_not()));
  }
}

// Weights and neurons have groups of their own, each with its rate.
TEST(SearchHooks, EveryGroupHasItsOwnRate) {
  const Schedule schedule{.kind = Schedule::Kind::kTwoCosines};
  const auto first_step = [&](size_t group, size_t tensor, double batch) {
    const auto network = small_network();
    const auto method = method_on(*network, "spikenm",
                                  "lambda_eid = 0\nlogit_lr = 0.02\nneuron_lr = 0.5\n"
                                  "granularity = \"weight+neuron\"\nlambda_neuron = 1");
    const auto groups = method->param_groups();
    EXPECT_EQ(groups.size(), 2u);
    return moved_by_step(*network, *method, groups.at(group).tensors.at(tensor), schedule, 50,
                         batch);
  };
  // The penalty alone is the gates' gradient: it closes them.
  const at::Tensor by_penalty = first_step(1, 0, 0);
  EXPECT_NEAR(by_penalty.min().item<double>(), 0.25, 1e-4);
  EXPECT_NEAR(by_penalty.max().item<double>(), 0.25, 1e-4);
  const at::Tensor by_logits = first_step(0, 1, 4);
  EXPECT_NEAR(by_logits.min().item<double>(), 0.01, 1e-5);
  EXPECT_NEAR(by_logits.max().item<double>(), 0.01, 1e-5);
}

TEST(SearchHooks, WhatAMethodRewiresLosesItsMoments) {
  const auto network = small_network();
  const auto method = method_on(*network, "rewire", "every = 1\nfraction = 0.5");
  nn::Optimizer weights =
      optimizer_of(*network, {.kind = nn::OptimizerKind::kSgd, .momentum = 0.9});
  const Schedule schedule;
  SearchHooks search(*method, schedule, weights);
  at::Tensor weight = network->synapses()[2].weight;
  weight.mutable_grad() = at::ones_like(weight);
  weights.step(0.1);  // the momentum of every weight is 1
  const at::Tensor before = sparsity::harden_all(*method).weights[2].keep;
  search.hooks().after_step(at_step(0));
  const at::Tensor changed = sparsity::harden_all(*method).weights[2].keep.ne(before);
  ASSERT_GT(changed.sum().item<int64_t>(), 10);
  const at::Tensor rested = weight.detach().clone();
  weight.mutable_grad() = at::zeros_like(weight);
  weights.step(0.1);
  EXPECT_TRUE(at::equal(weight.detach().ne(rested), changed.logical_not()));
}

TEST(SearchHooks, TheMethodIsInTheNetworkForAsLongAsTheyLive) {
  const auto network = small_network();
  const auto method = method_on(*network, "spikenm", "");
  nn::Optimizer weights = optimizer_of(*network);
  const Schedule schedule;
  const nn::Synapse& conv2 = network->synapses()[1];
  {
    const SearchHooks search(*method, schedule, weights);
    ASSERT_NE(conv2.hook, nullptr);
    EXPECT_LT(conv2.hook->effective(at::ones_like(conv2.weight)).mean().item<double>(), 1.01);
  }
  EXPECT_EQ(conv2.hook, nullptr);
}

}  // namespace
}  // namespace spikenm::train
