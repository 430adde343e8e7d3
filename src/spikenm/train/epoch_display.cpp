#include "spikenm/train/epoch_display.h"

#include "spikenm/core/say.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace spikenm::train {

std::string clock_text(double seconds) {
  const auto whole = static_cast<int64_t>(std::llround(std::max(0.0, seconds)));
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string epoch_line(const EpochRecord& r, int64_t epochs, double seconds_left) {
  std::string line = fmt::format("{} {}/{}  loss {:.4f}  train {:.2f} %", r.phase, r.epoch, epochs,
                                 r.loss, r.train_accuracy);
  if (r.is_validated) line += fmt::format("  val {:.2f} %", r.val_accuracy);
  return line + fmt::format("  lr {:.3g}  {:.0f}/s  left {}  {:.1f} GB", r.lr, r.samples_per_second,
                            clock_text(seconds_left), r.memory_bytes / 1e9);
}

void EpochDisplay::begin(int64_t done, int64_t all) {
  clock_ = {};
  done_before_ = done;
  all_ = all;
}

double EpochDisplay::seconds_left(int64_t done) const {
  const int64_t now = done - done_before_;
  return now > 0 ? clock_.seconds() / static_cast<double>(now) * static_cast<double>(all_ - done)
                 : 0;
}

void EpochDisplay::step(const EpochRecord& record, double loss, int64_t done) {
  if (!display_.bar || !progress_.is_live()) return;
  progress_.update(display_.title, static_cast<double>(done) / static_cast<double>(all_),
                   fmt::format("{} {}/{}  left {}  loss {:.3f}{}", record.phase, record.epoch,
                               epochs_, clock_text(seconds_left(done)), loss, last_validation_));
}

void EpochDisplay::epoch(const EpochRecord& record, int64_t done) {
  if (record.is_validated) last_validation_ = fmt::format("  val {:.2f} %", record.val_accuracy);
  if (!display_.lines) return;
  progress_.clear();
  say(epoch_line(record, epochs_, seconds_left(done)));
  if (!display_.verbose) return;
  for (const auto& [name, value] : record.extra.items())
    say(fmt::format("  {} {}", name, value.dump()));
}

void EpochDisplay::warn(const Warnings& warnings) {
  if (warnings.empty()) return;
  progress_.clear();
  say_warnings(warnings);
}

}  // namespace spikenm::train
