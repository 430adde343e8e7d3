#include "spikenm/report/published.h"

#include "spikenm/core/error.h"
#include "spikenm/core/text.h"
#include "spikenm/report/csv.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>
#include <sstream>

namespace spikenm::report {
namespace {

void check_columns(const Csv& csv) {
  const std::vector<std::string> wanted{"dataset",    "method",   "nm",    "granularity",
                                        "model",      "acc",      "delta", "sops_M",
                                        "weight_pct", "conn_pct", "flag"};
  const bool complete = std::all_of(wanted.begin(), wanted.end(), [&](const std::string& name) {
    return std::find(csv.header.begin(), csv.header.end(), name) != csv.header.end();
  });
  SPIKENM_CHECK(complete, "{}: found the columns {}, wanted at least {}", csv.source,
                join(csv.header, ", "), join(wanted, ", "));
}

// A finite number, or nothing for an empty cell.
std::optional<double> number(const Csv& csv, const Csv::Row& row, const char* name) {
  const std::string& cell = row.cells[csv.column(name)];
  if (cell.empty()) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  SPIKENM_CHECK(error == std::errc() && end == cell.data() + cell.size() && std::isfinite(value),
                "{}:{}: {}: found '{}', wanted a number or nothing", csv.source, row.line, name,
                cell);
  return value;
}

// Only the letters and digits, in lower case.
std::string plain(const std::string& name) {
  std::string letters;
  for (const unsigned char c : name)
    if (std::isalnum(c)) letters += static_cast<char>(std::tolower(c));
  return letters;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// The cell of a column that may be missing.
std::string optional_cell(const Csv& csv, const Csv::Row& row, const std::string& name) {
  const bool has = std::find(csv.header.begin(), csv.header.end(), name) != csv.header.end();
  return has ? row.cells[csv.column(name)] : "";
}

std::optional<int64_t> time_steps(const Csv& csv, const Csv::Row& row) {
  if (optional_cell(csv, row, "T").empty()) return std::nullopt;
  return static_cast<int64_t>(*number(csv, row, "T"));
}

// Whether the figure was measured on the network that is wanted.
bool same_network(const PublishedRow& row, const PublishedRow& wanted) {
  if (row.T && row.T != wanted.T) return false;
  return std::all_of(row.network.begin(), row.network.end(), [&](const std::string& word) {
    return std::find(wanted.network.begin(), wanted.network.end(), word) != wanted.network.end();
  });
}

bool same(const std::string& a, const std::string& b) {
  return plain(a) == plain(b);
}

}  // namespace

std::vector<PublishedRow> parse_published(std::string_view text, const std::string& source) {
  const Csv csv = parse_csv(text, source);
  check_columns(csv);
  std::vector<PublishedRow> rows;
  for (const Csv::Row& row : csv.rows) {
    const auto cell = [&](const char* name) { return row.cells[csv.column(name)]; };
    rows.push_back({.dataset = cell("dataset"),
                    .method = cell("method"),
                    .pattern = cell("nm"),
                    .granularity = cell("granularity"),
                    .model = cell("model"),
                    .T = time_steps(csv, row),
                    .network = words(optional_cell(csv, row, "network")),
                    .accuracy = number(csv, row, "acc"),
                    .delta = number(csv, row, "delta"),
                    .weight_pct = number(csv, row, "weight_pct"),
                    .conn_pct = number(csv, row, "conn_pct"),
                    .sops_m = number(csv, row, "sops_M"),
                    .flag = cell("flag")});
  }
  return rows;
}

std::optional<PublishedRow> find_published(const std::vector<PublishedRow>& rows,
                                           const PublishedRow& wanted) {
  for (const PublishedRow& row : rows) {
    if (!same(row.dataset, wanted.dataset) || !same(row.model, wanted.model)) continue;
    if (!same_network(row, wanted)) continue;
    if (wanted.method == "dense" && wanted.granularity == "weight") {
      if (!same(row.method, "spikenm") || !row.accuracy || !row.delta) continue;
      PublishedRow dense = wanted;
      dense.accuracy = *row.accuracy - *row.delta;
      return dense;
    }

    // Compared exactly: without its colon, 2:16 would equal 21:6.
    const std::string pattern = wanted.pattern == "-" ? "" : wanted.pattern;
    if (same(row.method, wanted.method) && row.pattern == pattern &&
        row.granularity == wanted.granularity)
      return row;
  }
  return std::nullopt;
}

}  // namespace spikenm::report
