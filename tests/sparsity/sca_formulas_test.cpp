// Twenty steps of sca against its formulas, in plain torch operations.
#include "spikenm/nn/plain_pass.h"
#include "spikenm/sparsity/channels.h"
#include "support/channel_layers.h"
#include "support/small_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace spikenm::sparsity {
namespace {

using test::method_on, test::search_step, test::small_network, test::values;

const ClearMoments kNoMoments = [](const Tensor&, const Tensor&) {};

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

}  // namespace
}  // namespace spikenm::sparsity
