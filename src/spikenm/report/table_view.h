// A table of runs as it is read: the columns that tell rows apart, as wide as a terminal.
#pragma once

#include "spikenm/report/paper_rows.h"

#include <string>
#include <vector>

namespace spikenm::report {

enum class ViewFormat { kText, kMarkdown, kLatex };

struct TableView {
  ViewFormat format = ViewFormat::kText;
  // Names of columns, such as "weight"; empty: those that differ between rows and fit; "all": every
  // one that is not empty.
  std::vector<std::string> columns;
  std::string sort;         // a column; with a '-' before it, largest first; empty: as they come
  std::string group_by;     // a column whose values become headings; empty: none
  size_t most_width = 100;  // of text, where columns are not named
};

// Names that `columns`, `sort` and `group_by` may have.
std::vector<std::string> column_keys();

// The table as cells, and what is said around it.
struct TableCells {
  std::string caption;  // what all rows have in common; may be empty
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::vector<size_t> group_begins;      // rows before which a heading stands
  std::vector<std::string> group_names;  // one for each
  std::vector<std::string> notes;
};

// '*' marks the best control of each data set, model, T and pattern: the most accurate row that is
// neither dense nor SpikeNM. An Error names a column that is not known.
TableCells view_cells(std::vector<PaperRow> rows, const TableView& view);

std::string format_view(const std::vector<PaperRow>& rows, const TableView& view);

}  // namespace spikenm::report
