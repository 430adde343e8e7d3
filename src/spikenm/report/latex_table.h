// A table for LaTeX, with the rules of the package booktabs.
#pragma once

#include "spikenm/report/table_view.h"

namespace spikenm::report {

std::string latex_table(const TableCells& cells);

// Text with what LaTeX would take for a command written out.
std::string escape_latex(const std::string& text);

}  // namespace spikenm::report
