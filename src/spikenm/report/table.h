// Compares runs: reads the result.json of run folders and formats one aligned table.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace spikenm::report {

// Rows of cells under a header; numbers are aligned to the right, the first column to the left.
std::string format_table(const std::vector<std::string>& header,
                         const std::vector<std::vector<std::string>>& rows);

// The same as a Markdown table.
std::string markdown_table(const std::vector<std::string>& header,
                           const std::vector<std::vector<std::string>>& rows);

// Method, pattern, test accuracy, difference to the dense run in the list, weight %, conn %, SOPs
// and seconds of each run. An Error names the folder whose result cannot be read.
std::string run_table(const std::vector<std::filesystem::path>& run_folders);

}  // namespace spikenm::report
