// What a run shows while it trains: a live line on a terminal, and a line after each epoch.
#pragma once

#include "spikenm/core/progress.h"
#include "spikenm/core/stopwatch.h"
#include "spikenm/train/epoch_record.h"
#include "spikenm/train/warnings.h"

#include <string>

namespace spikenm::train {

struct Display {
  std::string title;     // text before the progress bar
  bool bar = true;       // progress bar, if stderr is a terminal
  bool lines = true;     // one line per epoch
  bool verbose = false;  // the method's statistics after each line
};

// "search 3/10  loss 1.2345  train 45.10 %  val 44.00 %  lr 0.001  1234/s  left 0:12:34  1.2 GB"
std::string epoch_line(const EpochRecord& record, int64_t epochs, double seconds_left);

// Hours, minutes and seconds: "0:12:34".
std::string clock_text(double seconds);

class EpochDisplay {
 public:
  EpochDisplay(Display display, int64_t epochs) : display_(std::move(display)), epochs_(epochs) {}

  // Training begins, or goes on, after `done` of `all` steps.
  void begin(int64_t done, int64_t all);
  // A step has ended; `done` counts it.
  void step(const EpochRecord& record, double loss, int64_t done);
  void epoch(const EpochRecord& record, int64_t done);
  void warn(const Warnings& warnings);
  void end() { progress_.clear(); }

 private:
  [[nodiscard]] double seconds_left(int64_t done) const;  // at the mean speed since begin()

  Display display_;
  int64_t epochs_, done_before_ = 0, all_ = 1;
  ProgressLine progress_;
  Stopwatch clock_;
  std::string last_validation_;  // "  val 44.00 %"
};

}  // namespace spikenm::train
