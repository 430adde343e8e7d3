#include "spikenm/nn/plain_pass.h"
#include "spikenm/sparsity/channels.h"
#include "support/channel_layers.h"
#include "support/expect_error.h"
#include "support/small_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace spikenm::sparsity {
namespace {

using test::method_on, test::search_step, test::small_network, test::two_channel_layers,
    test::values;

const ClearMoments kNoMoments = [](const Tensor&, const Tensor&) {};
const StepInfo kEpochEnd{.ends_epoch = true};

void set(Pruning& method, nn::Network& network, const std::vector<std::vector<float>>& activity,
         const std::vector<std::vector<float>>& gradients) {
  for (size_t g = 0; g < activity.size(); ++g) {
    method.activity(g).copy_(at::tensor(activity[g]));
    network.norms()[g].state.gamma.mutable_grad() = at::tensor(gradients[g]);
  }
}

// By hand: of five channels four are kept, three by activity (0.9, 0.5 and 0.2, the largest of its
// layer) and one by gradient: of 0.3 and -0.7 the latter is larger.
TEST(Sca, KeepsTheMostActiveChannelsAndRegrowsByGradient) {
  const auto network = two_channel_layers();
  const auto method = method_on(*network, "sca", "channels = 0.8\nregrow = 0.25");
  set(*method, *network, {{0.9F, 0.1F, 0.5F}, {0.2F, 0.05F}}, {{9, 0.3F, 9}, {9, -0.7F}});
  method->after_step(kEpochEnd, kNoMoments);

  const Masks masks = harden_all(*method);
  EXPECT_EQ(values(masks.weights[0].keep), (std::vector<float>{1, 0, 1}));
  EXPECT_EQ(values(masks.weights[1].keep), (std::vector<float>{1, 0, 1, 1, 0, 1}));
  EXPECT_EQ(values(masks.weights[2].keep), (std::vector<float>{1, 1}));
  EXPECT_EQ(values(masks.neurons[0].keep), (std::vector<float>{1, 0, 1}));
  EXPECT_EQ(values(masks.neurons[1].keep), (std::vector<float>{1, 1}));

  // The dropped channel is silenced, its readers are left alone, and the sums begin anew.
  EXPECT_EQ(values(network->synapses()[0].weight), (std::vector<float>{1, 0, 1}));
  EXPECT_EQ(values(network->norms()[0].state.gamma), (std::vector<float>{1, 0, 1}));
  EXPECT_EQ(values(network->synapses()[1].weight), (std::vector<float>(6, 1)));
  EXPECT_EQ(values(method->activity(0)), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(method->take_statistics().at("changed_channels"), 1);
}

TEST(Sca, ChoosesNothingWithinAnEpoch) {
  const auto network = two_channel_layers();
  const auto method = method_on(*network, "sca", "channels = 0.8\nregrow = 0.25");
  set(*method, *network, {{0.9F, 0.1F, 0.5F}, {0.2F, 0.05F}}, {{0, 0, 0}, {0, 0}});
  method->after_step({}, kNoMoments);
  EXPECT_EQ(values(method->activity(0)), (std::vector<float>{0.9F, 0.1F, 0.5F}));
  EXPECT_EQ(values(network->synapses()[0].weight), (std::vector<float>(3, 1)));
  EXPECT_EQ(values(harden_all(*method).neurons[0].keep), (std::vector<float>(3, 1)));
}

// Gradients that overflowed say nothing: the channel of 0.1 comes before that of 0.05.
TEST(Sca, RegrowsByActivityIfTheLastGradientsOverflowed) {
  const auto network = two_channel_layers();
  const auto method = method_on(*network, "sca", "channels = 0.8\nregrow = 0.25");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  set(*method, *network, {{0.9F, 0.1F, 0.5F}, {0.2F, 0.05F}}, {{nan, nan, nan}, {nan, nan}});
  method->after_backward(
      {.ends_epoch = true, .scaling = {.inverse = {}, .overflow = at::ones({1})}});
  method->after_step(kEpochEnd, kNoMoments);
  EXPECT_EQ(values(harden_all(*method).neurons[0].keep), (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(values(harden_all(*method).neurons[1].keep), (std::vector<float>{1, 0}));
}

// By hand, of 3 + 6 + 2 weights: three channels (one by gradient, the least that leaves each layer its most
// active one) leave 2 + 2 + 1, four leave 2 + 4 + 2. Of 0.6 the latter is nearer.
TEST(Sca, FindsTheChannelsThatLeaveTheTarget) {
  struct Case {
    double target;
    std::vector<float> first, second;
  };
  for (const Case& c : {Case{0.3, {1, 0, 1}, {1, 0}}, Case{0.5, {1, 0, 1}, {1, 0}},
                        Case{0.6, {1, 0, 1}, {1, 1}}, Case{1, {1, 1, 1}, {1, 1}}}) {
    SCOPED_TRACE(c.target);
    const auto network = two_channel_layers();
    const auto method =
        method_on(*network, "sca", fmt::format("target_weight = {}\nregrow = 0.25", c.target));
    set(*method, *network, {{0.9F, 0.1F, 0.5F}, {0.2F, 0.05F}}, {{9, 0.3F, 9}, {9, -0.7F}});
    method->after_step(kEpochEnd, kNoMoments);
    EXPECT_EQ(values(harden_all(*method).neurons[0].keep), c.first);
    EXPECT_EQ(values(harden_all(*method).neurons[1].keep), c.second);
  }
}

// By hand: two layers that are added up have the mean activities 0.35 0.5 0.2, so both keep the second
// channel, and of the rest the mean gradients 0.25 and 0.3 choose the third. Each alone would differ.
TEST(Sca, LayersThatAreAddedUpKeepTheSameChannels) {
  test::TinyGraph graph;
  graph.synapse("conv1", at::ones({3, 1, 1, 1}));
  graph.norm("norm1");
  const auto first = graph.neuron("neuron1");
  graph.synapse("conv2", at::ones({3, 3, 1, 1}));
  graph.norm("norm2");
  const auto second = graph.neuron("neuron2");
  graph.sum({first, second});
  graph.synapse("fc", at::ones({1, 3, 1, 1}));
  const auto network = graph.make();
  const auto method = method_on(*network, "sca", "channels = 0.667\nregrow = 0.5");
  set(*method, *network, {{0.6F, 0.1F, 0.2F}, {0.1F, 0.9F, 0.2F}},
      {{0.1F, 9, 0.5F}, {0.4F, 9, 0.1F}});
  method->after_step(kEpochEnd, kNoMoments);
  const Masks masks = harden_all(*method);
  for (const NeuronMask& mask : masks.neurons)
    EXPECT_EQ(values(mask.keep), (std::vector<float>{0, 1, 1}));
  EXPECT_EQ(values(masks.weights[2].keep), (std::vector<float>{0, 1, 1}));
}

// In finetune the pull goes on, and nothing is chosen.
TEST(Sca, PullsItsWeightsInFinetuneToo) {
  const auto network = two_channel_layers();
  const auto method = method_on(*network, "sca", "channels = 0.8\npenalty = 0.25");
  ASSERT_EQ(method->acting_in_finetune(), method->all());
  const Tensor& weight = network->synapses()[0].weight;
  weight.mutable_grad() = at::full_like(weight, 2);
  method->after_backward({.ends_epoch = true, .is_frozen = true});
  EXPECT_EQ(values(weight.grad()), (std::vector<float>(3, 2.25F)));
  EXPECT_EQ(values(weight), (std::vector<float>(3, 1)));
  EXPECT_TRUE(method_on(*network, "sca", "penalty = 0")->acting_in_finetune().empty());
}

// ---- twenty steps against the formulas, in plain torch operations ----

constexpr int64_t kSteps = 20, kEpoch = 5;
constexpr double kRate = 0.02, kPenalty = 1e-3, kShare = 0.5, kRegrow = 0.25;

// Descent with momentum, which moves what was set to 0 on: without, no dropped channel would return.
class Descent {
 public:
  void step(const nn::Network& network) {
    const at::NoGradGuard no_grad;
    const auto parameters = network.parameters();
    moments_.resize(parameters.size());
    for (size_t i = 0; i < parameters.size(); ++i) {
      const Tensor& p = parameters[i].tensor;
      moments_[i] = moments_[i].defined() ? 0.9 * moments_[i] + p.grad() : p.grad().clone();
      p.sub_(moments_[i], kRate);
    }
  }

 private:
  std::vector<Tensor> moments_;
};

class Watch : public nn::SpikeHook {
 public:
  explicit Watch(int64_t channels) : sums_(at::zeros({channels})) {}
  Tensor effective(const Tensor& spikes) override { return spikes; }
  [[nodiscard]] Tensor activity() const override { return sums_; }

 private:
  Tensor sums_;
};

// The formulas once more, channel by channel: no function of the method is used.
class Oracle {
 public:
  Oracle() : network_(small_network()), dense_(method_on(*network_, "dense", "")) {
    for (const nn::Norm& norm : network_->norms())
      watches_.push_back(std::make_unique<Watch>(norm.state.gamma.numel()));
  }

  void step(int64_t step) {
    watch();
    search_step(*network_, *dense_);
    {
      const at::NoGradGuard no_grad;
      for (size_t g = 0; g < watches_.size(); ++g) {
        const Tensor& w = network_->synapses()[g].weight;
        w.mutable_grad() = at::add(w.grad(), w.sign(), kPenalty);
      }
    }
    std::vector<std::vector<float>> gradients;
    for (const nn::Norm& norm : network_->norms())
      gradients.push_back(values(norm.state.gamma.grad().abs()));
    descent_.step(*network_);
    if ((step + 1) % kEpoch == 0) choose(gradients);
  }

  [[nodiscard]] nn::Network& network() { return *network_; }
  [[nodiscard]] const std::vector<std::vector<bool>>& kept() const { return kept_; }

 private:
  struct Channel {
    size_t layer, channel;
    float score;
  };

  // A forward in plain torch operations, for the activity alone.
  void watch() {
    const at::NoGradGuard no_grad;
    for (size_t g = 0; g < watches_.size(); ++g) network_->neurons()[g].hook = watches_[g].get();
    nn::PlainPass pass(/*training=*/true, /*steps=*/3);
    static_cast<void>(network_->forward(pass, test::spike_batch()));
    for (nn::Neuron& neuron : network_->neurons()) neuron.hook = nullptr;
  }

  void keep_best(std::vector<Channel> channels, size_t n) {
    std::stable_sort(channels.begin(), channels.end(),
                     [](const Channel& a, const Channel& b) { return a.score > b.score; });
    for (const Channel& c : channels) {
      if (n == 0) return;
      if (kept_[c.layer][c.channel]) continue;
      kept_[c.layer][c.channel] = true;
      --n;
    }
  }

  void choose(const std::vector<std::vector<float>>& gradients) {
    const at::NoGradGuard no_grad;
    std::vector<Channel> by_activity, by_gradient;
    kept_.clear();
    for (size_t g = 0; g < watches_.size(); ++g) {
      const std::vector<float> activity = values(watches_[g]->activity());
      kept_.emplace_back(activity.size(), false);
      kept_[g][static_cast<size_t>(std::ranges::max_element(activity) - activity.begin())] = true;
      for (size_t c = 0; c < activity.size(); ++c) {
        by_activity.push_back({g, c, activity[c]});
        by_gradient.push_back({g, c, gradients[g][c]});
      }
    }
    const auto kept =
        static_cast<size_t>(std::lround(kShare * static_cast<double>(by_activity.size())));
    const auto regrown = static_cast<size_t>(std::lround(kRegrow * static_cast<double>(kept)));
    keep_best(by_activity, kept - regrown - watches_.size());
    keep_best(by_gradient, regrown);

    for (size_t g = 0; g < watches_.size(); ++g) {
      for (size_t c = 0; c < kept_[g].size(); ++c) {
        if (kept_[g][c]) continue;
        const auto i = static_cast<int64_t>(c);
        network_->synapses()[g].weight[i].zero_();
        network_->norms()[g].state.gamma[i].zero_();
        network_->norms()[g].state.beta[i].zero_();
      }
      watches_[g]->activity().zero_();
    }
  }

  std::unique_ptr<nn::Network> network_;
  std::unique_ptr<Pruning> dense_;
  std::vector<std::unique_ptr<Watch>> watches_;
  std::vector<std::vector<bool>> kept_;
  Descent descent_;
};

TEST(Sca, GivesTheWeightsAndMasksOfItsFormulasOverTwentySteps) {
  const auto network = small_network();
  const auto method = method_on(*network, "sca", "channels = 0.5\nregrow = 0.25\npenalty = 1e-3");
  Oracle oracle;
  Descent descent;
  ASSERT_EQ(method->neurons().size(), oracle.network().norms().size());
  int64_t changes = 0;
  for (int64_t k = 0; k < kSteps; ++k) {
    const StepInfo info{.step = k, .steps = kSteps, .ends_epoch = (k + 1) % kEpoch == 0};
    search_step(*network, *method, info);
    descent.step(*network);
    method->after_step(info, kNoMoments);
    oracle.step(k);

    const auto found = network->parameters(), wanted = oracle.network().parameters();
    for (size_t i = 0; i < found.size(); ++i)
      ASSERT_TRUE(at::allclose(found[i].tensor, wanted[i].tensor, 1e-5, 1e-6))
          << found[i].name << " at step " << k;
    if (!info.ends_epoch) continue;
    changes += method->take_statistics().at("changed_channels").get<int64_t>();
    for (size_t g = 0; g < oracle.kept().size(); ++g) {
      const Tensor channels = method->harden_neurons(g).flatten(1).amax(1);
      for (size_t c = 0; c < oracle.kept()[g].size(); ++c)
        ASSERT_EQ(channels[static_cast<int64_t>(c)].item<double>() != 0, oracle.kept()[g][c])
            << "layer " << g << ", channel " << c << ", step " << k;
    }
  }
  // Masks changed after the first choice too, or the test would say little.
  int64_t all = 0;
  for (const auto& layer : oracle.kept()) all += static_cast<int64_t>(layer.size());
  EXPECT_GT(changes, all / 2);
}

TEST(Sca, RefusesABudgetThatCutsALayerToZero) {
  const auto network = two_channel_layers();
  EXPECT_ERROR(method_on(*network, "sca", "channels = 0.2"), "channels", "1 of 5 channels",
               "2 layers to zero", "0.4");
  EXPECT_ERROR(method_on(*network, "sca", "channels = 0.6\nregrow = 0.8"), "regrow",
               "1 of 3 kept channels", "2 layers");
  EXPECT_ERROR(method_on(*network, "sca", "target_weight = 0.2"), "target_weight", "0.2", "0.273");
  EXPECT_ERROR(method_on(*network, "sca", "target_weight = 0.6\nregrow = 0.8"), "regrow",
               "1 of 5 kept channels", "2 layers");
  EXPECT_ERROR(method_on(*network, "sca", "layers = [\"fc\"]"), "layers", "norm and neurons");
}

}  // namespace
}  // namespace spikenm::sparsity
