#include "spikenm/train/search_hooks.h"

namespace spikenm::train {

sparsity::StepInfo step_info(const Position& at, const Schedule& schedule) {
  return {.step = at.phase_step,
          .steps = at.phase_steps,
          .lr = schedule.lr_at(at),
          .ends_epoch = at.ends_epoch || at.phase_step + 1 == at.phase_steps};
}

std::vector<nn::NamedTensor> named_parameters(const std::vector<sparsity::ParamGroup>& groups,
                                              const std::vector<nn::NamedTensor>& kept) {
  const auto name_of = [&](const at::Tensor& parameter) -> std::string {
    for (const nn::NamedTensor& k : kept)
      if (k.tensor.is_same(parameter)) return k.name;
    return "the method's parameters";
  };
  std::vector<nn::NamedTensor> named;
  for (const sparsity::ParamGroup& group : groups)
    for (const at::Tensor& tensor : group.tensors) named.push_back({name_of(tensor), tensor});
  return named;
}

SearchHooks::SearchHooks(sparsity::Pruning& method, const Schedule& schedule,
                         nn::Optimizer& weights)
    : method_(method),
      schedule_(schedule),
      clear_moments_([&weights](const at::Tensor& parameter, const at::Tensor& keep) {
        weights.clear_moments(parameter, keep);
      }),
      installed_(method),
      parameters_(named_parameters(method.param_groups(), method.kept_tensors())) {}

StepHooks SearchHooks::hooks() {
  return {
      .before_forward = [this](const Position& at) { before_forward(at); },
      .after_step = [this](const Position& at) { after_step(at); },
      .after_backward = [this](const Position& at,
                               const sparsity::Scaling& scaling) { after_backward(at, scaling); },
      .step_parameters = [this](const Position& at,
                                const sparsity::Scaling& scaling) { step_parameters(at, scaling); },
      .parameters = parameters_,
      .recording = [this] { return method_.recording(); }};
}

void SearchHooks::before_forward(const Position& at) {
  sparsity::StepInfo info = step_info(at, schedule_);
  info.clear_moments = clear_moments_;
  method_.begin_step(info);
}

void SearchHooks::after_backward(const Position& at, const sparsity::Scaling& scaling) {
  sparsity::StepInfo info = step_info(at, schedule_);
  info.scaling = scaling;
  method_.after_backward(info);
}

void SearchHooks::step_parameters(const Position& at, const sparsity::Scaling& scaling) {
  method_.step_parameters(schedule_.factor_at(at), scaling.overflow);
}

void SearchHooks::after_step(const Position& at) {
  method_.after_step(step_info(at, schedule_), clear_moments_);
}

}  // namespace spikenm::train
