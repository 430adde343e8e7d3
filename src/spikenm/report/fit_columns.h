// Makes a table of runs as narrow as it must be.
#pragma once

#include "spikenm/report/view_columns.h"

namespace spikenm::report {

// Characters of a line of the text table.
size_t table_width(const std::vector<ViewColumn>& columns, const std::vector<PaperRow>& rows);

// Leaves out what is needed least until the table fits. `may_cut`: cuts long names and settings,
// and leaves out settings at last. Returns the keys of the columns that are gone.
std::vector<std::string> fit_columns(std::vector<ViewColumn>& columns,
                                     const std::vector<PaperRow>& rows, size_t most, bool may_cut);

}  // namespace spikenm::report
