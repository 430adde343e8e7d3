#include "spikenm/train/mask_watch.h"

#include "spikenm/train/state_copy.h"
#include "support/small_network.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace spikenm::train {
namespace {

using test::method_on, test::small_network;

sparsity::Masks masks_of(nn::Network& network, const std::vector<std::vector<uint8_t>>& keep) {
  sparsity::Masks masks;
  for (size_t i = 0; i < keep.size(); ++i)
    masks.weights.push_back({.synapse = &network.synapses()[i],
                             .mask = {},
                             .bits = at::tensor(keep[i], at::kByte),
                             .keep = {},
                             .used = {}});
  return masks;
}

TEST(MaskWatch, CountsWhatIsKeptAndWhatOfItIsNew) {
  const auto network = small_network();
  const std::string a = network->synapses()[0].name, b = network->synapses()[1].name;
  MaskWatch watch;
  EXPECT_EQ(watch.look({}), Json::object());
  EXPECT_EQ(watch.look(masks_of(*network, {{1, 1, 0, 0}, {1, 0}})),
            (Json{{"density", 0.5}, {"layer_density", {{a, 0.5}, {b, 0.5}}}}));
  // Of four kept weights the second of the first layer and the first of the second are old.
  EXPECT_EQ(
      watch.look(masks_of(*network, {{0, 1, 1, 1}, {1, 0}})),
      (Json{{"density", 4.0 / 6}, {"layer_density", {{a, 0.75}, {b, 0.5}}}, {"flip_rate", 0.5}}));
  EXPECT_EQ(watch.look(masks_of(*network, {{0, 1, 0, 0}, {0, 0}})),
            (Json{{"density", 1.0 / 6}, {"layer_density", {{a, 0.25}, {b, 0}}}, {"flip_rate", 0}}));
  EXPECT_EQ(watch.look(masks_of(*network, {{0, 0, 0, 0}, {0, 0}}))["flip_rate"], 0);
}

TEST(MaskWatch, ItsStateIsTheLastMasks) {
  const auto network = small_network();
  const auto method = method_on(*network, "random", "");
  const auto other = method_on(*network, "random", "", /*seed=*/7);
  MaskWatch watch, fresh;
  const auto hash = [&](MaskWatch& w) {
    return hash_state([&](nn::StateVisitor& visitor) { w.visit_state(visitor, *method); });
  };
  watch.look(sparsity::harden_all(*method));
  EXPECT_NE(hash(watch), hash(fresh));
  const Json found = watch.look(sparsity::harden_all(*other));
  EXPECT_GT(found["flip_rate"], 0.3);  // two random masks of 2:4 share half of their weights
  EXPECT_LT(found["flip_rate"], 0.7);
}

}  // namespace
}  // namespace spikenm::train
