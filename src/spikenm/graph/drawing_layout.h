// Where the boxes and lines of a drawing lie.
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

// Boxes of one width, each below all that it reads. `heights` has one for each box, `inputs` the
// boxes before it that it reads, each once. A line that passes rows passes on their right; lines of
// one box share their way.
DrawingLayout lay_out(double width, const std::vector<double>& heights,
                      const std::vector<std::vector<size_t>>& inputs);

}  // namespace spikenm::graph
