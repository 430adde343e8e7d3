// Places the boxes and lines of a drawing.
#pragma once

#include <cstddef>
#include <vector>

namespace spikenm::graph {

struct Spot {
  double x = 0, y = 0;
};

struct BoxPlace {
  double x = 0, y = 0, width = 0, height = 0;
};

struct DrawingLayout {
  double width = 0, height = 0;
  std::vector<BoxPlace> boxes;
  std::vector<std::vector<Spot>> lines;  // corner by corner; the last corner is on a box
};

// Places boxes of the same width, each below all boxes that it reads. heights: one per box. inputs:
// per box, the earlier boxes that it reads, each once. A line that passes rows passes on their
// right; lines that leave one box share their path.
DrawingLayout lay_out(double width, const std::vector<double>& heights,
                      const std::vector<std::vector<size_t>>& inputs);

}  // namespace spikenm::graph
