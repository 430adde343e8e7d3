// Which classes a network takes for which.
#pragma once

#include "spikenm/report/runs.h"

namespace spikenm::report {

struct Confusion {
  std::string run;  // its folder
  std::vector<std::string> classes;
  std::vector<std::vector<int64_t>> counts;  // [class, class taken for it]
};

// The counts in the run's result, with the class names of its model file where that has some. An
// Error says when the result has none (it was measured by an older version, or has many classes).
Confusion read_confusion(const Run& run);

// The sum of several runs of the same classes. An Error names two runs whose classes differ.
Confusion sum_of(const std::vector<Confusion>& all);

std::string confusion_svg(const std::string& title, const Confusion& confusion);

}  // namespace spikenm::report
