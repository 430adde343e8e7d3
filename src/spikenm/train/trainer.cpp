#include "spikenm/train/trainer.h"

#include "spikenm/core/interrupt.h"
#include "spikenm/train/batch_feed.h"
#include "spikenm/train/divergence.h"
#include "spikenm/train/evaluate.h"
#include "spikenm/train/phase.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace spikenm::train {
namespace {

// Reading a loss waits for the GPU, and checking all weights takes time on a CPU too, so both are
// done only at intervals.
constexpr int64_t kStepsBetweenLooks = 50;

std::vector<at::Tensor> tensors_of(const nn::Network& network) {
  std::vector<at::Tensor> tensors;
  for (const nn::NamedTensor& p : network.parameters()) tensors.push_back(p.tensor);
  for (const nn::NamedTensor& b : network.buffers()) tensors.push_back(b.tensor);
  return tensors;
}

}  // namespace

Snapshot take_snapshot(const nn::Network& network) {
  Snapshot snapshot;
  for (const at::Tensor& t : tensors_of(network)) snapshot.tensors.push_back(t.detach().clone());
  return snapshot;
}

void restore_snapshot(nn::Network& network, const Snapshot& snapshot) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> tensors = tensors_of(network);
  SPIKENM_ASSERT(tensors.size() == snapshot.tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) tensors[i].copy_(snapshot.tensors[i]);
}

Trainer::Trainer(Recipe& recipe, RunDir& run, std::string title)
    : recipe_(recipe),
      run_(run),
      title_(std::move(title)),
      train_(recipe.views->train, recipe.train_loader()),
      stepper_(*recipe.model.network, recipe.model.T, recipe.loss, recipe.optimizer,
               recipe.train.clip_norm) {
  stepper_.record_steps(recipe.model.device.graphs);
  if (recipe.views->validation.size() > 0)
    validation_.emplace(recipe.views->validation, recipe.test_loader());
}

void Trainer::train() {
  for (const std::string& name : recipe_.train.phases) {
    const Stopwatch clock;
    phases().find(name)()->run(*this);
    phase_seconds_[name] = phase_seconds_.value(name, 0.0) + clock.seconds();
  }
  progress_.clear();
  check_finite(trained_tensors(*recipe_.model.network, method()), "at the end of training");
}

EpochRecord Trainer::train_epoch(const std::string& phase, int64_t epoch, int64_t epochs_in_phase,
                                 bool finetuning, const StepHooks& hooks) {
  const Stopwatch clock;
  const int64_t n = train_.batches();
  train_.start_epoch(epochs_done_);
  BatchFeed feed(train_, recipe_.model.network->device());
  EpochRecord record{.phase = phase, .epoch = epochs_done_ + 1, .extra = Json::object()};
  Position at{.phase_steps = epochs_in_phase * n,
              .steps = recipe_.train.epochs * n,
              .finetuning = finetuning};
  const at::Device device = recipe_.model.network->device();
  at::Tensor loss_sum = at::zeros({}, at::TensorOptions(device).dtype(at::kDouble)),
             correct = at::zeros({}, at::TensorOptions(device).dtype(at::kLong));

  for (int64_t i = 0; i < n; ++i) {
    const std::string where = fmt::format("in {} epoch {} of {}, batch {} of {}", phase,
                                          record.epoch, recipe_.train.epochs, i + 1, n);
    throw_if_interrupted(where);
    at.phase_step = epoch * n + i;
    at.step = epochs_done_ * n + i;
    const double lr = recipe_.schedule.lr_at(at);
    const StepResult step = stepper_.step(feed.next(), at, lr, hooks);
    loss_sum += step.loss;
    correct += step.correct;

    const bool looks = (i + 1) % kStepsBetweenLooks == 0 || i + 1 == n;
    if (device.is_cuda() && !looks) continue;
    const std::string place = fmt::format("{} (learning rate {:g})", where, lr);
    const double loss = step.loss.item<double>();
    check_finite(loss, "the loss", place);
    if (looks) check_finite(trained_tensors(*recipe_.model.network, method()), place);
    show(record, i, loss);
  }

  record.loss = loss_sum.item<double>() / static_cast<double>(n);
  check_finite(record.loss, "the mean loss",
               fmt::format("in {} epoch {} of {}", phase, record.epoch, recipe_.train.epochs));
  record.lr = recipe_.schedule.lr_at(at);
  record.train_accuracy =
      100.0 * correct.item<double>() / static_cast<double>(n * recipe_.train.batch_size);
  record.seconds = clock.seconds();
  ++epochs_done_;
  return record;
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
}

void Trainer::log_epoch(const EpochRecord& r) {
  Json line = {{"epoch", r.epoch},
               {"phase", r.phase},
               {"lr", r.lr},
               {"loss", r.loss},
               {"train_accuracy", r.train_accuracy},
               {"seconds", r.seconds}};
  if (validation_) line.update(Json{{"val_loss", r.val_loss}, {"val_accuracy", r.val_accuracy}});
  if (stepper_.scaler() != nullptr) line.update(stepper_.scaler()->state());
  line.update(r.extra);
  run_.append_line(RunDir::kMetrics, line);
  run_.promote();
}

void Trainer::keep_if_best(const EpochRecord& record) {
  if (!validation_ || record.val_accuracy <= best_accuracy_) return;
  best_accuracy_ = record.val_accuracy;
  best_ = take_snapshot(*recipe_.model.network);
}

void Trainer::show(const EpochRecord& record, int64_t batch, double loss) {
  const auto n = static_cast<double>(train_.batches());
  const double done = (static_cast<double>(record.epoch - 1) + static_cast<double>(batch + 1) / n) /
                      static_cast<double>(recipe_.train.epochs);
  progress_.update(title_, done,
                   fmt::format("{} epoch {}/{}  loss {:.3f}", record.phase, record.epoch,
                               recipe_.train.epochs, loss));
}

}  // namespace spikenm::train
