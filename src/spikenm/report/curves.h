// Learning curves: what the metrics of runs were, epoch by epoch.
#pragma once

#include "spikenm/report/plot.h"
#include "spikenm/report/runs.h"

namespace spikenm::report {

// One plot for each number of the metrics lines, the well-known first; runs that differ in the seed
// alone are one curve with a band of their spread. An Error when no run has finished an epoch.
std::vector<Plot> curve_plots(const std::vector<Run>& runs);

// The plots as one picture.
std::string curves_svg(const std::string& title, const std::vector<Run>& runs);

}  // namespace spikenm::report
