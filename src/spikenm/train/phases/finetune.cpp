#include "spikenm/train/phase.h"
#include "spikenm/train/search_hooks.h"
#include "spikenm/train/trainer.h"

namespace spikenm::train {
namespace {

using Methods = std::vector<sparsity::Method*>;

// The methods that act in finetune may move weights and parameters of their own.
void let_act(const Methods& acting, const Schedule& schedule, PhaseHooks& hooks) {
  const auto info_at = [&schedule](const Position& at) {
    sparsity::StepInfo info = step_info(at, schedule);
    info.is_frozen = true;
    return info;
  };
  hooks.step.before_forward = [acting, info_at](const Position& at) {
    for (sparsity::Method* const method : acting) method->begin_step(info_at(at));
  };
  hooks.step.after_backward = [acting, info_at](const Position& at,
                                                const sparsity::Scaling& scaling) {
    sparsity::StepInfo info = info_at(at);
    info.scaling = scaling;
    for (sparsity::Method* const method : acting) method->after_backward(info);
  };
  hooks.step.step_parameters = [acting, &schedule](const Position& at,
                                                   const sparsity::Scaling& scaling) {
    for (sparsity::Method* const method : acting)
      method->step_parameters(schedule.factor_at(at), scaling.overflow);
  };
  for (sparsity::Method* const method : acting)
    for (nn::NamedTensor& parameter :
         named_parameters(method->param_groups(), method->kept_tensors()))
      hooks.step.parameters.push_back(std::move(parameter));
  hooks.statistics = [acting] {
    Json json = Json::object();
    for (sparsity::Method* const method : acting) json.update(method->take_statistics());
    return json;
  };
}

// As Pruning::recording, of those that act: steps are recorded only if all of them allow it.
std::optional<int64_t> recording_of(const Methods& acting) {
  int64_t version = 0;
  for (const sparsity::Method* const method : acting) {
    const std::optional<int64_t> own = method->recording();
    if (!own) return std::nullopt;
    version = version * (int64_t{1} << 32) + *own;
  }
  return version;
}

// Eq. (23): the mask is fixed and only the weights learn. Momentum or decay may change a pruned
// weight, so the mask is applied again after every step.
PhaseHooks begin_finetune(Trainer& trainer) {
  PhaseHooks hooks;
  hooks.step.after_step = [&trainer](const Position&) {
    sparsity::apply_to_weights(trainer.masks());
  };
  const Methods acting = trainer.method().acting_in_finetune();
  if (!acting.empty()) let_act(acting, trainer.schedule(), hooks);
  hooks.step.recording = [acting] { return recording_of(acting); };
  hooks.installed = std::make_shared<sparsity::FrozenHooks>(trainer.masks());
  return hooks;
}

}  // namespace

Phase make_finetune() {
  return {
      .epochs = [](const TrainOptions& options) { return options.epochs - options.search_epochs; },
      .begin = begin_finetune,
      .finetunes = true};
}

}  // namespace spikenm::train
