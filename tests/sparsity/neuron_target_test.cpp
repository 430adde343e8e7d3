// Neuron masks that a target asks for: how the search ends there, and which targets are refused.
#include "spikenm/sparsity/connectivity.h"
#include "spikenm/sparsity/neuron_pruning.h"
#include "support/expect_error.h"
#include "support/small_network.h"

#include <gtest/gtest.h>

namespace spikenm::sparsity {
namespace {

using test::method_on, test::small_network;

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

double conn(nn::Network& network, const Masks& masks) {
  return count_connections(network, masks).percent() / 100;
}

// The search is over and nothing was learnt: all m are 0. The first neurons are kept, as many as
// the target takes.
TEST(NeuronTarget, MeetsItsTargetAlsoWhereTheSearchDidNot) {
  const auto check = [](const std::string& name, double target) {
    const auto network = small_network();
    const auto method =
        method_on(*network, name, kBoth + fmt::format("axis = \"flat\"\ntarget_conn = {}", target));
    method->begin_step({3, 4});
    method->after_step({3, 4}, kNothing);
    const Masks masks = harden_all(*method);
    EXPECT_NEAR(conn(*network, masks) / target, 1, 0.02) << name << " " << target;
    const Tensor keep = masks.neurons[0].keep.flatten();
    EXPECT_FALSE(keep.diff().gt(0).any().item<bool>());  // ones first
    EXPECT_EQ(method->outcome().at("neuron_threshold"), 0);
    method->begin_step({0, 4});  // another search starts from m > 0 again
    EXPECT_EQ(method->harden_neurons(0).sum().item<float>(), 0);
  };
  for (const double target : {0.4, 0.6, 0.95}) check("dense", target);
  for (const double target : {0.2, 0.3, 0.4}) check("random", target);
}

// Values 1, 2, 3, …: the threshold that is reported parts the kept from the dropped.
TEST(NeuronTarget, ReportsTheThresholdItMovedTo) {
  const auto network = small_network();
  const auto method = method_on(*network, "dense", kBoth + "target_conn = 0.4");
  float next = 0;
  for (const Tensor& m : scalars(*method)) {
    give(m, ((at::arange(m.numel()) * 37).remainder(m.numel()) + 1 + next)
                    .to(at::kFloat)
                    .view(m.sizes()) /
                1000);
    next += static_cast<float>(m.numel());
  }
  method->begin_step({3, 4});
  method->after_step({3, 4}, kNothing);
  const double threshold = method->outcome().at("neuron_threshold");
  EXPECT_GT(threshold, 0);
  EXPECT_NEAR(conn(*network, harden_all(*method)), 0.4, 0.008);
  for (size_t i = 0; i < 2; ++i)
    EXPECT_TRUE(
        at::equal(method->harden_neurons(i), scalars(*method)[i].gt(threshold).to(at::kFloat)));
}

TEST(NeuronTarget, StaysAtZeroWhereTheSearchMetTheTarget) {
  const auto network = small_network();
  Masks all = harden_all(*method_on(*network, "dense", kBoth));
  all.neurons[0].keep = at::ones({16, 4, 4});
  all.neurons[1].keep = at::zeros({16, 2, 2});
  const double reached = conn(*network, all);
  const auto method =
      method_on(*network, "dense", kBoth + fmt::format("target_conn = {}", 1.015 * reached));
  give(scalars(*method)[0], at::ones({16, 4, 4}));
  method->begin_step({3, 4});
  method->after_step({3, 4}, kNothing);
  EXPECT_EQ(method->outcome().at("neuron_threshold"), 0);
  EXPECT_EQ(conn(*network, harden_all(*method)), reached);
  EXPECT_NEAR(method->take_statistics().at("conn_pct").get<double>(), 100 * reached, 1e-9);
}

TEST(NeuronTarget, ATargetThatCannotBeMetNamesTheRange) {
  const auto network = small_network();
  const auto ask = [&](double target) {
    return make_method("random", *network,
                       Config::from_text(fmt::format("[method]\n{}draws = \"exactly\"\n"
                                                     "axis = \"flat\"\ntarget_conn = {}",
                                                     kBoth, target),
                                         "test")
                           .section("method"),
                       0);
  };
  const auto method = method_on(*network, "random", kBoth + "draws = \"exactly\"\naxis = \"flat\"");
  Masks masks = harden_all(*method);
  const double least = conn(*network, masks);  // m is 0: no neuron is kept
  masks.neurons.clear();
  const double most = conn(*network, masks);
  EXPECT_ERROR(ask(0.99 * least), "method.target_conn", fmt::format("{:.4g}", least).c_str(),
               fmt::format("{:.4g}", most).c_str());
  EXPECT_ERROR(ask(1.01 * most), "method.target_conn", fmt::format("{:.4g}", least).c_str(),
               fmt::format("{:.4g}", most).c_str());
  EXPECT_NO_THROW(ask(1.01 * least));
  EXPECT_NO_THROW(ask(0.99 * most));
}

// esl keeps as many weights in each layer from the start, here between 0.12 and 0.18 of the connections. Other
// unstructured masks may end anywhere.
TEST(NeuronTarget, ATargetThatTheWeightsOfAnotherRuleCannotMeetIsRefused) {
  const auto network = small_network();
  EXPECT_ERROR(method_on(*network, "esl", kBoth + "target_weight = 0.1\ntarget_conn = 0.5"),
               "target_conn", "0.5", "(none)");
  EXPECT_NO_THROW(method_on(*network, "esl", kBoth + "target_weight = 0.1\ntarget_conn = 0.15"));
  EXPECT_NO_THROW(method_on(*network, "upr", kBoth + "target_weight = 0.1\ntarget_conn = 0.5"));
}

}  // namespace
}  // namespace spikenm::sparsity
