// One picture that shows several samples of a dataset.
#pragma once

#include "spikenm/data/dataset.h"
#include "spikenm/data/picture.h"

#include <functional>
#include <vector>

namespace spikenm::data {

// `count` samples of a part, chosen by seed; with `per_class`, `count` of every class, in the order
// of the classes. Fewer if the part does not have so many.
std::vector<int64_t> choose_samples(const Dataset& dataset, Part part, int64_t count,
                                    bool per_class, uint64_t seed);

struct SheetLayout {
  SampleShape shape;
  bool events = false;
  int64_t samples = 1;
  int64_t columns = 0;  // images per row; 0: about as many as there are rows
  int64_t caption = 0;  // room for words above each tile, in pixels
};

// The tiles of the sheet, a frame or an image each.
TileGrid sheet_grid(const SheetLayout& layout);

// Images are drawn in a grid. A sample with frames is a row, time to the right; a sample of a
// sensor with one line (SHD) is one tile, time downwards. sample(i) is called once per sample, in
// order; samples are not kept.
Picture draw_contact_sheet(const SheetLayout& layout, const std::function<Sample(int64_t)>& sample);

}  // namespace spikenm::data
