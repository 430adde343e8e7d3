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

// Ours and theirs, where they are not the same letters.
std::string published_name(const std::string& method) {
  return method == "esl" ? "ESLSNN" : method;
}

// Compared exactly: without its colon, 2:16 would equal 21:6. Rules without blocks have none.
std::string published_pattern(const std::string& pattern) {
  return pattern.find(':') == std::string::npos ? "" : pattern;
}

// How many times denser one is than the other; nothing where they cannot be compared.
std::optional<double> density_ratio(const PublishedRow& a, const PublishedRow& b) {
  for (const auto member : {&PublishedRow::conn_pct, &PublishedRow::weight_pct}) {
    const std::optional<double> x = a.*member, y = b.*member;
    if (x && y && *x > 0 && *y > 0) return std::max(*x / *y, *y / *x);
  }
  return std::nullopt;
}

bool same_names(const PublishedRow& row, const PublishedRow& wanted) {
  return same_name(row.method, published_name(wanted.method)) &&
         row.pattern == published_pattern(wanted.pattern) && row.granularity == wanted.granularity;
}

PublishedRow implied_dense(const PublishedRow& row, PublishedRow wanted) {
  wanted.accuracy = *row.accuracy - *row.delta;
  wanted.weight_pct = wanted.conn_pct = wanted.sops_m = std::nullopt;
  return wanted;
}

// A figure of a method that reaches any density is not one for a network half as dense.
constexpr double kMostRatio = 1.5;

}  // namespace

bool same_name(const std::string& a, const std::string& b) {
  return plain(a) == plain(b);
}

bool same_network(const PublishedRow& row, const PublishedRow& wanted) {
  const bool renamed =
      std::any_of(row.network.begin(), row.network.end(),
                  [](const std::string& word) { return word.starts_with("name="); });
  if (!renamed && !same_name(row.model, wanted.model)) return false;
  if (row.T && row.T != wanted.T) return false;
  return std::all_of(row.network.begin(), row.network.end(), [&](const std::string& word) {
    return std::find(wanted.network.begin(), wanted.network.end(), word) != wanted.network.end();
  });
}

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
                    .flag = cell("flag"),
                    .table = optional_cell(csv, row, "table"),
                    .category = optional_cell(csv, row, "category"),
                    .recipe = optional_cell(csv, row, "recipe"),
                    .source = optional_cell(csv, row, "source"),
                    .line = row.line});
  }
  return rows;
}

std::optional<PublishedRow> find_published(const std::vector<PublishedRow>& rows,
                                           const PublishedRow& wanted) {
  const bool dense = wanted.method == "dense" && wanted.granularity == "weight";
  const PublishedRow* nearest = nullptr;
  double least = kMostRatio;
  for (const PublishedRow& row : rows) {
    if (!same_name(row.dataset, wanted.dataset) || !same_network(row, wanted)) continue;
    if (dense) {
      if (!same_name(row.method, "spikenm") || !row.accuracy || !row.delta) continue;
      return implied_dense(row, wanted);
    }
    if (!same_names(row, wanted)) continue;
    // A pattern says how many are kept: it needs no density.
    const double ratio = row.pattern.empty() ? density_ratio(row, wanted).value_or(1) : 1;
    if (ratio > kMostRatio || (nearest != nullptr && ratio >= least)) continue;
    nearest = &row;
    least = ratio;
  }
  return nearest == nullptr ? std::nullopt : std::optional(*nearest);
}

}  // namespace spikenm::report
