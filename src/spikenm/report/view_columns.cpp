#include "spikenm/report/view_columns.h"

#include "spikenm/core/error.h"
#include "spikenm/core/say.h"
#include "spikenm/core/text.h"

#include <algorithm>
#include <array>
#include <set>

namespace spikenm::report {
namespace {

// A name for the command line, the heading in a table, the column in CSV, and when it goes.
struct KnownColumn {
  const char* key;
  const char* name;
  const char* csv;
  int goes;
};
constexpr std::array<KnownColumn, 22> kKnown{
    {{"dataset", "dataset", "dataset", 0},
     {"method", "method", "method", 0},
     {"pattern", "pattern", "pattern", 0},
     {"granularity", "granularity", "granularity", 0},
     {"model", "model", "model", 0},
     {"T", "T", "T", 0},
     {"settings", "settings", "settings", 0},
     {"acc", "test acc %", "test_accuracy", 0},
     {"best-val", "best val %", "test_accuracy_best_val", 5},
     {"delta", "Δ dense", "delta_dense", 1},
     {"weight", "weight %", "weight_pct", 1},
     {"weight-all", "of all weights %", "weight_pct_all", 7},
     {"conn", "conn %", "conn_pct", 4},
     {"neuron", "neuron %", "neuron_pct", 6},
     {"sops", "SOPs M", "sops_m", 3},
     {"energy", "energy µJ", "energy_uj", 8},
     {"seeds", "seeds", "seeds", 0},
     {"pub-acc", "pub. acc %", "published_acc", 2},
     {"pub-weight", "pub. weight %", "published_weight_pct", 9},
     {"pub-conn", "pub. conn %", "published_conn_pct", 9},
     {"pub-sops", "pub. SOPs M", "published_sops_m", 9},
     {"folder", "folder", "folder", 9}}};
constexpr int kFirstToGo = 10;
const std::set<std::string> kNaming{"dataset", "method", "pattern", "granularity", "model", "T"};

Column folder_column() {
  return {"folder", [](const PaperRow& row) { return join(row.folders, " "); }};
}

std::string accuracy_text(const PaperRow& row, const Column& column) {
  return column.cell(row) + (row.is_best_control ? " *" : "");
}

std::vector<ViewColumn> known_columns(const std::vector<std::string>& flags) {
  std::vector<Column> columns = reading_columns(flags);
  columns.push_back(folder_column());
  std::vector<ViewColumn> shown;
  for (const Column& column : columns) {
    for (const KnownColumn& known : kKnown) {
      if (column.name != known.name) continue;
      shown.push_back({.key = known.key,
                       .name = known.name,
                       .cell = column.cell,
                       .goes = known.goes,
                       .names_row = kNaming.contains(known.key)});
      if (shown.back().key == "acc")
        shown.back().cell = [column](const PaperRow& row) { return accuracy_text(row, column); };
    }
  }
  SPIKENM_ASSERT(shown.size() == kKnown.size());
  return shown;
}

ViewColumn setting_column(const std::string& key, int goes) {
  return {.key = key,
          .name = key,
          .cell =
              [key](const PaperRow& row) {
                const auto found = row.settings.find(key);
                return found == row.settings.end() ? std::string() : found->second;
              },
          .goes = goes,
          .is_setting = true};
}

std::string key_in(const std::string& setting) {
  return setting.substr(0, setting.find('='));
}

bool has_setting(const std::vector<PaperRow>& rows, const std::string& key) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const PaperRow& row) { return row.settings.contains(key); });
}

[[noreturn]] void fail_unknown(const std::string& key, const char* option,
                               const std::vector<PaperRow>& rows) {
  const std::vector<std::string> known = column_keys();
  std::set<std::string> all(known.begin(), known.end());
  for (const PaperRow& row : rows)
    for (const auto& [name, value] : row.settings) all.insert(name);
  fail(
      "{}: found '{}', which is no column; the nearest is {}, of: {}, and every key of the runs' "
      "configs",
      option, key, nearest(key, {all.begin(), all.end()}), join(known, ", "));
}

}  // namespace

std::string cut(const std::string& text, size_t most) {
  if (width_of(text) <= most) return text;
  size_t end = 0, characters = 0;
  for (; end < text.size(); ++end) {
    const bool begins = (static_cast<unsigned char>(text[end]) & 0xC0) != 0x80;
    if (begins && ++characters == most) break;
  }
  return text.substr(0, end) + "…";
}

size_t width_of(const std::string& utf8) {
  return static_cast<size_t>(std::count_if(utf8.begin(), utf8.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string ViewColumn::heading() const {
  return cut(name, most);
}

std::string ViewColumn::text(const PaperRow& row) const {
  return cut(printable(cell(row)), most);
}

std::vector<std::string> column_keys() {
  std::vector<std::string> keys;
  for (const KnownColumn& known : kKnown) keys.emplace_back(known.key);
  return keys;
}

std::vector<ViewColumn> view_columns(const std::vector<PaperRow>& rows,
                                     const std::vector<std::string>& flags) {
  std::vector<ViewColumn> settings;
  const auto add = [&](const std::vector<std::string>& texts, int goes) {
    for (const std::string& text : texts) {
      const std::string key = key_in(text);
      const bool has = std::any_of(settings.begin(), settings.end(),
                                   [&](const ViewColumn& column) { return column.key == key; });
      if (!has) settings.push_back(setting_column(key, goes));
    }
  };
  for (const PaperRow& row : rows) add(row.difference.needed, 0);
  for (const PaperRow& row : rows) add(row.difference.others, kFirstToGo);

  std::vector<ViewColumn> columns = known_columns(flags);
  const auto behind = std::find_if(columns.begin(), columns.end(), [](const ViewColumn& column) {
    return column.key == "settings";
  });
  columns.insert(behind + 1, settings.begin(), settings.end());
  return columns;
}

ViewColumn column_named(const std::string& key, const char* option,
                        const std::vector<PaperRow>& rows, const std::vector<std::string>& flags) {
  for (ViewColumn& column : known_columns(flags))
    if (column.key == key) return std::move(column);
  if (!has_setting(rows, key)) fail_unknown(key, option, rows);
  return setting_column(key, 0);
}

std::vector<Column> csv_columns_named(const std::string& key, const char* option,
                                      const std::vector<PaperRow>& rows) {
  std::vector<Column> found, all = csv_columns();
  all.push_back(folder_column());
  for (const KnownColumn& known : kKnown) {
    if (key != known.key) continue;
    for (Column& column : all)
      if (column.name == known.csv || column.name == std::string(known.csv) + "_spread")
        found.push_back(std::move(column));
  }
  if (!found.empty()) return found;
  if (!has_setting(rows, key)) fail_unknown(key, option, rows);
  return {{key, setting_column(key, 0).cell}};
}

}  // namespace spikenm::report
