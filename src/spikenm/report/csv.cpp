#include "spikenm/report/csv.h"

#include "spikenm/core/error.h"
#include "spikenm/core/text.h"

#include <algorithm>
#include <charconv>

namespace spikenm::report {
namespace {

class Reader {
 public:
  Reader(std::string_view text, const std::string& source) : text_(text), source_(source) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  }

  // False at the end of the text.
  bool next_row(Csv::Row& row) {
    while (skip_line_end()) {
    }
    if (at_ == text_.size()) return false;
    row = {.line = line_, .cells = {}};

    do {
      row.cells.push_back(cell());
    } while (skip(','));
    SPIKENM_CHECK(at_ == text_.size() || skip_line_end(),
                  "{}:{}: found text after a closing quote, wanted a comma or the end of the line",
                  source_, line_);
    return true;
  }

 private:
  bool skip(char c) {
    const bool found = at_ < text_.size() && text_[at_] == c;
    at_ += found ? 1 : 0;
    return found;
  }

  bool skip_line_end() {
    const bool found = text_.substr(at_).starts_with("\r\n") ? (at_ += 2, true) : skip('\n');
    line_ += found ? 1 : 0;
    return found;
  }

  std::string cell() {
    if (skip('"')) return quoted_cell();
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n' &&
           !text_.substr(at_).starts_with("\r\n")) {
      SPIKENM_CHECK(text_[at_] != '"', "{}:{}: found a quote inside a cell that begins without one",
                    source_, line_);
      ++at_;
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

  // Called after the opening quote; two quotes stand for one.
  std::string quoted_cell() {
    const size_t begin_line = line_;
    std::string cell;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        ++at_;
        if (at_ == text_.size() || text_[at_] != '"') return cell;
      }
      line_ += text_[at_] == '\n' ? 1 : 0;
      cell += text_[at_];
    }
    fail("{}:{}: found no end of a quoted cell", source_, begin_line);
  }

  std::string_view text_;
  const std::string& source_;
  size_t at_ = 0, line_ = 1;
};

}  // namespace

size_t Csv::column(std::string_view name) const {
  const auto found = std::find(header.begin(), header.end(), name);
  SPIKENM_CHECK(found != header.end(), "{}: found no column '{}'; the columns are {}", source, name,
                join(header, ", "));
  return static_cast<size_t>(found - header.begin());
}

Csv parse_csv(std::string_view text, const std::string& source) {
  Reader reader(text, source);
  Csv csv{.source = source, .header = {}, .rows = {}};
  Csv::Row row;
  SPIKENM_CHECK(reader.next_row(row), "{}: found nothing, wanted a line of column names", source);
  csv.header = row.cells;
  for (size_t c = 0; c < csv.header.size(); ++c) {
    SPIKENM_CHECK(csv.column(csv.header[c]) == c, "{}:{}: found two columns '{}'", source, row.line,
                  csv.header[c]);
  }

  while (reader.next_row(row)) {
    SPIKENM_CHECK(row.cells.size() == csv.header.size(), "{}:{}: found {} cells, wanted {}", source,
                  row.line, row.cells.size(), csv.header.size());
    csv.rows.push_back(row);
  }
  return csv;
}

std::optional<double> number_in(std::string_view cell) {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  const bool whole = error == std::errc() && end == cell.data() + cell.size();
  return whole ? std::optional(value) : std::nullopt;
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (size_t c = 0; c < cells.size(); ++c) {
    if (c > 0) line += ',';
    if (cells[c].find_first_of(",\"\r\n") == std::string::npos) {
      line += cells[c];
      continue;
    }
    line += '"';
    for (const char letter : cells[c]) line += letter == '"' ? "\"\"" : std::string(1, letter);
    line += '"';
  }
  return line + "\n";
}

}  // namespace spikenm::report
