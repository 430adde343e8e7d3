// The paper's two tables, row by row, with our runs beside them: which figures may be compared with
// ours like for like, and which the paper took from elsewhere.
#pragma once

#include "spikenm/report/paper_rows.h"
#include "spikenm/report/runs.h"
#include "spikenm/report/table_view.h"

#include <optional>
#include <string>
#include <vector>

namespace spikenm::report {

struct ComparisonRow {
  std::optional<PublishedRow> paper;  // none: a control that the paper does not have
  std::optional<PaperRow> ours;       // none: not trained yet
  // Of network, T and recipe, those in which the figure differs from SpikeNM's of the same data
  // set; empty: like for like.
  std::vector<std::string> differs;
};

// One data set of one table: the dense network that the figures imply, the rows as printed, then
// ours that have no row there. Several of ours for one figure are a row each, the paper's once.
struct ComparisonGroup {
  std::string table, dataset;
  std::vector<ComparisonRow> rows;
};

// `published` must say of each row its table, recipe and source: an Error names what is missing.
std::vector<ComparisonGroup> compare_with_paper(const std::vector<PublishedRow>& published,
                                                const std::vector<Run>& runs);

// Text is at most so wide.
std::string format_comparison(const std::vector<ComparisonGroup>& groups, ViewFormat format,
                              size_t most_width = 100);
// A line a row, of both tables.
std::string comparison_csv(const std::vector<ComparisonGroup>& groups);

}  // namespace spikenm::report
