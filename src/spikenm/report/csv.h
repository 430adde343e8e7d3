// Comma-separated values (RFC 4180): a header, then rows with the same number of cells.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spikenm::report {

struct Csv {
  struct Row {
    size_t line;  // the line of the text where it begins, from 1
    std::vector<std::string> cells;
  };
  std::string source;
  std::vector<std::string> header;
  std::vector<Row> rows;

  // Index of a column. When it is missing, an Error names the source and the columns it has.
  [[nodiscard]] size_t column(std::string_view name) const;
};

// `source` names the text in messages. Blank lines are skipped.
Csv parse_csv(std::string_view text, const std::string& source);

// The number that a cell is; empty for other text, and for none.
std::optional<double> number_in(std::string_view cell);

// One line with its line end; cells are quoted only if necessary.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace spikenm::report
