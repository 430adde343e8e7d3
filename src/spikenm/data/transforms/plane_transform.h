// Transforms that move pixels as one and blank at most one box. What such a transform does to a
// sample is a PlaneEdit, which can be done here or, with the whole batch, on a GPU.
#pragma once

#include "spikenm/core/plane_edit.h"
#include "spikenm/data/transforms/transform.h"

namespace spikenm::data {

class PlaneTransform : public Transform {
 public:
  // What to do with a sample of this shape. Its label may change.
  [[nodiscard]] virtual PlaneEdit choose(const SampleShape& shape, int64_t& label,
                                         const Draws& draws) const = 0;

  void apply(Sample& sample, const Draws& draws) const final;

  // The hole's colour, [C]; empty: it makes no holes.
  [[nodiscard]] const std::vector<float>& fill() const { return fill_; }

 protected:
  explicit PlaneTransform(std::vector<float> fill = {}) : fill_(std::move(fill)) {}

 private:
  std::vector<float> fill_;
};

}  // namespace spikenm::data
