// Rows as the paper's table.
#pragma once

#include "spikenm/report/paper_rows.h"

#include <string>
#include <vector>

namespace spikenm::report {

enum class TableFormat { kText, kMarkdown, kCsv };

// Text and Markdown leave out columns that are empty in every row; a flagged published row points
// to a note below. CSV has every column, with means and spreads apart.
std::string format_paper_table(const std::vector<PaperRow>& rows, TableFormat format);

}  // namespace spikenm::report
