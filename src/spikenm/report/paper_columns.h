// The columns of a table of runs.
#pragma once

#include "spikenm/report/paper_rows.h"

#include <functional>
#include <string>
#include <vector>

namespace spikenm::report {

// Its name in the table, and its text for a row.
struct Column {
  std::string name;
  std::function<std::string(const PaperRow&)> cell;
};

// Notes on published figures, in the order of the rows; the mark of a row is the place of its note,
// from 1.
std::vector<std::string> flags_of(const std::vector<PaperRow>& rows);

// Means and spreads together, for people.
std::vector<Column> reading_columns(const std::vector<std::string>& flags);
// Every number, means and spreads apart.
std::vector<Column> csv_columns();

}  // namespace spikenm::report
