// Samples of a dataset at a glance.
#pragma once

#include "spikenm/data/dataset.h"
#include "spikenm/data/picture.h"

#include <functional>
#include <vector>

namespace spikenm::data {

// `count` samples of a part, chosen by seed; with `per_class` as many of every class, in the order
// of the classes. Fewer where there are not so many.
std::vector<int64_t> choose_samples(const Dataset& dataset, Part part, int64_t count,
                                    bool per_class, uint64_t seed);

struct SheetLayout {
  SampleShape shape;
  bool events = false;
  int64_t samples = 1;
  int64_t columns = 0;  // images in a row; 0: about as many as there are rows
};

// Images lie in a grid; a sample with frames is a row, time to the right; a sensor of one line
// (SHD) gives one tile, time downwards. sample(i) is asked for one sample after another, none is
// kept.
Picture draw_contact_sheet(const SheetLayout& layout, const std::function<Sample(int64_t)>& sample);

}  // namespace spikenm::data
