// What every pruning method must do, whatever it is.
#include "spikenm/graph/walks.h"
#include "support/small_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace spikenm::sparsity {
namespace {

using test::hardened, test::kept_in_block, test::method_on, test::search_step, test::small_network;

// Whether the method reads the key of a line: one that it does not read is rejected.
bool reads(const std::string& name, const std::string& line) {
  const auto network = small_network();
  const Config config = Config::from_text(line, "test");
  (void)methods().find(name)(*network, config, 0);
  try {
    config.reject_unread();
  } catch (const Error&) {
    return false;
  }
  return true;
}

// Every way blocks can lie that the method knows.
std::vector<std::string> layouts_of(const std::string& name) {
  if (!reads(name, "axis = \"in\"\n")) return {""};
  return {"axis = \"flat\"\n", "axis = \"in\"\n", "axis = \"in\"\nshare = 3\n",
          "axis = \"in\"\nshare_taps = true\n", "axis = \"in\"\nshare = 3\nshare_taps = true\n"};
}

// Keys that make a method change its mask at every step.
std::string busy(const std::string& name) {
  std::string lines;
  for (const char* line : {"every = 1\n", "mask_every = 1\n", "redraw_every = 1\n"})
    if (reads(name, line)) lines += line;
  return lines;
}

// A whole step, which is an epoch of its own: plain gradient descent on the weights and on what the
// method trains itself.
void train_step(nn::Network& network, Pruning& method, StepInfo info) {
  info.ends_epoch = true;
  search_step(network, method, info);
  {
    const at::NoGradGuard no_grad;
    for (const nn::NamedTensor& p : network.parameters())
      if (p.tensor.grad().defined()) p.tensor.sub_(p.tensor.grad(), 0.1);
    for (const ParamGroup& group : method.param_groups())
      for (const Tensor& t : group.tensors)
        if (t.grad().defined()) t.sub_(t.grad().sign(), 0.05);
  }
  method.after_step(info, [](const Tensor& parameter, const Tensor& keep) {
    EXPECT_EQ(parameter.sizes(), keep.sizes());
  });
}

// Masks of neurons are 0 and 1 in their shape. Those of channels hold whole ones, and the same that
// the weights of the layer before them keep.
void expect_valid_neuron_masks(const nn::Network& network, const Pruning& method) {
  const graph::Readers readers = graph::readers(network.graph());
  std::map<graph::NodeId, nm::Mask> before;  // by neurons, of the layer that drives them
  for (const MaskableLayer& layer : method.layers())
    if (layer.rule == nm::Mask::Kind::kChannel)
      if (const auto driven = graph::driven_neurons(network.graph(), readers, layer.synapse->node))
        before.emplace(*driven, method.harden(layer.id));

  for (const MaskableNeurons& neurons : method.neurons()) {
    SCOPED_TRACE(neurons.neuron->name);
    const Tensor keep = method.harden_neurons(neurons.id);
    ASSERT_EQ(keep.sizes(), at::IntArrayRef(neurons.shape));
    EXPECT_TRUE(keep.eq(0).logical_or(keep.eq(1)).all().item<bool>());
    const auto layer = before.find(neurons.neuron->node);
    if (layer == before.end()) continue;
    const Tensor places = keep.view({keep.size(0), -1});  // [C,HW]
    EXPECT_TRUE(at::equal(places.amin(1), places.amax(1)));
    const std::vector<uint8_t>& bits = layer->second.keep;
    const auto taps = static_cast<int64_t>(bits.size()) / keep.size(0);
    for (int64_t c = 0; c < keep.size(0); ++c) {
      const auto row = bits.begin() + c * taps;
      EXPECT_EQ(places[c][0].item<float>() != 0, std::find(row, row + taps, 1) != row + taps) << c;
    }
  }
}

void expect_valid_masks(const nn::Network& network, const Pruning& method,
                        const std::string& pattern) {
  expect_valid_neuron_masks(network, method);
  for (const MaskableLayer& layer : method.layers()) {
    if (layer.rule == nm::Mask::Kind::kNm) {
      EXPECT_EQ(layer.rule_text(), pattern);
    }
    const nm::Mask mask = method.harden(layer.id);
    EXPECT_EQ(mask.kind, layer.rule);
    const nm::MaskAudit audit = nm::audit(mask);
    EXPECT_TRUE(audit.valid()) << layer.synapse->name;
    EXPECT_EQ(audit.empty_blocks, 0) << layer.synapse->name;
    EXPECT_EQ(audit.weights, layer.synapse->weight.numel());
  }
}

TEST(EveryMethod, HardensToAValidMaskOfItsRuleAtAnyTimeOfTheSearch) {
  for (const auto& row : methods().rows()) {
    const std::string every_step = busy(row.name);
    for (const std::string& layout : layouts_of(row.name))
      for (const std::string pattern : {"2:4", "1:8", "2:16", "4:4"}) {
        if (pattern != "2:4" && !reads(row.name, "pattern = \"2:4\"")) continue;
        SCOPED_TRACE(row.name + " " + layout + pattern);
        // 10 and 20 channels: blocks leave tails, and groups of three are not always full.
        const auto network = small_network(10);
        const auto method =
            method_on(*network, row.name, every_step + layout + "pattern = \"" + pattern + "\"");
        for (int64_t step = 0; step < 3; ++step) {
          expect_valid_masks(*network, *method, pattern);
          train_step(*network, *method, {step, 3});
        }
        expect_valid_masks(*network, *method, pattern);
      }
  }
}

TEST(EveryMethod, HasValidMasksOfNeuronsBesideIt) {
  for (const auto& row : methods().rows()) {
    SCOPED_TRACE(row.name);
    const auto network = small_network();
    if (!method_on(*network, row.name, "")->neurons().empty()) continue;  // its own, seen above
    const auto method = method_on(*network, row.name, "granularity = \"weight+neuron\"");
    EXPECT_FALSE(method->neurons().empty());
    for (int64_t step = 0; step < 3; ++step) {
      train_step(*network, *method, {step, 3});
      expect_valid_neuron_masks(*network, *method);
    }
  }
}

TEST(EveryMethod, ThatKnowsTheDrawsRulesKeepsToThem) {
  for (const auto& row : methods().rows()) {
    if (!reads(row.name, "draws = \"exactly\"")) continue;
    for (const std::string draws : {"at-most", "exactly"}) {
      SCOPED_TRACE(row.name + " " + draws);
      const auto network = small_network();
      const auto method =
          method_on(*network, row.name, "pattern = \"3:8\"\ndraws = \"" + draws + "\"");
      std::set<int> counts;
      for (int64_t step = 0; step < 2; ++step) {
        train_step(*network, *method, {step, 2});
        for (const MaskableLayer& layer : method->layers()) {
          const nm::Mask mask = method->harden(layer.id);
          for (int64_t b = 0; b < mask.layout.n_blocks; ++b) counts.insert(kept_in_block(mask, b));
        }
      }
      if (draws == "exactly") {
        EXPECT_EQ(counts, std::set<int>{3});
      } else {
        EXPECT_GE(*counts.begin(), 1);
        EXPECT_LE(*counts.rbegin(), 3);
      }
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
      const auto method = method_on(*network, row.name, busy(row.name), 9);
      for (int64_t step = 0; step < 3; ++step) train_step(*network, *method, {step, 3});
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
