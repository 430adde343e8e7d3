// What a finished epoch says on the terminal or in a log: one line.
#pragma once

#include "spikenm/train/trainer.h"

#include <string>

namespace spikenm::train {

struct EpochSpeed {
  double samples_per_second = 0;
  double seconds_left = 0;  // of the run, if it goes on as it went
  double memory_bytes = 0;  // of the GPU where the network is on one, else of the process
};

// "search 3/10  loss 1.2345  train 45.10 %  val 44.00 %  lr 0.001  1234/s  left 0:12:34  1.2 GB"
std::string epoch_line(const EpochRecord& record, int64_t epochs, const EpochSpeed& speed);

// "0:12:34"
std::string clock_text(double seconds);

// What epochs use now: see EpochSpeed.
double memory_in_use(const at::Device& device);

}  // namespace spikenm::train
