#include "spikenm/train/trainer.h"

#include "spikenm/core/interrupt.h"
#include "spikenm/metrics/firing_rates.h"
#include "spikenm/ops/stream.h"
#include "spikenm/train/batch_feed.h"
#include "spikenm/train/divergence.h"
#include "spikenm/train/evaluate.h"
#include "spikenm/train/trained_epochs.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace spikenm::train {
namespace {

// Reading anything makes the host wait for a GPU, and checking all weights takes time on any device.
// So weights are checked only after this many steps, and on a GPU the count of bad steps too.
constexpr int64_t kStepsBetweenLooks = 50;

// Watching neurons costs time. These batches of an epoch's validation are enough for their rates.
constexpr int64_t kWatchedBatches = 4;

data::View watched_view(const Recipe& recipe) {
  const data::TrainViews& views = *recipe.views;
  return views.validation.size() > 0 ? views.validation
                                     : views.train.first(recipe.train.batch_size);
}

}  // namespace

Trainer::Trainer(Recipe& recipe, RunDir& run, Display display, TrainerCalls calls)
    : recipe_(recipe),
      run_(run),
      display_(std::move(display), recipe.train.epochs),
      calls_(std::move(calls)),
      train_(recipe.views->train, recipe.train_loader()),
      has_validation_(recipe.views->validation.size() > 0),
      watched_(watched_view(recipe), recipe.test_loader()),
      stepper_(*recipe.model.network, recipe.model.T, recipe.loss, recipe.optimizer,
               recipe.train.clip_norm, recipe.train.bad_steps),
      early_stop_(recipe.train.stop_early),
      outcome_(recipe.model.method->outcome()) {
  stepper_.record_steps(recipe.model.device.graphs);
  start_sums();
}

void Trainer::start_sums() {
  const at::TensorOptions options(recipe_.model.network->device());
  loss_sum_ = at::zeros({}, options.dtype(at::kDouble));
  correct_ = at::zeros({}, options.dtype(at::kLong));
  good_steps_ = at::zeros({}, options.dtype(at::kLong));
  epoch_seconds_ = 0;
}

void Trainer::freeze(sparsity::Masks masks) {
  masks_ = std::move(masks);
  is_frozen_ = true;
}

void Trainer::train() {
  display_.begin(steps(), trained_epochs(recipe_.train) * train_.batches());
  const auto n_phases = static_cast<int64_t>(recipe_.train.phases.size());
  for (; cursor_.phase < n_phases; ++cursor_.phase, cursor_.epoch = 0) {
    const std::string& name = recipe_.train.phases[static_cast<size_t>(cursor_.phase)];
    run_phase(name, phases().find(name)());
  }
  display_.end();
  check_finite(trained_tensors(*recipe_.model.network, method()), "at the end of training");
}

void Trainer::run_phase(const std::string& name, const Phase& phase) {
  const Stopwatch clock;
  const PhaseHooks hooks = phase.begin(*this);
  const int64_t n = phase.epochs(recipe_.train);
  auto count_seconds = [&, counted = 0.0]() mutable {
    const double seconds = clock.seconds();
    phase_seconds_[name] = phase_seconds_.value(name, 0.0) + seconds - counted;
    counted = seconds;
  };

  while (cursor_.epoch < n && stopped_early_ == 0) {
    EpochRecord record = train_epoch(name, phase, n, hooks.step);
    finish_epoch(record, hooks, phase.finetunes);
    count_seconds();
    if (calls_.after_epoch) calls_.after_epoch();
  }
  count_seconds();
  if (phase.asks_method) outcome_ = method().outcome();
}

EpochRecord Trainer::train_epoch(const std::string& name, const Phase& phase,
                                 int64_t epochs_in_phase, const StepHooks& hooks) {
  const Stopwatch clock;
  const double seconds_before = epoch_seconds_;
  const int64_t n = train_.batches();
  train_.start_epoch(cursor_.epochs_done, cursor_.batch);
  BatchFeed feed(train_, recipe_.model.network->device());
  EpochRecord record{.phase = name, .epoch = cursor_.epochs_done + 1};
  const auto position_of = [&](int64_t batch) {
    return Position{.phase_step = cursor_.epoch * n + batch,
                    .phase_steps = epochs_in_phase * n,
                    .step = cursor_.epochs_done * n + batch,
                    .steps = recipe_.train.epochs * n,
                    .finetuning = phase.finetunes,
                    .ends_epoch = batch + 1 == n};
  };

  while (cursor_.batch < n) {
    const Position at = position_of(cursor_.batch);
    const double lr = recipe_.schedule.lr_at(at);
    const StepResult step = stepper_.step(feed.next(), at, lr, hooks);
    count(step);
    look(step, record);
    ++cursor_.batch;
    epoch_seconds_ = seconds_before + clock.seconds();
    if (calls_.between_steps) calls_.between_steps();
  }

  const auto good_steps = good_steps_.item<double>();
  record.loss = loss_sum_.item<double>() / good_steps;
  check_finite(record.loss, "the mean loss",
               fmt::format("in {} epoch {} of {}", name, record.epoch, recipe_.train.epochs));
  record.lr = recipe_.schedule.lr_at(position_of(n - 1));
  record.train_accuracy = 100.0 * correct_.item<double>() /
                          (good_steps * static_cast<double>(recipe_.train.batch_size));
  record.seconds = seconds_before + clock.seconds();
  record.samples_per_second =
      static_cast<double>(n * recipe_.train.batch_size) / std::max(record.seconds, 1e-9);
  return record;
}

void Trainer::count(const StepResult& step) {
  const at::Tensor is_good = step.loss.isfinite();
  loss_sum_ += at::where(is_good, step.loss, 0);
  correct_ += step.correct * is_good;
  good_steps_ += is_good;
}

void Trainer::look(const StepResult& step, const EpochRecord& record) {
  const int64_t done = cursor_.batch + 1;
  const bool looks = done % kStepsBetweenLooks == 0 || done == train_.batches();
  if (recipe_.model.network->device().is_cuda() && !looks) return;
  check_steps();
  if (looks) check_finite(trained_tensors(*recipe_.model.network, method()), where());
  display_.step(record, step.loss.item<double>(), steps() + 1);
}

void Trainer::check_steps() {
  const std::optional<BadSteps> bad = stepper_.watch().found();
  if (!bad) return;
  const Cursor at = cursor_after(bad->first, recipe_.train, train_.batches());
  train_.start_epoch(at.epochs_done);
  throw_diverged(*bad,
                 fmt::format("{} (step {}, {})", place_of(at, recipe_.train, train_.batches()),
                             bad->first + 1, samples_text(train_.samples_in(at.batch))));
}

void Trainer::finish_steps() const {
  if (recipe_.model.network->device().is_cuda()) ops::synchronize();
}

void Trainer::check_state() {
  check_steps();
  check_finite(trained_tensors(*recipe_.model.network, method()), where());
}

void Trainer::validate(EpochRecord& record) {
  metrics::FiringRates rates;
  const Evaluation found = evaluate(*recipe_.model.network, watched_, recipe_.model.T, recipe_.loss,
                                    &rates, kWatchedBatches);
  check_finite(found.loss,
               has_validation_ ? "the validation loss" : "the loss without augmentation",
               fmt::format("after {} epoch {} of {} (learning rate {:g})", record.phase,
                           record.epoch, recipe_.train.epochs, record.lr));
  record.is_validated = has_validation_;
  record.val_accuracy = found.accuracy;
  record.val_loss = found.loss;
  record.extra["firing_rate"] = rates.json();
}

void Trainer::finish_epoch(EpochRecord& record, const PhaseHooks& hooks, bool finetunes) {
  std::optional<sparsity::Masks> drawn;
  if (hooks.validation_masks) drawn = hooks.validation_masks();
  {
    std::optional<sparsity::FrozenHooks> frozen;
    if (drawn) frozen.emplace(*drawn);
    validate(record);
  }

  // From here on the state changes. A run that stopped before the cursor moves would count this
  // epoch's statistics twice.
  const NoInterrupts shield;
  log_epoch(record, hooks, drawn ? *drawn : masks_);
  if (finetunes) keep_if_best(record);
  ++cursor_.epoch;
  ++cursor_.epochs_done;
  cursor_.batch = 0;
  start_sums();
  if (finetunes && has_validation_ && early_stop_.ends_with(record.val_accuracy) &&
      has_steps_left())
    stopped_early_ = record.epoch;
}

void Trainer::log_epoch(EpochRecord& record, const PhaseHooks& hooks,
                        const sparsity::Masks& masks) {
  record.extra.update(mask_watch_.look(masks));
  if (hooks.statistics) record.extra.update(hooks.statistics());
  if (stepper_.scaler() != nullptr) record.extra.update(stepper_.scaler()->state());
  record.memory_bytes = memory_in_use(recipe_.model.network->device());

  const Json line = record.line();
  run_.append_line(RunDir::kMetrics, line);
  run_.promote();
  if (calls_.logged) calls_.logged(line, masks);
  display_.epoch(record, steps() + train_.batches() - cursor_.batch);
  display_.warn(doubts_about_firing(record.extra["firing_rate"],
                                    has_validation_ ? "validation" : "training samples"));
}

void Trainer::keep_if_best(const EpochRecord& record) {
  if (!has_validation_ || record.val_accuracy <= best_accuracy_) return;
  best_accuracy_ = record.val_accuracy;
  if (calls_.found_best) calls_.found_best(record);
}

bool Trainer::asks_method() const {
  const auto& names = recipe_.train.phases;
  return std::any_of(names.begin() + cursor_.phase, names.end(), [this](const std::string& name) {
    const Phase phase = phases().find(name)();
    return phase.asks_method ||
           (phase.finetunes && !recipe_.model.method->acting_in_finetune().empty());
  });
}

void Trainer::visit_state(nn::StateVisitor& visitor) {
  using Scope = nn::StateVisitor::Scope;
  cursor_.visit_state(visitor, recipe_.train, train_.batches());
  visitor.value("best_accuracy", best_accuracy_);
  visitor.value("epoch_seconds", epoch_seconds_);
  visitor.value("phase_seconds", phase_seconds_);
  visitor.value("outcome", outcome_);
  visitor.value("stopped_early", stopped_early_);
  visitor.value("is_frozen", is_frozen_);
  visitor.tensor("loss_sum", loss_sum_);
  visitor.tensor("correct", correct_);
  visitor.tensor("good_steps", good_steps_);

  {
    const Scope scope(visitor, "network");
    recipe_.model.network->visit_state(visitor);
  }
  stepper_.visit_state(visitor);

  if (asks_method()) {
    const Scope scope(visitor, "method");
    method().visit_state(visitor);
  }
  if (is_frozen_) sparsity::visit_masks(visitor, method(), masks_);
  {
    const Scope scope(visitor, "early_stop");
    early_stop_.visit_state(visitor);
  }
  const Scope scope(visitor, "mask_watch");
  mask_watch_.visit_state(visitor, method());
}

}  // namespace spikenm::train
