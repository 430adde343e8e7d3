#include "spikenm/sparsity/pruning.h"

#include "support/expect_error.h"
#include "support/small_network.h"

#include <gtest/gtest.h>

namespace spikenm::sparsity {
namespace {

using test::method_on, test::small_network;

// A parameter that SGD trains by its own rule.
class TrainsByDescent : public Method {
 public:
  TrainsByDescent() : Method({}), own(at::ones({2}).set_requires_grad(true)) {}
  std::vector<ParamGroup> param_groups() override {
    return {{.tensors = {own},
             .lr = 0.5,
             .optimizer = {.kind = nn::OptimizerKind::kSgd, .momentum = 0}}};
  }
  Tensor own;
};

TEST(Pruning, AMethodMayAskForAnotherOptimizerThanAdam) {
  auto method = std::make_unique<TrainsByDescent>();
  const Tensor own = method->own;
  Pruning pruning(std::move(method));
  own.mutable_grad() = at::tensor({1.F, -4.F});
  pruning.step_parameters(/*factor=*/0.5, {});
  EXPECT_TRUE(at::equal(own.detach(), at::tensor({0.75F, 2.F})));  // 1 - 0.25 g
}

TEST(Pruning, MethodsOfWeightsAndNeuronsStandSideBySide) {
  const auto network = small_network();
  const auto both = method_on(*network, "random", "granularity = \"weight+neuron\"");
  ASSERT_EQ(both->all().size(), 2u);
  EXPECT_EQ(both->all()[0]->layers().size(), 4u);
  EXPECT_TRUE(both->all()[0]->neurons().empty());
  EXPECT_TRUE(both->all()[1]->layers().empty());
  EXPECT_EQ(both->all()[1]->neurons().size(), both->neurons().size());
  EXPECT_EQ(method_on(*network, "random", "")->all().size(), 1u);
}

TEST(Pruning, ReadsWhichLayersAreMaskedByAnyRule) {
  const auto network = small_network();
  const auto names = [&](const std::string& toml) {
    const auto method = method_on(*network, "stds", toml);
    std::string found;
    for (const MaskableLayer& layer : method->layers())
      found += layer.synapse->name + " " + layer.rule_text() + ";";
    return found;
  };
  EXPECT_EQ(names("layers = [\"conv*\"]\nfirst_layer = \"dense\""),
            "conv2 unstructured;conv3 unstructured;");
  EXPECT_EQ(names("layers = [\"conv1\", \"fc*\"]\nlast_layer = \"dense\""), "conv1 unstructured;");
  EXPECT_ERROR(names("layers = [\"conv1\"]\nfirst_layer = \"dense\""), "layers", "no layer");
  EXPECT_ERROR(names("layers = [\"none\"]"), "'none' matches no layer");
}

}  // namespace
}  // namespace spikenm::sparsity
