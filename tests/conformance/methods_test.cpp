// What every pruning method must do, whatever it is.
#include "support/small_network.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace spikenm::sparsity {
namespace {

using test::hardened, test::method_on, test::search_step, test::small_network;

// Whether the method reads a key: one that it does not read is rejected.
bool reads(const std::string& name, const std::string& key, const std::string& value) {
  const auto network = small_network();
  const Config config = Config::from_text(key + " = \"" + value + "\"", "test");
  (void)methods().find(name)(*network, config, 0);
  try {
    config.reject_unread();
  } catch (const Error&) {
    return false;
  }
  return true;
}

std::vector<std::string> axes_of(const std::string& name) {
  std::vector<std::string> lines{""};
  if (reads(name, "axis", "in")) lines = {"axis = \"flat\"\n", "axis = \"in\"\n"};
  return lines;
}

TEST(EveryMethod, HasItsOwnNameAndASummary) {
  std::set<std::string> names;
  for (const auto& row : methods().rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.summary.empty()) << row.name;
  }
  EXPECT_GE(names.size(), 4u);
}

TEST(EveryMethod, HardensToAValidMaskOfItsPatternBeforeAndAfterTraining) {
  for (const auto& row : methods().rows())
    for (const std::string& axis : axes_of(row.name))
      for (const std::string pattern : {"2:4", "1:4", "2:16", "4:4"}) {
        SCOPED_TRACE(row.name + " " + axis + pattern);
        const auto network = small_network();
        const auto method = method_on(*network, row.name, axis + "pattern = \"" + pattern + "\"");
        for (int64_t step = 0; step < 2; ++step) {
          for (const MaskableLayer& layer : method->layers()) {
            EXPECT_EQ(layer.pattern.text(), pattern);
            const nm::Mask mask = method->harden(layer.id);
            EXPECT_EQ(mask.kind, nm::Mask::Kind::kNm);
            const nm::MaskAudit audit = nm::audit(mask);
            EXPECT_TRUE(audit.valid()) << layer.synapse->name;
            EXPECT_EQ(audit.empty_blocks, 0) << layer.synapse->name;
            EXPECT_EQ(audit.weights, layer.synapse->weight.numel());
          }
          search_step(*network, *method, {step, 2});
        }
      }
}

TEST(EveryMethod, LetsGradientReachEveryWeightTensorAndItsOwnParameters) {
  for (const auto& row : methods().rows()) {
    const auto network = small_network();
    const auto method = method_on(*network, row.name, "");
    EXPECT_TRUE(std::isfinite(search_step(*network, *method))) << row.name;
    for (const nn::Synapse& synapse : network->synapses()) {
      ASSERT_TRUE(synapse.weight.grad().defined()) << row.name << " " << synapse.name;
      EXPECT_TRUE(synapse.weight.grad().isfinite().all().item<bool>()) << row.name;
      EXPECT_GT(synapse.weight.grad().abs().max().item<float>(), 0) << row.name << synapse.name;
    }
    for (const ParamGroup& group : method->param_groups())
      for (const Tensor& t : group.tensors) {
        ASSERT_TRUE(t.grad().defined()) << row.name;
        EXPECT_TRUE(t.grad().isfinite().all().item<bool>()) << row.name;
      }
  }
}

TEST(EveryMethod, GivesTheSameMasksAndGradientsForTheSameSeed) {
  for (const auto& row : methods().rows()) {
    std::vector<std::vector<uint8_t>> masks;
    std::vector<Tensor> gradients;
    for (int run = 0; run < 2; ++run) {
      const auto network = small_network();
      const auto method = method_on(*network, row.name, "", 9);
      for (int64_t step = 0; step < 3; ++step) search_step(*network, *method, {step, 3});
      masks.push_back(hardened(*method));
      gradients.push_back(network->synapses()[0].weight.grad());
    }
    EXPECT_EQ(masks[0], masks[1]) << row.name;
    EXPECT_TRUE(at::equal(gradients[0], gradients[1])) << row.name;
  }
}

TEST(EveryMethod, RedrawsNothingOutsideBeginStep) {
  for (const auto& row : methods().rows()) {
    const auto network = small_network();
    const auto method = method_on(*network, row.name, "");
    method->begin_step({0, 10});
    const auto masks = hardened(*method);
    for (const MaskableLayer& layer : method->layers()) {
      const Tensor once = method->effective_weight(layer.id, layer.synapse->weight);
      EXPECT_EQ(once.sizes(), layer.synapse->weight.sizes());
      EXPECT_TRUE(at::equal(method->effective_weight(layer.id, layer.synapse->weight), once))
          << row.name;
    }
    EXPECT_EQ(hardened(*method), masks) << row.name;
  }
}

TEST(EveryMethod, LeavesNoHookBehind) {
  for (const auto& row : methods().rows()) {
    const auto network = small_network();
    const auto method = method_on(*network, row.name, "");
    search_step(*network, *method);
    for (const nn::Synapse& synapse : network->synapses())
      EXPECT_EQ(synapse.hook, nullptr) << row.name;
  }
}

}  // namespace
}  // namespace spikenm::sparsity
