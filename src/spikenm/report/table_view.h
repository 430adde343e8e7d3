// A table of runs as it is read: the columns that tell rows apart, as wide as a terminal.
#pragma once

#include "spikenm/report/paper_rows.h"

#include <string>
#include <vector>

namespace spikenm::report {

enum class ViewFormat { kText, kMarkdown, kLatex };

struct TableView {
  ViewFormat format = ViewFormat::kText;
  // Names of columns, such as "weight", or keys of the config, such as "train.epochs"; empty: those
  // that differ between rows and fit; "all": every one that is not empty.
  std::vector<std::string> columns;
  std::string sort;         // a column; with a '-' before it, largest first; empty: as they come
  std::string group_by;     // a column whose values become headings; empty: none
  size_t most_width = 100;  // of text, where columns are not named
};

// The table as cells, and what is said around it.
struct TableCells {
  std::string caption;  // what all rows have in common; may be empty
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::vector<size_t> group_begins;      // rows before which a heading stands
  std::vector<std::string> group_names;  // one for each
  std::vector<std::string> notes;
};

// '*' marks the best controls (paper_rows.h). Text is cut and wrapped to the width. An Error names a
// column that is not known.
TableCells view_cells(std::vector<PaperRow> rows, const TableView& view);

// Means and spreads apart; without names of columns, all of them. Groups are together.
std::string csv_view(std::vector<PaperRow> rows, const TableView& view);

// Breaks the caption and the notes into lines of this width.
void wrap_around(TableCells& cells, size_t width);

std::string format_cells(const TableCells& cells, ViewFormat view_format);
std::string format_view(const std::vector<PaperRow>& rows, const TableView& view);

}  // namespace spikenm::report
