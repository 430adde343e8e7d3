#include "spikenm/sparsity/channel_method.h"

#include "support/channel_layers.h"
#include "support/expect_error.h"

#include <gtest/gtest.h>

namespace spikenm::sparsity {
namespace {

using test::two_channel_layers, test::values;

// Keeps the first channels of the first layer, all others and, if there is room, the second layer's.
class KeepsTheFirst : public ChannelMethod {
 public:
  KeepsTheFirst(nn::Network& network, const ChannelBudget& budget)
      : ChannelMethod(network, find_channels(network, Config())), budget_(budget) {}

 protected:
  [[nodiscard]] KeptChannels kept_channels() const override {
    return within(budget_, [](int64_t n) {
      return KeptChannels{at::arange(3).lt(n - 1).to(at::kFloat),
                          at::arange(2).lt(n - 3).logical_or(at::arange(2).eq(0)).to(at::kFloat)};
    });
  }

 private:
  ChannelBudget budget_;
};

TEST(ChannelMethod, MasksTheWeightsAndTheNeuronsOfWhatItDrops) {
  const auto network = two_channel_layers();
  const KeepsTheFirst method(*network, {.channels = 3});
  ASSERT_EQ(method.layers().size(), 3u);
  ASSERT_EQ(method.neurons().size(), 2u);
  EXPECT_EQ(method.harden(0).keep, (std::vector<uint8_t>{1, 1, 0}));
  EXPECT_EQ(method.harden(1).keep, (std::vector<uint8_t>{1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(method.harden(2).keep, (std::vector<uint8_t>{1, 0}));
  EXPECT_EQ(values(method.harden_neurons(0)), (std::vector<float>{1, 1, 0}));
  EXPECT_EQ(values(method.harden_neurons(1)), (std::vector<float>{1, 0}));
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(method.harden(i).kind, nm::Mask::Kind::kChannel);
    EXPECT_TRUE(nm::audit(method.harden(i)).valid());
  }
}

// By hand: of 11 weights, two channels leave 3, three leave 5, four leave 7 and five all.
TEST(ChannelMethod, FindsTheNumberThatLeavesTheNearestShare) {
  const auto network = two_channel_layers();
  const auto kept = [&](double target) {
    const KeepsTheFirst method(*network, {.target_weight = target});
    double weights = 0;
    for (size_t i = 0; i < 3; ++i) weights += static_cast<double>(method.harden(i).kept());
    return weights;
  };
  EXPECT_EQ(kept(0.28), 3);
  EXPECT_EQ(kept(0.36), 3);  // 3/11 is 0.273, 5/11 is 0.455
  EXPECT_EQ(kept(0.37), 5);
  EXPECT_EQ(kept(0.6), 7);
  EXPECT_EQ(kept(0.81), 7);
  EXPECT_EQ(kept(0.83), 11);
  EXPECT_EQ(kept(1), 11);
}

TEST(ChannelMethod, ReadsAShareOfChannelsOrOfWeights) {
  const auto network = two_channel_layers();
  const PrunableChannels found = find_channels(*network, Config());
  const auto budget = [&](const std::string& toml) {
    const Config config = Config::from_text(toml, "test");
    const ChannelBudget read = read_channel_budget(*network, found, config);
    config.reject_unread();
    return read;
  };
  EXPECT_EQ(budget("").channels, 3);  // half of 5, rounded
  EXPECT_EQ(budget("channels = 0.8").channels, 4);
  EXPECT_FALSE(budget("channels = 0.8").target_weight);
  EXPECT_EQ(budget("target_weight = 0.5").target_weight, 0.5);
  EXPECT_ERROR(budget("target_weight = 0.5\nchannels = 0.4"), "channels", "target_weight");
  EXPECT_ERROR(budget("channels = 0.2"), "channels", "1 of 5 channels", "2 layers to zero", "0.4");
  // One channel of each layer leaves 1 + 1 + 1 of 3 + 6 + 2 weights.
  EXPECT_ERROR(budget("target_weight = 0.2"), "target_weight", "0.2", "0.273");
}

}  // namespace
}  // namespace spikenm::sparsity
