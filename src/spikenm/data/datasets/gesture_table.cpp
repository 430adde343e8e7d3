#include "spikenm/data/datasets/gesture_table.h"

#include "spikenm/data/formats/member_name.h"

#include <charconv>
#include <sstream>

namespace spikenm::data {
namespace {

GestureTrial parse_trial(const std::string& line, const std::string& place) {
  std::vector<int64_t> cells;
  std::istringstream row(line);
  for (std::string cell; std::getline(row, cell, ',');) {
    const std::optional<int64_t> value = whole_number(cell);
    SPIKENM_CHECK(value, "{}: found '{}', wanted a whole number", place, excerpt(cell));
    cells.push_back(*value);
  }

  SPIKENM_CHECK(cells.size() == 3, "{}: has {} columns, wanted class, start and end", place,
                cells.size());
  SPIKENM_CHECK(cells[0] >= 1 && cells[0] <= kGestureClasses,
                "{}: has the class {}, wanted 1 to {}", place, cells[0], kGestureClasses);
  SPIKENM_CHECK(cells[1] >= 0 && cells[1] < cells[2],
                "{}: goes from {} to {} µs, wanted a span of time", place, cells[1], cells[2]);
  return {cells[0] - 1, {cells[1], cells[2]}};
}

}  // namespace

std::optional<int64_t> whole_number(std::string_view text) {
  while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

std::vector<GestureTrial> parse_gesture_table(std::string_view text, std::string_view source) {
  std::vector<GestureTrial> trials;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (size_t number = 1; std::getline(lines, line); ++number) {
    if (number == 1) {
      SPIKENM_CHECK(line.starts_with("class"), "{}: begins with '{}', wanted the heading 'class,…'",
                    source, excerpt(line));
    } else if (!line.empty() && line != "\r") {
      trials.push_back(parse_trial(line, fmt::format("{}: line {}", source, number)));
    }
  }
  return trials;
}

}  // namespace spikenm::data
