// Transforms that move all pixels together and blank at most one box. Such a transform of a sample
// is a PlaneEdit, which can be applied here or, for the whole batch, on a GPU.
#pragma once

#include "spikenm/core/plane_edit.h"
#include "spikenm/data/transforms/transform.h"

namespace spikenm::data {

class PlaneTransform : public Transform {
 public:
  // The edit for a sample of this shape. `label` may be changed.
  [[nodiscard]] virtual PlaneEdit choose(const SampleShape& shape, int64_t& label,
                                         const Draws& draws) const = 0;

  void apply(Sample& sample, const Draws& draws) const final;

  // The hole's colour, [C]; empty: the transform makes no holes.
  [[nodiscard]] const std::vector<float>& fill() const { return fill_; }

 protected:
  explicit PlaneTransform(std::vector<float> fill = {}) : fill_(std::move(fill)) {}

 private:
  std::vector<float> fill_;
};

}  // namespace spikenm::data
