// Gradual magnitude pruning to n of m for the first part of the search, rewiring for the rest.
#include "spikenm/sparsity/methods/gradual.h"
#include "spikenm/sparsity/methods/gradual_rewire_keys.h"
#include "spikenm/sparsity/methods/rewire.h"

#include <cmath>

namespace spikenm::sparsity {
namespace {

class GradualRewire : public Method {
 public:
  GradualRewire(const std::vector<MaskableLayer>& layers, const GradualOptions& pruning,
                const RewireOptions& rewiring, uint64_t seed)
      : Method(layers),
        until_(pruning.until),
        every_(rewiring.every),
        gradual_(layers, pruning),
        rewire_(layers, rewiring, seed) {}

  void begin_step(const StepInfo& info) override {
    const bool prunes = info.step < first_rewired(info.steps);
    if (prunes) {
      gradual_.begin_step(info);
    } else if (!is_rewiring_) {
      gradual_.choose(info);  // n from here on
      for (const MaskableLayer& layer : layers_)
        rewire_.start_from(layer.id, gradual_.largest(layer.id));
    }
    is_rewiring_ = !prunes;
  }

  Tensor effective_weight(size_t id, const Tensor& weight) override {
    return now().effective_weight(id, weight);
  }
  std::shared_ptr<ops::CreditSink> credit(size_t id) override { return now().credit(id); }
  void after_backward(const StepInfo& info) override { now().after_backward(info); }

  // The share of blocks that change falls over the steps of the rewiring; the interval is, as
  // everywhere, of the whole search.
  void after_step(const StepInfo& info, const ClearMoments& clear_moments) override {
    if (!is_rewiring_) return;
    const int64_t first = first_rewired(info.steps);
    rewire_.rewire_every(every_.steps(info.steps),
                         {.step = info.step - first, .steps = info.steps - first}, clear_moments);
  }

  [[nodiscard]] nm::Mask harden(size_t id) const override {
    return is_rewiring_ ? rewire_.harden(id) : gradual_.harden(id);
  }
  [[nodiscard]] std::vector<nn::NamedTensor> kept_tensors() const override {
    return rewire_.kept_tensors();
  }

  [[nodiscard]] std::vector<std::string> doubts(int64_t search_steps) const override {
    if (search_steps == 0) return Method::doubts(search_steps);
    const int64_t left = search_steps - first_rewired(search_steps);
    if (left > every_.steps(search_steps)) return {};
    return {
        fmt::format("{}: found {}, and {} of the search's {} steps are left for rewiring, so the "
                    "mask stays the one of the largest weights",
                    every_.key, every_.text(), left, search_steps)};
  }

  Json take_statistics() override { return rewire_.take_statistics(); }

 protected:
  void visit_own_state(nn::StateVisitor& visitor) override {
    visitor.value("is_rewiring", is_rewiring_);
    {
      const nn::StateVisitor::Scope scope(visitor, "gradual");
      gradual_.visit_state(visitor);
    }
    const nn::StateVisitor::Scope scope(visitor, "rewire");
    rewire_.visit_state(visitor);
  }

 private:
  [[nodiscard]] int64_t first_rewired(int64_t steps) const {
    return static_cast<int64_t>(std::ceil(until_ * static_cast<double>(steps)));
  }
  Method& now() { return is_rewiring_ ? static_cast<Method&>(rewire_) : gradual_; }

  double until_;
  Interval every_;
  Gradual gradual_;
  Rewire rewire_;
  bool is_rewiring_ = false;
};

}  // namespace

std::unique_ptr<Method> make_gradual_rewire(nn::Network& network, const Config& config,
                                            uint64_t seed) {
  const GradualOptions pruning =
      read_gradual_options(config, gradual_rewire_key::kUntil.read(config));
  const RewireOptions rewiring = read_rewire_options(config);
  return std::make_unique<GradualRewire>(find_maskable_layers(network, config), pruning, rewiring,
                                         seed);
}

}  // namespace spikenm::sparsity
