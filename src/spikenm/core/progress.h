// One line that is redrawn on a terminal; nothing is written when stderr is not a terminal.
#pragma once

#include "spikenm/core/stopwatch.h"

#include <string_view>

namespace spikenm {

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  [[nodiscard]] bool is_live() const { return live_; }

  // Draws "title [=====>    ] text", at most ten times per second.
  void update(std::string_view title, double fraction, std::string_view text);
  // Removes the line, so that ordinary output can follow.
  void clear();

 private:
  bool live_;
  bool drawn_ = false;
  double last_ = -1;
  Stopwatch clock_;
};

}  // namespace spikenm
