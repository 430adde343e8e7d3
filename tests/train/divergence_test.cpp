#include "spikenm/train/divergence.h"

#include "spikenm/core/diverged.h"
#include "support/expect_error.h"
#include "support/small_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace spikenm::train {
namespace {

using test::method_on, test::search_step, test::small_network;

std::vector<std::string> names_of(const std::vector<nn::NamedTensor>& tensors) {
  std::vector<std::string> names;
  for (const nn::NamedTensor& t : tensors) names.push_back(t.name);
  return names;
}

TEST(CheckFinite, ANumberIsNamedWithItsPlace) {
  check_finite(1e300, "the loss", "here");
  EXPECT_ERROR(check_finite(NAN, "the loss", "in batch 3"), "the loss became nan in batch 3",
               "train.lr", "train.clip_norm");
  EXPECT_ERROR(check_finite(-INFINITY, "the loss", ""), "-inf");
  EXPECT_THROW(check_finite(INFINITY, "the loss", ""), Diverged);
}

TEST(CheckFinite, TheFirstTensorIsNamedAndTheOthersAreCounted) {
  const at::Tensor good = at::full({3}, 3e38f), empty = at::empty({0}),
                   bad = at::tensor({1.0f, NAN}), infinite = at::tensor({-INFINITY});
  check_finite({}, "here");
  check_finite({{"good", good}, {"empty", empty}}, "here");  // though their sum is not finite
  EXPECT_ERROR(check_finite({{"good", good}, {"bad", bad}}, "in batch 3"),
               "train: bad left the finite numbers in batch 3");
  EXPECT_ERROR(check_finite({{"infinite", infinite}, {"good", good}, {"bad", bad}}, "there"),
               "infinite and 1 other tensors");
  EXPECT_THROW(check_finite({{"bad", bad}}, ""), Diverged);
}

TEST(TrainedTensors, AreWeightsStatisticsAndWhatTheMethodKeeps) {
  const auto network = small_network();
  for (const auto& [method, own] :
       {std::pair{"spikenm", "conv2.logits"}, std::pair{"pattern-class", "conv2.logits"},
        std::pair{"rewire", "conv2.credit"}}) {
    const auto made = method_on(*network, method, "");
    const auto names = names_of(trained_tensors(*network, *made));
    const std::string norm = network->norms()[0].name;
    for (const std::string& name : {std::string("conv1.weight"), norm + ".running_mean",
                                    norm + ".running_var", std::string(own)})
      EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << method << " " << name;
  }
  const auto gated = method_on(*network, "dense", "granularity = \"weight+neuron\"");
  EXPECT_EQ(trained_tensors(*network, *gated).size(),
            trained_tensors(*network, *method_on(*network, "dense", "")).size() +
                gated->neurons().size());
}

TEST(TrainedTensors, AStatisticOrACreditThatIsNotFiniteIsNamed) {
  const auto network = small_network();
  const auto rewire = method_on(*network, "rewire", "");
  search_step(*network, *rewire);
  check_finite(trained_tensors(*network, *rewire), "here");
  rewire->credit(2)->credit.fill_(INFINITY);
  rewire->after_backward({});
  rewire->after_step({.steps = 1000}, [](const at::Tensor&, const at::Tensor&) {});
  EXPECT_ERROR(check_finite(trained_tensors(*network, *rewire), "here"), "conv3.credit");
  network->norms()[1].state.running_var.fill_(NAN);
  EXPECT_ERROR(check_finite(trained_tensors(*network, *rewire), "here"),
               (network->norms()[1].name + ".running_var").c_str());
}

}  // namespace
}  // namespace spikenm::train
