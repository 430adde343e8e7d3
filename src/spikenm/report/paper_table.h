// Formats rows as the paper's table.
#pragma once

#include "spikenm/report/paper_columns.h"

#include <string>
#include <vector>

namespace spikenm::report {

enum class TableFormat { kText, kMarkdown, kCsv };

// Text and Markdown leave out columns that are empty in every row; a published row with a flag
// refers to a note below the table. CSV has every column, with means and spreads in separate
// columns.
std::string format_paper_table(const std::vector<PaperRow>& rows, TableFormat format);

std::string format_csv(const std::vector<Column>& columns, const std::vector<PaperRow>& rows);

}  // namespace spikenm::report
