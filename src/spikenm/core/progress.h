// One line that is redrawn on a terminal; nothing is written when stderr is not a terminal.
#pragma once

#include "spikenm/core/live_lines.h"

#include <string_view>

namespace spikenm {

class ProgressLine {
 public:
  [[nodiscard]] bool is_live() const { return line_.is_live(); }

  // Draws "title [=====>    ] text", at most ten times per second.
  void update(std::string_view title, double fraction, std::string_view text);
  // Removes the line, so that ordinary output can follow.
  void clear() { line_.clear(); }

 private:
  LiveLines line_;
};

}  // namespace spikenm
