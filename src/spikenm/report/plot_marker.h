// The marks of a plot's points.
#pragma once

#include "spikenm/report/canvas.h"

namespace spikenm::report {

// That of the i-th series: with its color, eight shapes tell sixteen series apart in print too.
void draw_marker(Canvas& canvas, size_t i, Point p);

}  // namespace spikenm::report
