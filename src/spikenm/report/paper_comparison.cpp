#include "spikenm/report/paper_comparison.h"

#include "spikenm/core/error.h"

#include <algorithm>

namespace spikenm::report {
namespace {

const PublishedRow* spikenm_row(const std::vector<PublishedRow>& rows, const std::string& dataset) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const PublishedRow& row) {
    return row.dataset == dataset && same_name(row.method, "spikenm") && row.accuracy && row.delta;
  });
  return found == rows.end() ? nullptr : &*found;
}

std::vector<std::string> differences_to(const PublishedRow& row, const PublishedRow& reference) {
  std::vector<std::string> differs;
  if (!same_name(row.model, reference.model)) differs.emplace_back("network");
  if (row.T != reference.T) differs.emplace_back("T");
  if (row.recipe != reference.recipe) differs.emplace_back("recipe");
  return differs;
}

PublishedRow dense_row(const PublishedRow& reference) {
  PublishedRow dense = reference;
  dense.method = "dense";
  dense.category = dense.pattern = dense.flag = "";
  dense.accuracy = *reference.accuracy - *reference.delta;
  dense.delta = dense.weight_pct = dense.conn_pct = dense.sops_m = std::nullopt;
  dense.source = "implied";
  dense.line = 0;
  return dense;
}

// Our rows that stand beside a figure, each taken once.
class Ours {
 public:
  explicit Ours(std::vector<PaperRow> rows) : rows_(std::move(rows)), taken_(rows_.size()) {}

  template <class Belongs>
  std::vector<PaperRow> take(const Belongs& belongs) {
    std::vector<PaperRow> found;
    for (size_t r = 0; r < rows_.size(); ++r) {
      if (taken_[r] || !belongs(rows_[r])) continue;
      taken_[r] = true;
      found.push_back(rows_[r]);
    }
    return found;
  }

 private:
  std::vector<PaperRow> rows_;
  std::vector<bool> taken_;
};

void add(ComparisonGroup& group, const PublishedRow& paper, std::vector<std::string> differs,
         const std::vector<PaperRow>& ours) {
  group.rows.push_back({paper, std::nullopt, std::move(differs)});
  for (size_t r = 0; r < ours.size(); ++r) {
    if (r > 0) group.rows.emplace_back();
    group.rows.back().ours = ours[r];
  }
}

ComparisonGroup make_group(const std::string& dataset, const std::vector<PublishedRow>& rows,
                           Ours& ours) {
  ComparisonGroup group{.table = rows.front().table, .dataset = dataset, .rows = {}};
  const PublishedRow* const reference = spikenm_row(rows, dataset);
  SPIKENM_CHECK(reference != nullptr,
                "published figures: found no row of SpikeNM with its difference to dense for {}, "
                "wanted one to compare the others with",
                dataset);
  const auto in_network = [&](const PaperRow& row) {
    return !row.partial && same_name(row.dataset, dataset) &&
           same_network(*reference, wanted_figure(row));
  };
  add(group, dense_row(*reference), {}, ours.take([&](const PaperRow& row) {
    return in_network(row) && row.method == "dense" && row.published;
  }));
  for (const PublishedRow& row : rows)
    if (row.dataset == dataset)
      add(group, row, differences_to(row, *reference), ours.take([&](const PaperRow& r) {
        return r.published && r.published->line == row.line;
      }));
  for (PaperRow& row : ours.take(in_network)) group.rows.push_back({std::nullopt, row, {}});
  return group;
}

}  // namespace

std::vector<ComparisonGroup> compare_with_paper(const std::vector<PublishedRow>& published,
                                                const std::vector<Run>& runs) {
  std::vector<std::string> tables;
  for (const PublishedRow& row : published) {
    SPIKENM_CHECK(!row.table.empty() && !row.recipe.empty() && !row.source.empty(),
                  "published figures: line {}: found no table, recipe or source, wanted all three",
                  row.line);
    if (std::find(tables.begin(), tables.end(), row.table) == tables.end())
      tables.push_back(row.table);
  }

  std::vector<ComparisonGroup> groups;
  for (const std::string& table : tables) {
    std::vector<PublishedRow> rows;
    std::vector<std::string> datasets;
    for (const PublishedRow& row : published) {
      if (row.table != table) continue;
      rows.push_back(row);
      if (std::find(datasets.begin(), datasets.end(), row.dataset) == datasets.end())
        datasets.push_back(row.dataset);
    }
    Ours ours(paper_rows(runs, rows));
    for (const std::string& dataset : datasets) groups.push_back(make_group(dataset, rows, ours));
  }
  return groups;
}

}  // namespace spikenm::report
