#include "spikenm/report/fit_cells.h"

#include "spikenm/core/text.h"
#include "spikenm/report/view_columns.h"

#include <algorithm>
#include <array>
#include <map>

namespace spikenm::report {
namespace {

// A column in letters.
struct Letters {
  const char *column, *heading;
  std::map<std::string, std::string> of;  // by what stands in the cell
  const char* note;
};

const std::array<Letters, 3>& letters() {
  static const std::array<Letters, 3> all{
      {{"like for like",
        "differs",
        {{"yes", ""},
         {"no: network", "n"},
         {"no: T", "t"},
         {"no: recipe", "r"},
         {"no: network, T", "n t"},
         {"no: network, recipe", "n r"},
         {"no: T, recipe", "t r"},
         {"no: network, T, recipe", "n t r"}},
        "differs: from SpikeNM's row in n the network, t T, r the recipe; empty: like for like"},
       {"from",
        "from",
        {{"paper", "p"}, {"copied", "c"}, {"implied", "i"}},
        "from: p measured in the paper; c copied from another paper; i implied: accuracy - Δ"},
       {"granularity",
        "of",
        {{"weight", "w"}, {"neuron", "n"}, {"weight+neuron", "w+n"}, {"channel", "ch"}},
        "of: w weights, n neurons, ch channels"}}};
  return all;
}

// Needed least first: the category follows from what is kept; the accuracies stay.
constexpr std::array<const char*, 11> kLeavesFirst{
    "category", "our SOPs M", "our weight %", "SOPs M",  "weight %", "our conn %", "conn %",
    "seeds",    "T",          "from",         "settings"};

size_t width_of_cells(const TableCells& cells) {
  size_t widest = 0;
  for (size_t g = 0; g < cells.group_begins.size(); ++g) {
    const size_t end =
        g + 1 < cells.group_begins.size() ? cells.group_begins[g + 1] : cells.rows.size();
    size_t width = 0;
    for (size_t c = 0; c < cells.header.size(); ++c) {
      size_t cell = width_of(cells.header[c]);
      for (size_t r = cells.group_begins[g]; r < end; ++r)
        cell = std::max(cell, width_of(cells.rows[r][c]));
      width += cell + (c == 0 ? 0 : 2);
    }
    widest = std::max(widest, width);
  }
  return widest;
}

size_t column_of(const TableCells& cells, const std::string& name) {
  return static_cast<size_t>(std::find(cells.header.begin(), cells.header.end(), name) -
                             cells.header.begin());
}

void put_letters(TableCells& cells, const Letters& letters) {
  const size_t c = column_of(cells, letters.column);
  if (c == cells.header.size()) return;
  cells.header[c] = letters.heading;
  for (std::vector<std::string>& row : cells.rows)
    if (const auto found = letters.of.find(row[c]); found != letters.of.end())
      row[c] = found->second;
  const std::string before = std::string(letters.column) + ":";
  std::erase_if(cells.notes, [&](const std::string& note) { return note.starts_with(before); });
  cells.notes.emplace_back(letters.note);
}

bool leave_out(TableCells& cells, const std::string& name) {
  const size_t c = column_of(cells, name);
  if (c == cells.header.size()) return false;
  const auto at = static_cast<std::ptrdiff_t>(c);
  cells.header.erase(cells.header.begin() + at);
  for (std::vector<std::string>& row : cells.rows) row.erase(row.begin() + at);
  return true;
}

}  // namespace

void fit_cells(TableCells& cells, size_t most_width) {
  if (width_of_cells(cells) > most_width)
    for (const Letters& each : letters()) put_letters(cells, each);
  std::vector<std::string> gone;
  for (const char* name : kLeavesFirst)
    if (width_of_cells(cells) > most_width && leave_out(cells, name)) gone.emplace_back(name);
  if (!gone.empty())
    cells.notes.push_back("left out: " + join(gone, ", ") + "; a larger --width shows more");
  wrap_around(cells, most_width);
}

}  // namespace spikenm::report
