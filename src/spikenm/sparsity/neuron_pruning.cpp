#include "spikenm/sparsity/neuron_pruning.h"

#include "spikenm/graph/walks.h"
#include "spikenm/sparsity/conn_control.h"
#include "spikenm/sparsity/connectivity.h"
#include "spikenm/sparsity/gates.h"
#include "spikenm/sparsity/neuron_pruning_keys.h"
#include "spikenm/sparsity/running_mean.h"
#include "spikenm/sparsity/temperature.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace spikenm::sparsity {
namespace {

// A gate below this is set to 0: denormal spikes would make convolutions a hundred times slower.
constexpr double kClosed = 1e-7;
// How far from the target, as a share of it, the search may end.
constexpr double kSettled = 0.02;

struct NeuronOptions {
  double beta_min = 5, beta_max = 1000;
  double lr = 1e-3;
  double lambda = 1e-11;
  std::optional<double> target_conn;  // if set, lambda is found during the search
};

NeuronOptions read_options(const Config& config) {
  NeuronOptions o;
  o.beta_min = kBetaMin.read(config, o.beta_min);
  o.beta_max = kBetaMax.read_within(config, o.beta_max, o.beta_min, kMostNumber);
  o.lr = kNeuronLr.read(config, o.lr);
  if (!config.has("target_conn")) {
    o.lambda = kLambdaNeuron.read(config, o.lambda);
    return o;
  }

  o.target_conn = kTargetConn.read(config, 0);
  config.no_effect("lambda_neuron", {"target_conn"});  // the search finds it
  o.lambda = 0;
  return o;
}

// [Shi24] c = sum over the layers that read a neuron of Cout kh kw / stride^2: the connections that
// are lost with it. Pools in between and layers that are never masked are ignored.
double connections_of(const graph::Graph& graph, graph::NodeId neurons) {
  double sum = 0;
  for (const graph::NodeId id : graph::reading_synapses(graph, neurons)) {
    const graph::Synapse& reader = *graph.node(id).as<graph::Synapse>();
    if (!reader.maskable) continue;
    const nm::WeightShape& s = reader.shape;
    const auto stride = static_cast<double>(reader.geometry.stride);
    sum += static_cast<double>(s.cout * s.kh * s.kw) / (stride * stride);
  }
  return sum;
}

// [Shi24] Every neuron position has a scalar m that is trained with the weights. Its spikes are
// multiplied by a gate sigmoid(beta m), beta rises over the search, and the loss has the term
// lambda_n sum_l c_l sum sigmoid(beta m). Prune keeps the neurons with m > 0.
class NeuronPruning : public Method {
 public:
  NeuronPruning(const Method& weights, nn::Network& network, const NeuronOptions& options)
      : Method({}),
        weights_(weights),
        network_(network),
        options_(options),
        lambda_(options.lambda),
        task_scale_(network.device()) {
    if (options.target_conn) control_.emplace(*options.target_conn);
    for (nn::Neuron& neuron : network.neurons()) {
      if (!neuron.spec->maskable) continue;
      const std::vector<int64_t> shape = network.graph().node(neuron.node).out.sizes();
      neurons_.push_back({.id = neurons_.size(), .neuron = &neuron, .shape = shape});
      gates_.emplace_back(at::empty(shape, at::device(network.device())),
                          connections_of(network.graph(), neuron.node));
    }
    set_gates(options_.beta_min);
  }

  void begin_step(const StepInfo& info) override {
    set_gates(geometric(options_.beta_min, options_.beta_max, info.progress()));
    settled_.clear();
    threshold_ = 0;
  }

  Tensor effective_spikes(size_t id, const Tensor& spikes) override {
    return spikes * gates_[id].used().to(spikes.scalar_type());
  }
  [[nodiscard]] std::optional<int64_t> recording() const override { return 0; }

  void after_backward(const StepInfo& info) override {
    const at::NoGradGuard no_grad;
    const auto [inverse, overflow] = info.scaling;
    Tensor pull = at::zeros({}, at::device(network_.device()).dtype(at::kDouble));
    double connections = 0;
    for (const Gates& gates : gates_) {
      Tensor task = gates.task_gradient();
      if (inverse.defined()) task = task * inverse;
      pull += task.abs().sum();
      connections += gates.connections();
      gates.set_gradient(task, lambda_);
    }

    // The lambda_n at which penalty and task pull equally.
    if (connections > 0) task_scale_.add(pull / connections, overflow);
  }

  void after_step(const StepInfo& info, const ClearMoments&) override {
    if (!control_) return;
    const int64_t every = std::clamp<int64_t>(info.steps / 100, 1, 10);
    if (info.step % every == 0)
      lambda_ = task_scale_.value() * control_->update(connectivity(masks_now()));
    if (info.step + 1 == info.steps) settle();
  }

  std::vector<ParamGroup> param_groups() override {
    ParamGroup own{.tensors = {}, .lr = options_.lr};
    for (const Gates& gates : gates_) own.tensors.push_back(gates.m());
    return {own};
  }

  [[nodiscard]] Tensor harden_neurons(size_t id) const override {
    return settled_.empty() ? gates_[id].m().detach().gt(0).to(at::kFloat) : settled_[id];
  }

  [[nodiscard]] std::vector<nn::NamedTensor> kept_tensors() const override {
    std::vector<nn::NamedTensor> tensors;
    for (const MaskableNeurons& n : neurons_)
      tensors.push_back({n.neuron->name + ".m", gates_[n.id].m()});
    return tensors;
  }

  Json take_statistics() override {
    return {
        {"beta", beta_}, {"lambda_neuron", lambda_}, {"conn_pct", 100 * connectivity(masks_now())}};
  }
  [[nodiscard]] Targets targets() const override { return {.connections = options_.target_conn}; }
  [[nodiscard]] Json outcome() const override {
    Json json = {{"lambda_neuron", lambda_}, {"neuron_threshold", threshold_}};
    if (options_.target_conn) json["target_conn"] = *options_.target_conn;
    return json;
  }

  // What both methods would keep now.
  [[nodiscard]] Masks masks_now() const {
    Masks masks;
    add_masks(weights_, masks);
    add_masks(*this, masks);
    return masks;
  }
  // The share of the dense network's connections that the masks leave.
  [[nodiscard]] double connectivity(const Masks& masks) const {
    return count_connections(network_, masks).percent() / 100;
  }

 protected:
  void visit_own_state(nn::StateVisitor& visitor) override {
    visitor.value("beta", beta_);
    visitor.value("lambda_neuron", lambda_);
    visitor.value("neuron_threshold", threshold_);
    {
      const nn::StateVisitor::Scope scope(visitor, "task_scale");
      task_scale_.visit_state(visitor);
    }
    if (control_) control_->visit_state(visitor);

    bool is_settled = !settled_.empty();
    visitor.value("is_settled", is_settled);
    settled_.resize(is_settled ? neurons_.size() : 0);
    for (const MaskableNeurons& n : neurons_) {
      const nn::StateVisitor::Scope scope(visitor, n.neuron->name);
      const Tensor& m = gates_[n.id].m();
      visitor.tensor("m", m);
      if (!is_settled) continue;
      Tensor& settled = settled_[n.id];
      if (!settled.defined()) settled = at::zeros_like(m, at::TensorOptions().requires_grad(false));
      visitor.tensor("settled", settled);
    }
  }

 private:
  void set_gates(double beta) {
    beta_ = beta;
    for (Gates& gates : gates_) gates.set(beta, kClosed);
  }

  // If the penalty did not end at the target, moves the threshold on m from 0 to where the target
  // is met.
  void settle() {
    const double target = *options_.target_conn;
    Masks masks = masks_now();
    if (std::abs(connectivity(masks) / target - 1) <= kSettled) return;

    const at::NoGradGuard no_grad;
    std::vector<Tensor> flat;
    for (const Gates& gates : gates_) flat.push_back(gates.m().flatten());
    // `place` is the rank of each neuron by falling m; the first of equals comes first.
    const auto [sorted, order] = at::sort(at::cat(flat), /*stable=*/true, 0, /*descending=*/true);
    const Tensor place = at::argsort(order);
    const auto conn_of_first = [&](int64_t n) {
      keep_first(place, n, masks);
      return connectivity(masks);
    };

    int64_t below = 0, above = place.numel();
    while (above - below > 1) {
      const int64_t middle = below + (above - below) / 2;
      (conn_of_first(middle) <= target ? below : above) = middle;
    }

    const bool take_below = target - conn_of_first(below) <= conn_of_first(above) - target;
    const int64_t kept = take_below ? below : above;
    keep_first(place, kept, masks);
    for (const NeuronMask& mask : masks.neurons) settled_.push_back(mask.keep);
    threshold_ = sorted[std::min(kept, place.numel() - 1)].item<double>();
  }

  // Keeps the neurons whose rank `place` is below n, over all layers together.
  static void keep_first(const Tensor& place, int64_t n, Masks& masks) {
    int64_t begin = 0;
    for (NeuronMask& mask : masks.neurons) {
      const int64_t size = mask.keep.numel();
      mask.keep = place.narrow(0, begin, size).lt(n).view(mask.keep.sizes()).to(at::kFloat);
      begin += size;
    }
  }

  const Method& weights_;
  nn::Network& network_;
  NeuronOptions options_;
  std::vector<Gates> gates_;  // by neurons_
  double beta_ = 0, lambda_;
  RunningMean task_scale_;
  std::optional<ConnControl> control_;
  std::vector<Tensor> settled_;  // [C,H,W] kept by settle(); empty: m > 0
  double threshold_ = 0;
};

void check_target(const NeuronPruning& method, const Method& weights, double target,
                  const std::string& key) {
  Masks masks = method.masks_now();
  // Blocks keep a known number of weights from the start; of other masks some may end anywhere.
  const bool is_known =
      weights.keeps_its_numbers() ||
      std::all_of(masks.weights.begin(), masks.weights.end(),
                  [](const LayerMask& mask) { return mask.mask.kind == nm::Mask::Kind::kNm; });
  if (!is_known) masks.weights.clear();
  const auto conn_with = [&](double keep) {
    for (NeuronMask& mask : masks.neurons) mask.keep = at::full_like(mask.keep, keep);
    return method.connectivity(masks);
  };
  const double least = is_known ? conn_with(0) : 0, most = conn_with(1);
  SPIKENM_CHECK(target >= least && target <= most,
                "{}: found {:g}, wanted {:.4g} (all neurons pruned that may be) to {:.4g} (none)",
                key, target, least, most);
}

}  // namespace

std::unique_ptr<Method> make_neuron_pruning(const Method& weights, nn::Network& network,
                                            const Config& config) {
  const size_t granularity = kGranularity.read(config);
  if (granularity == 0) {
    for (const char* key : {"beta_min", "beta_max", "neuron_lr", "lambda_neuron", "target_conn"})
      config.no_effect(key, {"granularity"});
    return nullptr;
  }
  SPIKENM_CHECK(granularity == 1 || weights.layers().empty(),
                "{}: found neuron, and the method masks weights; wanted weight+neuron, or the "
                "method upr or dense",
                config.full_key("granularity"));
  SPIKENM_CHECK(weights.neurons().empty(),
                "{}: found weight+neuron, and the method already masks neurons",
                config.full_key("granularity"));

  const NeuronOptions options = read_options(config);
  auto method = std::make_unique<NeuronPruning>(weights, network, options);
  SPIKENM_CHECK(!method->neurons().empty(),
                "{}: found weight+neuron, and the model has no neurons that may be pruned",
                config.full_key("granularity"));
  if (options.target_conn)
    check_target(*method, weights, *options.target_conn, config.full_key("target_conn"));
  return method;
}

}  // namespace spikenm::sparsity
