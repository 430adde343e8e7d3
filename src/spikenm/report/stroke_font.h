// A small font drawn with strokes of a pen, so that pictures need no font file.
#pragma once

#include "spikenm/report/canvas.h"

#include <string_view>
#include <vector>

namespace spikenm::report {

struct PenText {
  std::vector<std::vector<Point>> strokes;  // in ems, x to the right and y up from the baseline
  double width = 0;                         // in ems
};

// A character that the font lacks becomes a box.
PenText pen_text(std::string_view utf8);

// Width of the pen, in ems.
constexpr double kPenWidth = 0.08;

}  // namespace spikenm::report
