// A few lines at the bottom of a terminal that are redrawn; nothing is written when stderr is not a
// terminal.
#pragma once

#include "spikenm/core/stopwatch.h"

#include <string>
#include <string_view>
#include <vector>

namespace spikenm {

// The beginning of the text that is at most `width` characters wide; a cut text ends with "…".
std::string cut_to_width(std::string_view text, size_t width);

class LiveLines {
 public:
  // Drawn anew at most once in `seconds_between`.
  explicit LiveLines(double seconds_between = 0.1);
  ~LiveLines() { clear(); }
  LiveLines(const LiveLines&) = delete;
  LiveLines& operator=(const LiveLines&) = delete;

  [[nodiscard]] bool is_live() const { return live_; }

  // Draws these lines in the place of those before. Lines that are too long are cut; of lines that
  // are too many the last are left out.
  void update(const std::vector<std::string>& lines);
  // Removes the lines, so that ordinary output can follow.
  void clear();

 private:
  double seconds_between_;
  bool live_;
  size_t drawn_ = 0;  // lines that are on the terminal
  double last_ = -1;
  Stopwatch clock_;
};

}  // namespace spikenm
