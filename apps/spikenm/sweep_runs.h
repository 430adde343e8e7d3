// The processes that train the runs of a sweep.
#pragma once

#include "sweep_plan.h"

#include <cstdint>
#include <string>
#include <vector>

namespace spikenm::cli {

struct TrainAllOptions {
  int64_t at_once = 1;
  int64_t retry = 0;       // how often a run that failed is started again
  bool force = false;      // train anew where the folder holds a run that differs from the plan
  bool take_over = false;  // folders of processes on other hosts
};

// Trains what is not finished, each run from its newest checkpoint; returns one line per run that
// failed. A run that another process trains is left to it, and its result is read at the end if
// there is one by then. Without `force`, a folder with a run that differs from the plan is an
// Error, and nothing is trained.
std::vector<std::string> train_all(std::vector<Planned>& planned,
                                   const std::vector<Resolved>& resolved,
                                   const TrainAllOptions& options);

}  // namespace spikenm::cli
