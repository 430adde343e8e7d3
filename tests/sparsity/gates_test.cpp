// Gates of weights and of neurons, and the search for their prices, against the loss written out:
// autograd makes every gradient of the oracle.
#include "spikenm/sparsity/connectivity.h"
#include "support/method_oracle.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace spikenm::sparsity {
namespace {

using test::kOracleRate, test::small_network, test::TrainedByMethod;

// Half of a search: at its end the threshold may move too, which other tests see.
constexpr int64_t kSteps = 20, kSearch = 40;

// Something with a gate for each value: sigmoid(beta m), closed below 1e-7 where it is a spike's.
struct Gated {
  Tensor m, gate;
  double c = 0;
  test::Adam adam;

  Gated(const Tensor& like, double connections)
      : m(at::zeros_like(like).set_requires_grad(true)), c(connections), adam(like) {}

  const Tensor& open(double beta, double closed) {
    gate = at::sigmoid(beta * m);
    if (closed > 0) gate = at::threshold(gate, closed, 0);
    gate.retain_grad();
    return gate;
  }
};

class WeightGate : public nn::WeightHook {
 public:
  explicit WeightGate(const Gated& gated) : gated_(gated) {}
  Tensor effective(const Tensor& weight) override { return weight * gated_.gate; }

 private:
  const Gated& gated_;
};

class SpikeGate : public nn::SpikeHook {
 public:
  explicit SpikeGate(const Gated& gated) : gated_(gated) {}
  Tensor effective(const Tensor& spikes) override { return spikes * gated_.gate; }

 private:
  const Gated& gated_;
};

// The price at which penalty and task pull equally, averaged, times what the distance to the target
// asks for: proportional and summed, neither without limit.
struct Price {
  double target, lambda = 0;
  double sum = 0, weight = 0, errors = 0;

  void see(double pull) {
    sum = 0.98 * sum + pull;
    weight = 0.98 * weight + 1;
  }
  void move(double share) {
    const double error = std::clamp(std::log(std::max(share, 1e-12) / target), -1.0, 1.0);
    const double with = std::abs(error) < 0.5 ? errors + error : errors;
    const double wanted = 2 * error + 0.05 * with;
    if (std::abs(wanted) < 3) errors = with;
    lambda = sum / weight * std::clamp(wanted, -3.0, 3.0);
  }
};

class Oracle {
 public:
  Oracle(double target_weight, double target_conn)
      : network_(small_network()), of_weights_{target_weight}, of_neurons_{target_conn} {
    const std::vector<double> c{64, 16, 4, 1};  // maps of 8x8, 4x4 and 2x2, and a row
    for (size_t i = 0; i < network_->synapses().size(); ++i)
      weights_.emplace_back(network_->synapses()[i].weight.detach(), c[i]);
    for (size_t i = 0; i < network_->neurons().size(); ++i) {
      const nn::Neuron& neuron = network_->neurons()[i];
      if (!neuron.spec->maskable) continue;
      const Tensor& reader = network_->synapses()[i + 1].weight;
      neurons_.emplace_back(at::zeros(network_->graph().node(neuron.node).out.sizes()),
                            static_cast<double>(reader.size(0) * reader.size(2) * reader.size(3)));
      places_.push_back(i);
    }
  }

  void step(int64_t k) {
    const double beta = 5 * std::pow(200, static_cast<double>(k) / kSearch);
    task_and_penalty(beta).backward();
    see(weights_, of_weights_);
    see(neurons_, of_neurons_);
    {
      const at::NoGradGuard no_grad;
      for (std::vector<Gated>* list : {&weights_, &neurons_})
        for (Gated& g : *list) g.m.sub_(g.adam.step(g.m.grad(), k + 1));
      for (nn::Synapse& s : network_->synapses()) s.weight.sub_(s.weight.grad(), kOracleRate);
    }
    of_weights_.move(share_of_weights());
    of_neurons_.move(count_connections(*network_, masks()).percent() / 100);
  }

  [[nodiscard]] nn::Network& network() { return *network_; }
  [[nodiscard]] const std::vector<Gated>& weights() const { return weights_; }
  [[nodiscard]] const std::vector<Gated>& neurons() const { return neurons_; }
  [[nodiscard]] double lambda_weight() const { return of_weights_.lambda; }
  [[nodiscard]] double lambda_neuron() const { return of_neurons_.lambda; }

 private:
  // The loss with all gates in their places; fresh gradients.
  Tensor task_and_penalty(double beta) {
    for (const nn::NamedTensor& p : network_->parameters()) p.tensor.mutable_grad() = Tensor();
    Tensor penalty = at::zeros({});
    std::vector<WeightGate> on_weights;
    std::vector<SpikeGate> on_spikes;
    on_weights.reserve(weights_.size());
    on_spikes.reserve(neurons_.size());
    for (size_t i = 0; i < weights_.size(); ++i) {
      weights_[i].m.mutable_grad() = Tensor();
      penalty = penalty + of_weights_.lambda * weights_[i].c * weights_[i].open(beta, 0).sum();
      network_->synapses()[i].hook = &on_weights.emplace_back(weights_[i]);
    }
    for (size_t i = 0; i < neurons_.size(); ++i) {
      neurons_[i].m.mutable_grad() = Tensor();
      penalty = penalty + of_neurons_.lambda * neurons_[i].c * neurons_[i].open(beta, 1e-7).sum();
      network_->neurons()[places_[i]].hook = &on_spikes.emplace_back(neurons_[i]);
    }
    nn::RunPass pass(/*training=*/true);
    const Tensor scores = network_->forward(pass, test::spike_batch()).mean(0);
    for (nn::Synapse& s : network_->synapses()) s.hook = nullptr;
    for (nn::Neuron& n : network_->neurons()) n.hook = nullptr;
    return at::cross_entropy_loss(scores, at::arange(scores.size(0))) + penalty;
  }

  // The task's part of the gates' gradients, per connection.
  static void see(const std::vector<Gated>& list, Price& price) {
    double pull = 0, connections = 0;
    for (const Gated& g : list) {
      pull += (g.gate.grad() - price.lambda * g.c).abs().sum().item<double>();
      connections += g.c * static_cast<double>(g.m.numel());
    }
    price.see(pull / connections);
  }

  [[nodiscard]] double share_of_weights() const {
    double kept = 0, all = 0;
    for (const Gated& g : weights_) {
      kept += g.m.gt(0).sum().item<double>();
      all += static_cast<double>(g.m.numel());
    }
    return kept / all;
  }

  // What both keep, by a method that is asked for nothing else.
  [[nodiscard]] Masks masks() {
    const auto method = test::method_on(*network_, "upr", "granularity = \"weight+neuron\"");
    const at::NoGradGuard no_grad;
    const auto groups = method->param_groups();
    for (size_t i = 0; i < weights_.size(); ++i) groups[0].tensors[i].copy_(weights_[i].m);
    for (size_t i = 0; i < neurons_.size(); ++i) groups[1].tensors[i].copy_(neurons_[i].m);
    return harden_all(*method);
  }

  std::unique_ptr<nn::Network> network_;
  Price of_weights_, of_neurons_;
  std::vector<Gated> weights_, neurons_;
  std::vector<size_t> places_;  // of neurons_ in the network's list
};

void expect_close(const std::vector<Tensor>& found, const std::vector<Gated>& wanted, int64_t k) {
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < found.size(); ++i)
    ASSERT_LT(found[i].detach().sub(wanted[i].m.detach()).abs().mean().item<double>(), 1e-5)
        << "step " << k << ", layer " << i;
}

TEST(Gates, OfWeightsAndNeuronsMoveAsTheWholeLossSaysAndFindTheirPrices) {
  TrainedByMethod ours("upr",
                       "granularity = \"weight+neuron\"\ntarget_weight = 0.3\ntarget_conn = 0.2");
  Oracle oracle(0.3, 0.2);
  for (int64_t k = 0; k < kSteps; ++k) {
    ours.step(k, kSearch);
    oracle.step(k);
    const auto groups = ours.method().param_groups();
    expect_close(groups[0].tensors, oracle.weights(), k);
    expect_close(groups[1].tensors, oracle.neurons(), k);
    const std::vector<Tensor> weights = ours.weights(), wanted = test::weights_of(oracle.network());
    for (size_t i = 0; i < weights.size(); ++i)
      ASSERT_TRUE(at::allclose(weights[i], wanted[i], 0, 1e-5)) << k << " " << i;

    const Json found = ours.method().outcome();
    ASSERT_NEAR(found.at("lambda_weight").get<double>(), oracle.lambda_weight(),
                1e-2 * std::abs(oracle.lambda_weight()))
        << k;
    ASSERT_NEAR(found.at("lambda_neuron").get<double>(), oracle.lambda_neuron(),
                1e-2 * std::abs(oracle.lambda_neuron()))
        << k;
  }
  EXPECT_GT(oracle.lambda_weight(), 0);
}

}  // namespace
}  // namespace spikenm::sparsity
