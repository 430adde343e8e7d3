#include "spikenm/data/transforms/arguments.h"
#include "spikenm/data/transforms/transform.h"

#include <cstring>

namespace spikenm::data {
namespace {

// Moves what lies at (y + dy, x + dx) to (y, x); zero where that is outside. |dx| <= width.
void shift(float* plane, int64_t height, int64_t width, int64_t dy, int64_t dx) {
  const int64_t left = std::max<int64_t>(0, -dx), right = std::max<int64_t>(0, dx);
  for (int64_t k = 0; k < height; ++k) {
    // In this order no row is written before it is read.
    const int64_t y = dy >= 0 ? k : height - 1 - k;
    float* const row = plane + y * width;
    if (y + dy < 0 || y + dy >= height) {
      std::fill_n(row, width, 0.0f);
      continue;
    }
    std::memmove(row + left, row + dy * width + right,
                 static_cast<size_t>(width - left - right) * sizeof(float));
    std::fill_n(row, left, 0.0f);
    std::fill_n(row + width - right, right, 0.0f);
  }
}

// Pads with zeros and cuts a window of the old size at a random place. Pixels are not normalised
// yet, so zero is black.
class Crop : public Transform {
 public:
  explicit Crop(int64_t padding) : padding_(padding) {}

  void apply(Sample& sample, const Draws& draws) const override {
    const auto places = static_cast<uint32_t>(2 * padding_ + 1);
    const int64_t dy = static_cast<int64_t>(draws.below(0, places)) - padding_;
    const int64_t dx = static_cast<int64_t>(draws.below(1, places)) - padding_;
    const auto [T, C, H, W] = sample.shape;
    for (int64_t p = 0; p < T * C; ++p)
      shift(sample.values.data() + p * H * W, H, W, dy, std::clamp(dx, -W, W));
  }

 private:
  int64_t padding_;
};

}  // namespace

std::unique_ptr<Transform> make_crop(const std::vector<double>& arguments,
                                     const TransformContext&) {
  return std::make_unique<Crop>(Arguments(arguments, 1).whole(0, 4, 0, kMostPixels));
}

}  // namespace spikenm::data
