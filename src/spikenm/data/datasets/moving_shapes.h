// moving-shapes: ten classes of moving and deforming shapes in front of a simulated event camera,
// generated from the seed. Classes come in pairs that differ only in the direction of time: a disc
// drifting right or left, a square falling or rising, a bar turning clockwise or counter-clockwise,
// a ring growing or shrinking, a cross circling one way or the other. Shapes are brighter or darker
// than their ground at random, so that the polarity of one frame does not tell the direction: only
// the order of frames does.
#pragma once

#include "spikenm/data/dataset.h"

namespace spikenm::data {

struct MovingShapesOptions {
  int64_t train_size = 4000, test_size = 1000;
  int64_t frames = 10;
  uint64_t seed = 0;
  bool shuffle_time = false;  // frames in random order: shows that motion is part of the class
};

std::unique_ptr<Dataset> make_moving_shapes(const MovingShapesOptions& options);

}  // namespace spikenm::data
