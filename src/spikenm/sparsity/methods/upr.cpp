#include "spikenm/sparsity/conn_control.h"
#include "spikenm/sparsity/gates.h"
#include "spikenm/sparsity/method.h"
#include "spikenm/sparsity/methods/upr_keys.h"
#include "spikenm/sparsity/neuron_pruning_keys.h"
#include "spikenm/sparsity/ranking.h"
#include "spikenm/sparsity/running_mean.h"
#include "spikenm/sparsity/temperature.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

namespace spikenm::sparsity {
namespace {

// How far from the target, as a share of it, the search may end.
constexpr double kSettled = 0.02;

struct UprOptions {
  double beta_min = 5, beta_max = 1000;
  double lr = 1e-3;
  double lambda = 1e-11;
  std::optional<double> target_weight;  // if set, lambda is found during the search
};

// [Shi24] c = H W / stride^2 of what the layer reads: the connections of one weight.
double connections_of(const graph::Graph& graph, const nn::Synapse& synapse) {
  const graph::Shape& in = graph.input_of(graph.node(synapse.node)).out;
  const auto stride = static_cast<double>(synapse.spec->geometry.stride);
  return static_cast<double>(in.height * in.width) / (stride * stride);
}

// [Shi24] Every weight has a scalar m that is trained with it: w_eff = sigmoid(beta m) w. beta rises
// over the search, and the loss has the term lambda sum_l c_l sum sigmoid(beta m). Prune keeps the
// weights with m > 0.
class Upr : public Method {
 public:
  Upr(nn::Network& network, std::vector<MaskableLayer> layers, const UprOptions& options)
      : Method(std::move(layers)),
        options_(options),
        lambda_(options.lambda),
        task_scale_(network.device()) {
    if (options.target_weight) control_.emplace(*options.target_weight);
    for (const MaskableLayer& layer : layers_) {
      gates_.emplace_back(layer.synapse->weight, connections_of(network.graph(), *layer.synapse));
      weights_ += layer.synapse->weight.numel();
    }
    set_gates(options_.beta_min);
  }

  void begin_step(const StepInfo& info) override {
    set_gates(geometric(options_.beta_min, options_.beta_max, info.progress()));
    bound_ = 0;
    settled_.clear();
  }

  Tensor effective_weight(size_t id, const Tensor& weight) override {
    return weight * gates_[id].used();
  }
  [[nodiscard]] std::optional<int64_t> recording() const override { return 0; }

  void after_backward(const StepInfo& info) override {
    const at::NoGradGuard no_grad;
    Tensor pull;
    double connections = 0;
    for (const Gates& gates : gates_) {
      const Tensor task = gates.task_gradient();
      gates.set_gradient(task, lambda_);
      if (!control_) continue;
      const Tensor sum = task.abs().sum().to(at::kDouble);
      pull = pull.defined() ? pull + sum : sum;
      connections += gates.connections();
    }
    // The lambda at which penalty and task pull equally.
    if (control_) task_scale_.add(pull / connections, info.scaling.overflow);
  }

  void after_step(const StepInfo& info, const ClearMoments&) override {
    if (!control_) return;
    const int64_t every = std::clamp<int64_t>(info.steps / 100, 1, 10);
    if (info.step % every == 0) lambda_ = task_scale_.value() * control_->update(share_kept());
    if (info.step + 1 == info.steps) settle();
  }

  std::vector<ParamGroup> param_groups() override {
    ParamGroup own{.tensors = {}, .lr = options_.lr};
    for (const Gates& gates : gates_) own.tensors.push_back(gates.m());
    return {own};
  }

  [[nodiscard]] nm::Mask harden(size_t id) const override {
    return mask_from_tensor(layers_[id], kept(id));
  }

  [[nodiscard]] std::vector<nn::NamedTensor> kept_tensors() const override {
    std::vector<nn::NamedTensor> tensors;
    for (const MaskableLayer& layer : layers_)
      tensors.push_back({layer.synapse->name + ".m", gates_[layer.id].m()});
    return tensors;
  }

  [[nodiscard]] Targets targets() const override { return {.weights = options_.target_weight}; }
  Json take_statistics() override {
    return {{"mask_beta", beta_}, {"lambda_weight", lambda_}, {"weight_pct", 100 * share_kept()}};
  }
  [[nodiscard]] Json outcome() const override {
    Json json = {{"lambda_weight", lambda_}, {"weight_threshold", bound_}};
    if (options_.target_weight) json["target_weight"] = *options_.target_weight;
    return json;
  }

 protected:
  void visit_own_state(nn::StateVisitor& visitor) override {
    visitor.value("beta", beta_);
    visitor.value("lambda_weight", lambda_);
    visitor.value("weight_threshold", bound_);
    {
      const nn::StateVisitor::Scope scope(visitor, "task_scale");
      task_scale_.visit_state(visitor);
    }
    if (control_) control_->visit_state(visitor);

    bool is_settled = !settled_.empty();
    visitor.value("is_settled", is_settled);
    settled_.resize(is_settled ? layers_.size() : 0);
    for (const MaskableLayer& layer : layers_) {
      const nn::StateVisitor::Scope scope(visitor, layer.synapse->name);
      const Tensor& m = gates_[layer.id].m();
      visitor.tensor("m", m);
      if (!is_settled) continue;
      Tensor& settled = settled_[layer.id];
      if (!settled.defined()) settled = at::zeros(m.sizes(), m.options().dtype(at::kByte));
      visitor.tensor("settled", settled);
    }
  }

 private:
  void set_gates(double beta) {
    beta_ = beta;
    for (Gates& gates : gates_) gates.set(beta);
  }

  [[nodiscard]] Tensor kept(size_t id) const {
    return settled_.empty() ? gates_[id].m().detach().gt(0) : settled_[id];
  }

  [[nodiscard]] double share_kept() const {
    std::vector<Tensor> counts;
    for (size_t id = 0; id < gates_.size(); ++id) counts.push_back(kept(id).sum());
    return at::stack(counts).sum().item<double>() / static_cast<double>(weights_);
  }

  // If the penalty did not end at the target, moves the threshold on m from 0 to where it is met. Weights
  // that the task never pulled at have all the same m: of those as many are kept as there is room for.
  void settle() {
    const double target = *options_.target_weight;
    if (std::abs(share_kept() / target - 1) <= kSettled) return;
    std::vector<Tensor> scores;
    for (const Gates& gates : gates_) scores.push_back(gates.m().detach());
    const auto n = std::llround(target * static_cast<double>(weights_));
    bound_ = bound_above(scores, n);
    settled_ = largest_of_all(scores, n);
  }

  UprOptions options_;
  std::vector<Gates> gates_;  // by layer
  int64_t weights_ = 0;       // of all layers
  double beta_ = 0, lambda_;
  double bound_ = 0;             // weights with a larger m are kept, of equal ones as many as fit
  std::vector<Tensor> settled_;  // by layer, what settle() kept; empty: m > 0
  RunningMean task_scale_;
  std::optional<ConnControl> control_;
};

UprOptions read_options(const Config& config) {
  UprOptions o;
  o.beta_min = upr_key::kBetaMin.read(config, o.beta_min);
  o.beta_max = upr_key::kBetaMax.read_within(config, o.beta_max, o.beta_min, kMostNumber);
  o.lr = upr_key::kLr.read(config, o.lr);
  if (!config.has("target_weight")) {
    o.lambda = upr_key::kLambda.read(config, o.lambda);
    return o;
  }
  o.target_weight = upr_key::kTargetWeight.read(config, 1);
  config.no_effect("lambda_weight", {"target_weight"});  // the search finds it
  o.lambda = 0;
  return o;
}

}  // namespace

std::unique_ptr<Method> make_dense(nn::Network& network, const Config& config, uint64_t seed);

// The gates of neurons stand beside it (neuron_pruning.h); with granularity = "neuron" they are all.
std::unique_ptr<Method> make_upr(nn::Network& network, const Config& config, uint64_t seed) {
  if (kGranularity.read(config) == 2) {
    for (const Key* const key : upr_key::all()) config.no_effect(key->name, {"granularity"});
    return make_dense(network, config, seed);
  }
  const UprOptions options = read_options(config);
  std::vector<MaskableLayer> layers = find_layers(network, config, nm::Mask::Kind::kUnstructured);
  if (options.target_weight)
    check_weight_share(layers, *options.target_weight, config.full_key("target_weight"));
  return std::make_unique<Upr>(network, std::move(layers), options);
}

}  // namespace spikenm::sparsity
