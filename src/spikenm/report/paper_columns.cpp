#include "spikenm/report/paper_columns.h"

#include "spikenm/core/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace spikenm::report {
namespace {

Column text_column(std::string name, std::string PaperRow::* member) {
  return {std::move(name), [member](const PaperRow& row) { return row.*member; }};
}

Column statistic_column(std::string name, std::optional<Statistic> PaperRow::* member) {
  return {std::move(name), [member](const PaperRow& row) {
            return row.*member ? to_text(*(row.*member)) : std::string();
          }};
}

Column published_column(std::string name, std::optional<double> PublishedRow::* member,
                        const char* format) {
  return {std::move(name), [member, format](const PaperRow& row) {
            const bool has = row.published && (*row.published).*member;
            return has ? fmt::format(fmt::runtime(format), *((*row.published).*member))
                       : std::string();
          }};
}

Column time_column(std::string name) {
  return {std::move(name),
          [](const PaperRow& row) { return row.T ? fmt::format("{}", *row.T) : std::string(); }};
}

// The settings in which a row differs from others; of keys that are not needed to distinguish it,
// at most `others`.
Column difference_column(std::string name, size_t others) {
  return {std::move(name), [others](const PaperRow& row) {
            std::vector<std::string> texts = row.difference.needed;
            const std::vector<std::string>& more = row.difference.others;
            const size_t shown = std::min(others, more.size());
            texts.insert(texts.end(), more.begin(), more.begin() + static_cast<ptrdiff_t>(shown));
            if (shown < more.size()) texts.push_back(fmt::format("{} more", more.size() - shown));
            return join(texts, ", ");
          }};
}

// Shown beside weight %, when the two differ.
Column weight_of_all_column(std::string name) {
  return {std::move(name), [](const PaperRow& row) {
            if (!row.weight_pct_all) return std::string();
            std::string text = to_text(*row.weight_pct_all);
            return row.weight_pct && text == to_text(*row.weight_pct) ? std::string() : text;
          }};
}

Column delta_column(std::string name, const char* format) {
  return {std::move(name), [format](const PaperRow& row) {
            return row.delta ? fmt::format(fmt::runtime(format), *row.delta) : std::string();
          }};
}

Column count_column(std::string name) {
  return {std::move(name), [](const PaperRow& row) { return fmt::format("{}", row.n); }};
}

void add_statistic(std::vector<Column>& columns, const std::string& name,
                   std::optional<Statistic> PaperRow::* member) {
  columns.push_back({name, [member](const PaperRow& row) {
                       return row.*member ? fmt::format("{}", (row.*member)->mean) : std::string();
                     }});
  columns.push_back({name + "_spread", [member](const PaperRow& row) {
                       const bool has = row.*member && (row.*member)->spread;
                       return has ? fmt::format("{}", *(row.*member)->spread) : std::string();
                     }});
}

}  // namespace

// Flags in the order of the rows; a row's mark is the position of its flag, from 1.
std::vector<std::string> flags_of(const std::vector<PaperRow>& rows) {
  std::vector<std::string> flags;
  for (const PaperRow& row : rows) {
    if (!row.published || row.published->flag.empty()) continue;
    if (std::find(flags.begin(), flags.end(), row.published->flag) == flags.end())
      flags.push_back(row.published->flag);
  }
  return flags;
}

std::vector<Column> reading_columns(const std::vector<std::string>& flags) {
  Column accuracy = published_column("pub. acc %", &PublishedRow::accuracy, "{:.2f}");
  const auto marked = [cell = accuracy.cell, flags](const PaperRow& row) {
    std::string text = cell(row);
    if (!row.published || row.published->flag.empty()) return text;
    const auto flag = std::find(flags.begin(), flags.end(), row.published->flag);
    return fmt::format("{} [{}]", text, flag - flags.begin() + 1);
  };

  return {text_column("dataset", &PaperRow::dataset),
          text_column("method", &PaperRow::method),
          text_column("pattern", &PaperRow::pattern),
          text_column("granularity", &PaperRow::granularity),
          text_column("model", &PaperRow::model),
          time_column("T"),
          difference_column("settings", 2),
          statistic_column("test acc %", &PaperRow::accuracy),
          statistic_column("best val %", &PaperRow::accuracy_best_val),
          delta_column("Δ dense", "{:+.2f}"),
          statistic_column("weight %", &PaperRow::weight_pct),
          weight_of_all_column("of all weights %"),
          statistic_column("conn %", &PaperRow::conn_pct),
          statistic_column("neuron %", &PaperRow::neuron_pct),
          statistic_column("SOPs M", &PaperRow::sops_m),
          statistic_column("energy µJ", &PaperRow::energy_uj),
          count_column("seeds"),
          {accuracy.name, marked},
          published_column("pub. weight %", &PublishedRow::weight_pct, "{:.2f}"),
          published_column("pub. conn %", &PublishedRow::conn_pct, "{:.2f}"),
          published_column("pub. SOPs M", &PublishedRow::sops_m, "{:.1f}")};
}

std::vector<Column> csv_columns() {
  std::vector<Column> columns{text_column("dataset", &PaperRow::dataset),
                              text_column("method", &PaperRow::method),
                              text_column("pattern", &PaperRow::pattern),
                              text_column("granularity", &PaperRow::granularity),
                              text_column("model", &PaperRow::model),
                              time_column("T"),
                              difference_column("settings", std::string::npos)};
  add_statistic(columns, "test_accuracy", &PaperRow::accuracy);
  add_statistic(columns, "test_accuracy_best_val", &PaperRow::accuracy_best_val);
  columns.push_back(delta_column("delta_dense", "{}"));
  add_statistic(columns, "weight_pct", &PaperRow::weight_pct);
  add_statistic(columns, "weight_pct_all", &PaperRow::weight_pct_all);
  add_statistic(columns, "conn_pct", &PaperRow::conn_pct);
  add_statistic(columns, "neuron_pct", &PaperRow::neuron_pct);
  add_statistic(columns, "sops_m", &PaperRow::sops_m);
  add_statistic(columns, "energy_uj", &PaperRow::energy_uj);

  columns.push_back(count_column("seeds"));
  columns.push_back(published_column("published_acc", &PublishedRow::accuracy, "{:.2f}"));
  columns.push_back(published_column("published_weight_pct", &PublishedRow::weight_pct, "{}"));
  columns.push_back(published_column("published_conn_pct", &PublishedRow::conn_pct, "{}"));
  columns.push_back(published_column("published_sops_m", &PublishedRow::sops_m, "{}"));
  columns.push_back({"published_flag", [](const PaperRow& row) {
                       return row.published ? row.published->flag : std::string();
                     }});
  return columns;
}

}  // namespace spikenm::report
