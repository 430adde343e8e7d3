// Comma-separated values (RFC 4180): a header, then rows of as many cells.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spikenm::report {

struct Csv {
  struct Row {
    size_t line;  // where it begins in the text, from 1
    std::vector<std::string> cells;
  };
  std::string source;
  std::vector<std::string> header;
  std::vector<Row> rows;

  // Place of a column; an Error names the source and the columns it has.
  [[nodiscard]] size_t column(std::string_view name) const;
};

// `source` names the text in messages. Blank lines are skipped.
Csv parse_csv(std::string_view text, const std::string& source);

// One line with its line end; cells are quoted where they must be.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace spikenm::report
