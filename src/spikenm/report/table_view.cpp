#include "spikenm/report/table_view.h"

#include "spikenm/core/error.h"
#include "spikenm/core/text.h"
#include "spikenm/report/latex_table.h"
#include "spikenm/report/paper_columns.h"
#include "spikenm/report/table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace spikenm::report {
namespace {

// A name for the command line, and when a column goes from a table that is too wide: the highest
// first, those with 0 never.
struct ColumnKey {
  const char* key;
  const char* name;
  int goes;
};
constexpr std::array<ColumnKey, 22> kKeys{{{"dataset", "dataset", 0},
                                           {"method", "method", 0},
                                           {"pattern", "pattern", 0},
                                           {"granularity", "granularity", 0},
                                           {"model", "model", 0},
                                           {"T", "T", 0},
                                           {"settings", "settings", 0},
                                           {"acc", "test acc %", 0},
                                           {"best-val", "best val %", 5},
                                           {"delta", "Δ dense", 1},
                                           {"weight", "weight %", 1},
                                           {"weight-all", "of all weights %", 7},
                                           {"conn", "conn %", 4},
                                           {"neuron", "neuron %", 6},
                                           {"sops", "SOPs M", 3},
                                           {"energy", "energy µJ", 8},
                                           {"seeds", "seeds", 0},
                                           {"pub-acc", "pub. acc %", 2},
                                           {"pub-weight", "pub. weight %", 9},
                                           {"pub-conn", "pub. conn %", 9},
                                           {"pub-sops", "pub. SOPs M", 9},
                                           {"folder", "folder", 9}}};
// Columns that name a row rather than measure it.
const std::set<std::string> kNaming{"dataset", "method", "pattern", "granularity", "model", "T"};

const ColumnKey& key_named(const std::string& key, const char* option) {
  for (const ColumnKey& k : kKeys)
    if (key == k.key) return k;
  fail("{}: found '{}', which is no column; the nearest is {}, of: {}", option, key,
       nearest(key, column_keys()), join(column_keys(), ", "));
}

struct Shown {
  const ColumnKey* key;
  Column column;
};

std::vector<Shown> all_columns(const std::vector<std::string>& flags) {
  std::vector<Column> columns = reading_columns(flags);
  columns.push_back({"folder", [](const PaperRow& row) { return join(row.folders, " "); }});
  std::vector<Shown> shown;
  for (const Column& column : columns)
    for (const ColumnKey& key : kKeys)
      if (column.name == key.name) shown.push_back({&key, column});
  SPIKENM_ASSERT(shown.size() == kKeys.size());
  return shown;
}

const Column& column_of(const std::vector<Shown>& all, const ColumnKey& key) {
  return std::find_if(all.begin(), all.end(), [&](const Shown& s) { return s.key == &key; })
      ->column;
}

std::optional<double> leading_number(const std::string& text) {
  const char* const begin = text.data() + (text.starts_with('+') ? 1 : 0);
  double value = 0;
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  const bool is_pattern = end != text.data() + text.size() && *end == ':';
  return error == std::errc() && !is_pattern ? std::optional(value) : std::nullopt;
}

// Numbers by value, other text by letters; rows without a value come last.
void sort_rows(std::vector<PaperRow>& rows, const Column& column, bool descending) {
  std::stable_sort(rows.begin(), rows.end(), [&](const PaperRow& a, const PaperRow& b) {
    const std::string left = column.cell(a), right = column.cell(b);
    if (left.empty() || right.empty()) return !left.empty() && right.empty();
    const auto x = leading_number(left), y = leading_number(right);
    if (x && y) return descending ? *x > *y : *x < *y;
    return descending ? left > right : left < right;
  });
}

// The place of the best control of each kind of row.
std::set<size_t> best_controls(const std::vector<PaperRow>& rows) {
  using Kind =
      std::tuple<std::string, std::string, std::optional<int64_t>, std::string, std::string>;
  std::map<Kind, size_t> best;
  for (size_t r = 0; r < rows.size(); ++r) {
    const PaperRow& row = rows[r];
    if (row.method == "dense" || row.method == "spikenm" || !row.accuracy) continue;
    const auto [found, fresh] =
        best.emplace(Kind{row.dataset, row.model, row.T, row.pattern, row.granularity}, r);
    if (!fresh && rows[found->second].accuracy->mean < row.accuracy->mean) found->second = r;
  }
  std::set<size_t> places;
  for (const auto& [kind, place] : best) places.insert(place);
  return places;
}

size_t width_of(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

// The width of the text table.
size_t table_width(const std::vector<Shown>& shown, const std::vector<PaperRow>& rows) {
  size_t total = 1;  // the mark of the best control
  for (const Shown& s : shown) {
    size_t widest = width_of(s.column.name);
    for (const PaperRow& row : rows) widest = std::max(widest, width_of(s.column.cell(row)));
    total += widest + 2;
  }
  return total - 2;
}

bool is_same(const Column& column, const std::vector<PaperRow>& rows) {
  return std::all_of(rows.begin(), rows.end(), [&](const PaperRow& row) {
    return column.cell(row) == column.cell(rows.front());
  });
}

// Leaves what differs; says in the caption what all rows share, and in a note what did not fit.
std::vector<Shown> fitting_columns(std::vector<Shown> shown, const std::vector<PaperRow>& rows,
                                   const TableView& view, TableCells& cells) {
  const bool all = view.columns == std::vector<std::string>{"all"};
  std::erase_if(shown, [&](const Shown& s) {
    const bool empty = is_same(s.column, rows) && s.column.cell(rows.front()).empty();
    return empty || (!all && s.key->key == std::string("folder"));
  });
  if (all) return shown;

  std::vector<std::string> common;
  std::erase_if(shown, [&](const Shown& s) {
    const bool goes = rows.size() > 1 && kNaming.contains(s.key->key) && is_same(s.column, rows) &&
                      s.key->key != std::string("method");
    if (goes) common.push_back(s.column.name + " " + s.column.cell(rows.front()));
    return goes;
  });
  cells.caption = join(common, ", ");

  std::vector<std::string> left_out;
  while (table_width(shown, rows) > view.most_width) {
    const auto widest =
        std::max_element(shown.begin(), shown.end(),
                         [](const Shown& a, const Shown& b) { return a.key->goes < b.key->goes; });
    if (widest->key->goes == 0) break;
    left_out.emplace_back(widest->key->key);
    shown.erase(widest);
  }
  if (!left_out.empty())
    cells.notes.push_back("left out to fit: " + join(left_out, ", ") + " (--columns all)");
  return shown;
}

std::vector<Shown> chosen_columns(const std::vector<Shown>& all, const TableView& view) {
  std::vector<Shown> chosen;
  for (const std::string& name : view.columns) {
    const ColumnKey& key = key_named(name, "--columns");
    chosen.push_back({&key, column_of(all, key)});
  }
  return chosen;
}

}  // namespace

std::vector<std::string> column_keys() {
  std::vector<std::string> keys;
  for (const ColumnKey& k : kKeys) keys.emplace_back(k.key);
  return keys;
}

TableCells view_cells(std::vector<PaperRow> rows, const TableView& view) {
  TableCells cells;
  const std::vector<std::string> flags = flags_of(rows);
  const std::vector<Shown> all = all_columns(flags);
  if (!view.sort.empty()) {
    const bool descending = view.sort.starts_with('-');
    sort_rows(rows, column_of(all, key_named(view.sort.substr(descending ? 1 : 0), "--sort")),
              descending);
  }
  const Column* group =
      view.group_by.empty() ? nullptr : &column_of(all, key_named(view.group_by, "--group-by"));
  if (group != nullptr) sort_rows(rows, *group, /*descending=*/false);

  const bool fits = view.columns.empty() || view.columns.front() == "all";
  std::vector<Shown> shown =
      fits ? fitting_columns(all, rows, view, cells) : chosen_columns(all, view);
  if (group != nullptr)
    std::erase_if(shown, [&](const Shown& s) { return s.column.name == group->name; });

  const std::set<size_t> best = best_controls(rows);
  for (const Shown& s : shown) cells.header.push_back(s.column.name);
  for (size_t r = 0; r < rows.size(); ++r) {
    cells.rows.emplace_back();
    for (const Shown& s : shown) {
      std::string text = s.column.cell(rows[r]);
      if (s.key->key == std::string("acc") && best.contains(r)) text += " *";
      cells.rows.back().push_back(std::move(text));
    }
    const std::string name = group == nullptr ? "" : group->cell(rows[r]);
    if (group != nullptr && (r == 0 || name != group->cell(rows[r - 1]))) {
      cells.group_begins.push_back(r);
      cells.group_names.push_back(group->name + " " + (name.empty() ? "-" : name));
    }
  }
  if (!best.empty()) cells.notes.emplace_back("* best control: neither dense nor SpikeNM");
  for (size_t f = 0; f < flags.size(); ++f) {
    std::string note = flags[f];
    std::replace(note.begin(), note.end(), '_', ' ');
    cells.notes.push_back(fmt::format("[{}] published: {}", f + 1, note));
  }
  return cells;
}

std::string format_view(const std::vector<PaperRow>& rows, const TableView& view) {
  const TableCells cells = view_cells(rows, view);
  if (view.format == ViewFormat::kLatex) return latex_table(cells);
  const bool markdown = view.format == ViewFormat::kMarkdown;
  std::string text = cells.caption.empty() ? "" : cells.caption + "\n\n";
  const auto format = [&](const std::vector<std::vector<std::string>>& part) {
    return markdown ? markdown_table(cells.header, part) : format_table(cells.header, part);
  };
  if (cells.group_begins.empty()) text += format(cells.rows);
  for (size_t g = 0; g < cells.group_begins.size(); ++g) {
    const size_t begin = cells.group_begins[g];
    const size_t end =
        g + 1 < cells.group_begins.size() ? cells.group_begins[g + 1] : cells.rows.size();
    text += (g == 0 ? "" : "\n") + cells.group_names[g] + "\n" + (markdown ? "\n" : "");
    text += format({cells.rows.begin() + static_cast<std::ptrdiff_t>(begin),
                    cells.rows.begin() + static_cast<std::ptrdiff_t>(end)});
  }
  for (size_t n = 0; n < cells.notes.size(); ++n) {
    text += n == 0 || markdown ? "\n" : "";
    text += (markdown && cells.notes[n].starts_with('*') ? "\\" : "") + cells.notes[n] + "\n";
  }
  return text;
}

}  // namespace spikenm::report
