// Checks whether a copy of a dataset is complete: its sizes, its published sums, and every sample.
#pragma once

#include "spikenm/data/dataset.h"

#include <string>
#include <vector>

namespace spikenm::data {

struct Finding {
  bool good = true;
  std::string text;   // one line
  int64_t count = 1;  // of a bad one: the things that are wrong and have no line of their own
};

struct CheckReport {
  std::string name;
  int64_t train = 0, test = 0;  // samples found
  std::vector<Finding> findings;

  [[nodiscard]] bool complete() const;
  // One sentence: "mnist: complete, 60000 train + 10000 test", or the first thing that is wrong
  // and how many more are.
  [[nodiscard]] std::string verdict() const;
};

// Broken samples and files become findings, so that one run names them all.
CheckReport check_dataset(const Dataset& dataset, const ProgressCallback& progress = {});

}  // namespace spikenm::data
