// Finished runs as the paper's table: runs that differ in their seed alone are one row, and
// published figures stand beside ours.
#pragma once

#include "spikenm/report/published.h"
#include "spikenm/report/runs.h"
#include "spikenm/report/statistic.h"

#include <optional>
#include <string>
#include <vector>

namespace spikenm::report {

struct PaperRow {
  std::string dataset, method, pattern, granularity, model;
  std::optional<int64_t> T;
  std::optional<Statistic> accuracy, accuracy_best_val;  // %, last epoch and best on validation
  // Difference to the mean accuracy of the dense runs on the same dataset with the same [model]
  // and train.epochs and all their neurons.
  std::optional<double> delta;
  std::optional<Statistic> weight_pct, conn_pct, neuron_pct, sops_m, energy_uj;
  size_t n = 0;  // runs
  std::optional<PublishedRow> published;
};

// Rows of one dataset and model stand together, the dense ones first.
std::vector<PaperRow> paper_rows(const std::vector<Run>& runs,
                                 const std::vector<PublishedRow>& published);

enum class TableFormat { kText, kMarkdown, kCsv };

// Text and Markdown leave out columns that are empty in every row; a flagged published row points
// to a note below. CSV has every column, with means and spreads apart.
std::string format_paper_table(const std::vector<PaperRow>& rows, TableFormat format);

}  // namespace spikenm::report
