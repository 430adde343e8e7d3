// Makes the paper's tables as narrow as a terminal.
#pragma once

#include "spikenm/report/table_view.h"

namespace spikenm::report {

// Puts letters for words, which a note explains, then leaves out the columns that are needed least,
// which a note names, until the text table fits. Notes are wrapped.
void fit_cells(TableCells& cells, size_t most_width);

}  // namespace spikenm::report
