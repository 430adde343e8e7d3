// The paper's tables as they are read.
#include "spikenm/core/text.h"
#include "spikenm/report/csv.h"
#include "spikenm/report/fit_cells.h"
#include "spikenm/report/paper_comparison.h"

#include <fmt/format.h>

#include <algorithm>

namespace spikenm::report {
namespace {

struct ComparisonColumn {
  std::string name, csv_name;
  std::function<std::string(const ComparisonRow&)> cell;
};

// A value of the paper's row, or nothing where there is none.
template <class Read>
ComparisonColumn of_paper(std::string name, std::string csv_name, const Read& read) {
  return {std::move(name), std::move(csv_name),
          [read](const ComparisonRow& row) { return row.paper ? read(*row.paper) : ""; }};
}

ComparisonColumn paper_number(std::string name, std::string csv_name,
                              std::optional<double> PublishedRow::* member, const char* format) {
  return of_paper(std::move(name), std::move(csv_name), [member, format](const PublishedRow& row) {
    return row.*member ? fmt::format(fmt::runtime(format), *(row.*member)) : std::string();
  });
}

ComparisonColumn our_number(std::string name, std::string csv_name,
                            std::optional<Statistic> PaperRow::* member) {
  return {std::move(name), std::move(csv_name), [member](const ComparisonRow& row) {
            return row.ours && *row.ours.*member ? to_text(*(*row.ours.*member)) : std::string();
          }};
}

// What both have; the paper's word where it has the row.
ComparisonColumn naming(const std::string& name, std::string PublishedRow::* theirs,
                        std::string PaperRow::* ours) {
  return {name, name, [theirs, ours](const ComparisonRow& row) {
            if (row.paper) return *row.paper.*theirs;
            return row.ours ? *row.ours.*ours : std::string();
          }};
}

std::string likeness(const ComparisonRow& row) {
  if (!row.paper) return "";
  return row.differs.empty() ? "yes" : "no: " + join(row.differs, ", ");
}

std::string steps_of(const ComparisonRow& row) {
  const std::optional<int64_t> T = row.paper ? row.paper->T : row.ours ? row.ours->T : std::nullopt;
  return T ? fmt::format("{}", *T) : "";
}

std::vector<ComparisonColumn> columns() {
  const auto delta = [](const ComparisonRow& row) {
    return row.ours && row.ours->delta ? fmt::format("{:+.2f}", *row.ours->delta) : std::string();
  };
  const auto seeds = [](const ComparisonRow& row) {
    return row.ours ? fmt::format("{}", row.ours->n) : std::string();
  };
  const auto settings = [](const ComparisonRow& row) {
    return row.ours ? join(row.ours->difference.needed, ", ") : std::string();
  };
  return {of_paper("category", "category", [](const PublishedRow& row) { return row.category; }),
          naming("method", &PublishedRow::method, &PaperRow::method),
          naming("pattern", &PublishedRow::pattern, &PaperRow::pattern),
          naming("granularity", &PublishedRow::granularity, &PaperRow::granularity),
          naming("model", &PublishedRow::model, &PaperRow::model),
          {"T", "T", steps_of},
          paper_number("acc %", "acc", &PublishedRow::accuracy, "{:.2f}"),
          paper_number("Δ", "delta", &PublishedRow::delta, "{:+.2f}"),
          paper_number("SOPs M", "sops_M", &PublishedRow::sops_m, "{:.1f}"),
          paper_number("weight %", "weight_pct", &PublishedRow::weight_pct, "{:.2f}"),
          paper_number("conn %", "conn_pct", &PublishedRow::conn_pct, "{:.2f}"),
          {"like for like", "like_for_like", likeness},
          of_paper("from", "source", [](const PublishedRow& row) { return row.source; }),
          our_number("our acc %", "our_acc", &PaperRow::accuracy),
          {"our Δ", "our_delta", delta},
          our_number("our SOPs M", "our_sops_M", &PaperRow::sops_m),
          our_number("our weight %", "our_weight_pct", &PaperRow::weight_pct),
          our_number("our conn %", "our_conn_pct", &PaperRow::conn_pct),
          {"seeds", "seeds", seeds},
          {"settings", "settings", settings}};
}

std::vector<std::string> flags_in(const std::vector<const ComparisonGroup*>& groups) {
  std::vector<std::string> flags;
  for (const ComparisonGroup* group : groups)
    for (const ComparisonRow& row : group->rows)
      if (row.paper && !row.paper->flag.empty() &&
          std::find(flags.begin(), flags.end(), row.paper->flag) == flags.end())
        flags.push_back(row.paper->flag);
  return flags;
}

void add_notes(TableCells& cells, const std::vector<std::string>& flags) {
  for (size_t f = 0; f < flags.size(); ++f) {
    std::string note = flags[f];
    std::replace(note.begin(), note.end(), '_', ' ');
    cells.notes.push_back(fmt::format("[{}] {}", f + 1, note));
  }
  cells.notes.emplace_back(
      "like for like: network, T and recipe are those of SpikeNM's row; else what differs");
  cells.notes.emplace_back(
      "from: paper: measured there; copied: taken from another paper; implied: accuracy - Δ");
}

std::string marked(const ComparisonRow& row, std::string text,
                   const std::vector<std::string>& flags) {
  if (!row.paper || row.paper->flag.empty()) return text;
  const auto flag = std::find(flags.begin(), flags.end(), row.paper->flag);
  return fmt::format("{} [{}]", text, flag - flags.begin() + 1);
}

// Columns that are empty in every row are left out.
TableCells table_cells(const std::vector<const ComparisonGroup*>& groups) {
  TableCells cells;
  cells.caption = "Table " + groups.front()->table + " of the paper, and ours";
  const std::vector<std::string> flags = flags_in(groups);
  for (const ComparisonGroup* group : groups) {
    cells.group_begins.push_back(cells.rows.size());
    cells.group_names.push_back(group->dataset);
    cells.rows.resize(cells.rows.size() + group->rows.size());
  }
  for (const ComparisonColumn& column : columns()) {
    std::vector<std::string> texts;
    for (const ComparisonGroup* group : groups)
      for (const ComparisonRow& row : group->rows)
        texts.push_back(column.name == "acc %" ? marked(row, column.cell(row), flags)
                                               : column.cell(row));
    if (std::all_of(texts.begin(), texts.end(), [](const auto& text) { return text.empty(); }))
      continue;
    cells.header.push_back(column.name);
    for (size_t r = 0; r < texts.size(); ++r) cells.rows[r].push_back(texts[r]);
  }
  add_notes(cells, flags);
  return cells;
}

}  // namespace

std::string format_comparison(const std::vector<ComparisonGroup>& groups, ViewFormat format,
                              size_t most_width) {
  std::string text;
  for (size_t begin = 0; begin < groups.size();) {
    std::vector<const ComparisonGroup*> table;
    for (size_t g = begin; g < groups.size() && groups[g].table == groups[begin].table; ++g)
      table.push_back(&groups[g]);
    TableCells cells = table_cells(table);
    if (format == ViewFormat::kText) fit_cells(cells, most_width);
    text += (begin == 0 ? "" : "\n") + format_cells(cells, format);
    begin += table.size();
  }
  return text;
}

std::string comparison_csv(const std::vector<ComparisonGroup>& groups) {
  std::vector<std::string> header{"table", "dataset"};
  for (const ComparisonColumn& column : columns()) header.push_back(column.csv_name);
  header.emplace_back("flag");
  std::string text = csv_line(header);
  for (const ComparisonGroup& group : groups)
    for (const ComparisonRow& row : group.rows) {
      std::vector<std::string> cells{group.table, group.dataset};
      for (const ComparisonColumn& column : columns()) cells.push_back(column.cell(row));
      cells.push_back(row.paper ? row.paper->flag : "");
      text += csv_line(cells);
    }
  return text;
}

}  // namespace spikenm::report
