// Finished runs as rows of the paper's table: runs that differ only in their seed are one row, and
// published figures are shown beside ours.
#pragma once

#include "spikenm/report/published.h"
#include "spikenm/report/settings.h"
#include "spikenm/report/statistic.h"

#include <optional>
#include <string>
#include <vector>

namespace spikenm::report {

struct PaperRow {
  std::string dataset, method, pattern, granularity, model;
  std::optional<int64_t> T;
  Settings settings;      // all of them
  Difference difference;  // the settings in which it differs from rows with the same names
  std::optional<Statistic> accuracy, accuracy_best_val;  // %, last epoch and best on validation
  // Difference to the mean accuracy of dense runs of the same recipe whose neurons are not pruned.
  std::optional<double> delta;
  std::optional<Statistic> weight_pct, weight_pct_all, conn_pct, neuron_pct, sops_m, energy_uj;
  size_t n = 0;                      // runs
  std::vector<std::string> folders;  // of the runs
  std::optional<PublishedRow> published;
  // Of the rows with the same recipe, pattern and granularity, the most accurate one that is neither
  // dense nor SpikeNM.
  bool is_best_control = false;
  bool partial = false;  // of the set or of the layers: no published figure is for it
};

// What a row would be called among published figures, with its density.
PublishedRow wanted_figure(const PaperRow& row);

// Rows of one dataset and model are together, the dense ones first. Two runs must not have the same
// settings and seed (see distinct_runs).
std::vector<PaperRow> paper_rows(const std::vector<Run>& runs,
                                 const std::vector<PublishedRow>& published);

}  // namespace spikenm::report
