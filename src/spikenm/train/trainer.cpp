#include "spikenm/train/trainer.h"

#include "spikenm/core/say.h"
#include "spikenm/train/batch_feed.h"
#include "spikenm/train/divergence.h"
#include "spikenm/train/epoch_line.h"
#include "spikenm/train/evaluate.h"
#include "spikenm/train/trained_epochs.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace spikenm::train {
namespace {

// Reading a loss makes the host wait for a GPU, and checking all weights takes time on any device.
// So weights are checked only after this many steps, and losses on a GPU too.
constexpr int64_t kStepsBetweenLooks = 50;

}  // namespace

Trainer::Trainer(Recipe& recipe, RunDir& run, Display display, TrainerCalls calls)
    : recipe_(recipe),
      run_(run),
      display_(std::move(display)),
      calls_(std::move(calls)),
      train_(recipe.views->train, recipe.train_loader()),
      stepper_(*recipe.model.network, recipe.model.T, recipe.loss, recipe.optimizer,
               recipe.train.clip_norm),
      outcome_(recipe.model.method->outcome()) {
  stepper_.record_steps(recipe.model.device.graphs);
  if (recipe.views->validation.size() > 0)
    validation_.emplace(recipe.views->validation, recipe.test_loader());
  start_sums();
}

void Trainer::start_sums() {
  const at::TensorOptions options(recipe_.model.network->device());
  loss_sum_ = at::zeros({}, options.dtype(at::kDouble));
  correct_ = at::zeros({}, options.dtype(at::kLong));
  epoch_seconds_ = 0;
}

void Trainer::freeze(sparsity::Masks masks) {
  masks_ = std::move(masks);
  is_frozen_ = true;
}

void Trainer::train() {
  clock_ = {};
  steps_before_ = steps();
  const auto n_phases = static_cast<int64_t>(recipe_.train.phases.size());
  for (; cursor_.phase < n_phases; ++cursor_.phase, cursor_.epoch = 0) {
    const std::string& name = recipe_.train.phases[static_cast<size_t>(cursor_.phase)];
    run_phase(name, phases().find(name)());
  }
  progress_.clear();
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

  while (cursor_.epoch < n) {
    EpochRecord record = train_epoch(name, phase, n, hooks.step);
    {
      std::optional<sparsity::FrozenHooks> frozen;
      if (hooks.validation_masks) frozen.emplace(hooks.validation_masks());
      validate(record);
    }
    record.extra = hooks.statistics ? hooks.statistics() : Json::object();
    log_epoch(record);
    show_epoch(record);
    if (phase.finetunes) keep_if_best(record);

    ++cursor_.epoch;
    ++cursor_.epochs_done;
    cursor_.batch = 0;
    start_sums();
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
                    .finetuning = phase.finetunes};
  };

  while (cursor_.batch < n) {
    const Position at = position_of(cursor_.batch);
    const double lr = recipe_.schedule.lr_at(at);
    const StepResult step = stepper_.step(feed.next(), at, lr, hooks);
    loss_sum_ += step.loss;
    correct_ += step.correct;
    look(step, lr, record);
    ++cursor_.batch;
    epoch_seconds_ = seconds_before + clock.seconds();
    if (calls_.between_steps) calls_.between_steps();
  }

  record.loss = loss_sum_.item<double>() / static_cast<double>(n);
  check_finite(record.loss, "the mean loss",
               fmt::format("in {} epoch {} of {}", name, record.epoch, recipe_.train.epochs));
  record.lr = recipe_.schedule.lr_at(position_of(n - 1));
  record.train_accuracy =
      100.0 * correct_.item<double>() / static_cast<double>(n * recipe_.train.batch_size);
  record.seconds = seconds_before + clock.seconds();
  return record;
}

std::string Trainer::where() const {
  const auto& names = recipe_.train.phases;
  auto phase = static_cast<size_t>(cursor_.phase);
  // At the end of a phase the next step is in another one.
  for (int64_t epoch = cursor_.epoch;
       phase < names.size() && epoch >= phases().find(names[phase])().epochs(recipe_.train);
       epoch = 0)
    ++phase;
  if (phase >= names.size()) return "after training";
  return fmt::format("in {} epoch {} of {}, batch {} of {}", names[phase], cursor_.epochs_done + 1,
                     recipe_.train.epochs, std::min(cursor_.batch + 1, train_.batches()),
                     train_.batches());
}

void Trainer::look(const StepResult& step, double lr, const EpochRecord& record) {
  const int64_t done = cursor_.batch + 1;
  const bool looks = done % kStepsBetweenLooks == 0 || done == train_.batches();
  if (recipe_.model.network->device().is_cuda() && !looks) return;

  const std::string place = fmt::format("{} (learning rate {:g})", where(), lr);
  const double loss = step.loss.item<double>();
  check_finite(loss, "the loss", place);
  if (looks) check_finite(trained_tensors(*recipe_.model.network, method()), place);
  show_step(record, loss);
}

void Trainer::validate(EpochRecord& record) {
  if (!validation_) return;
  const Evaluation found =
      evaluate(*recipe_.model.network, *validation_, recipe_.model.T, recipe_.loss);
  check_finite(found.loss, "the validation loss",
               fmt::format("after {} epoch {} of {} (learning rate {:g})", record.phase,
                           record.epoch, recipe_.train.epochs, record.lr));
  record.val_accuracy = found.accuracy;
  record.val_loss = found.loss;
  record.is_validated = true;
}

void Trainer::log_epoch(const EpochRecord& r) {
  Json line = {{"epoch", r.epoch},
               {"phase", r.phase},
               {"lr", r.lr},
               {"loss", r.loss},
               {"train_accuracy", r.train_accuracy},
               {"seconds", r.seconds},
               {"samples_per_second", samples_per_second(r)},
               {"memory_gb", memory_in_use(recipe_.model.network->device()) / 1e9}};
  if (r.is_validated) line.update(Json{{"val_loss", r.val_loss}, {"val_accuracy", r.val_accuracy}});
  if (stepper_.scaler() != nullptr) line.update(stepper_.scaler()->state());
  line.update(r.extra);
  run_.append_line(RunDir::kMetrics, line);
  run_.promote();
  if (calls_.logged) calls_.logged(line);
}

void Trainer::keep_if_best(const EpochRecord& record) {
  if (!validation_ || record.val_accuracy <= best_accuracy_) return;
  best_accuracy_ = record.val_accuracy;
  if (calls_.found_best) calls_.found_best(record);
}

bool Trainer::asks_method() const {
  const auto& names = recipe_.train.phases;
  return std::any_of(names.begin() + cursor_.phase, names.end(),
                     [](const std::string& name) { return phases().find(name)().asks_method; });
}

void Trainer::visit_state(nn::StateVisitor& visitor) {
  using Scope = nn::StateVisitor::Scope;
  visitor.value("phase", cursor_.phase);
  visitor.value("epoch", cursor_.epoch);
  visitor.value("batch", cursor_.batch);
  visitor.value("epochs_done", cursor_.epochs_done);
  if (visitor.loads()) check_cursor(visitor);

  visitor.value("best_accuracy", best_accuracy_);
  visitor.value("epoch_seconds", epoch_seconds_);
  visitor.value("phase_seconds", phase_seconds_);
  visitor.value("outcome", outcome_);
  visitor.value("is_frozen", is_frozen_);
  visitor.tensor("loss_sum", loss_sum_);
  visitor.tensor("correct", correct_);

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
}

void Trainer::check_cursor(nn::StateVisitor& visitor) const {
  const auto check = [&](const char* name, int64_t found, int64_t most) {
    if (found < 0 || found > most)
      visitor.refuse(name, fmt::format("found {}, wanted 0 to {}", found, most));
  };
  const auto& names = recipe_.train.phases;
  const auto n_phases = static_cast<int64_t>(names.size());
  check("phase", cursor_.phase, n_phases);
  check("epochs_done", cursor_.epochs_done, recipe_.train.epochs);
  check("batch", cursor_.batch, train_.batches());
  if (cursor_.phase == n_phases) return check("epoch", cursor_.epoch, 0);  // all are done
  const Phase phase = phases().find(names[static_cast<size_t>(cursor_.phase)])();
  check("epoch", cursor_.epoch, phase.epochs(recipe_.train));
}

double Trainer::samples_per_second(const EpochRecord& record) const {
  const auto samples = static_cast<double>(train_.batches() * recipe_.train.batch_size);
  return samples / std::max(record.seconds, 1e-9);
}

double Trainer::seconds_left() const {
  const int64_t done = steps() - steps_before_;
  const int64_t left = trained_epochs(recipe_.train) * train_.batches() - steps();
  return done > 0 ? clock_.seconds() / static_cast<double>(done) * static_cast<double>(left) : 0;
}

void Trainer::show_step(const EpochRecord& record, double loss) {
  if (!display_.bar || !progress_.is_live()) return;
  const auto n = static_cast<double>(train_.batches());
  const double done =
      (static_cast<double>(record.epoch - 1) + static_cast<double>(cursor_.batch + 1) / n) /
      static_cast<double>(recipe_.train.epochs);
  progress_.update(
      display_.title, done,
      fmt::format("{} {}/{}  loss {:.3f}{}  left {}", record.phase, record.epoch,
                  recipe_.train.epochs, loss, last_validation_, clock_text(seconds_left())));
}

void Trainer::show_epoch(const EpochRecord& record) {
  if (record.is_validated) last_validation_ = fmt::format("  val {:.2f} %", record.val_accuracy);
  if (!display_.lines) return;
  progress_.clear();
  say(epoch_line(record, recipe_.train.epochs,
                 {.samples_per_second = samples_per_second(record),
                  .seconds_left = seconds_left(),
                  .memory_bytes = memory_in_use(recipe_.model.network->device())}));
  if (!display_.verbose) return;
  for (const auto& [name, value] : record.extra.items())
    say(fmt::format("  {} {}", name, value.dump()));
}

}  // namespace spikenm::train
