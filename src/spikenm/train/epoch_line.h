// The line that is printed after each epoch.
#pragma once

#include "spikenm/train/trainer.h"

#include <string>

namespace spikenm::train {

struct EpochSpeed {
  double samples_per_second = 0;
  double seconds_left = 0;  // until the end of the run, at the mean speed so far
  double memory_bytes = 0;  // on a GPU: most memory in use so far; else: memory of the process
};

// "search 3/10  loss 1.2345  train 45.10 %  val 44.00 %  lr 0.001  1234/s  left 0:12:34  1.2 GB"
std::string epoch_line(const EpochRecord& record, int64_t epochs, const EpochSpeed& speed);

// Hours, minutes and seconds: "0:12:34".
std::string clock_text(double seconds);

// EpochSpeed::memory_bytes for a network on this device.
double memory_in_use(const at::Device& device);

}  // namespace spikenm::train
