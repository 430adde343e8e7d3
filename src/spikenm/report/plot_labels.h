// Names beside the right ends of curves: where there are many, a reader need not go to a legend and back.
#pragma once

#include "spikenm/report/plot_layout.h"

namespace spikenm::report {

// Width of the names and of the lines that lead to them, right of the area.
double label_room(const Plot& plot);

// From top to bottom in the order of the ends, far enough apart to be read.
void draw_labels(const Plot& plot, const PlotLayout& layout, Canvas& canvas);

}  // namespace spikenm::report
