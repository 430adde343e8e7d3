#include "spikenm/data/transforms/arguments.h"
#include "spikenm/data/transforms/transform.h"

#include <cmath>
#include <numbers>

namespace spikenm::data {
namespace {

// For every pixel of a plane that is rotated counterclockwise about its centre, the index of the
// pixel it comes from; height*width means none. Nearest neighbour, like torchvision's rotate on
// tensors.
void map_places(int64_t height, int64_t width, double degrees, std::vector<int32_t>& places) {
  const double angle = degrees * std::numbers::pi / 180;
  const double cosine = std::cos(angle), sine = std::sin(angle);
  const double middle_x = 0.5 * static_cast<double>(width - 1);
  const double middle_y = 0.5 * static_cast<double>(height - 1);

  places.resize(static_cast<size_t>(height * width));
  auto place = places.begin();
  for (int64_t y = 0; y < height; ++y) {
    const double below = static_cast<double>(y) - middle_y;
    for (int64_t x = 0; x < width; ++x) {
      const double right = static_cast<double>(x) - middle_x;
      const double from_x = std::nearbyint(cosine * right - sine * below + middle_x);
      const double from_y = std::nearbyint(sine * right + cosine * below + middle_y);
      const bool inside = from_x >= 0 && from_x < static_cast<double>(width) && from_y >= 0 &&
                          from_y < static_cast<double>(height);
      *place++ = static_cast<int32_t>(inside ? static_cast<int64_t>(from_y) * width +
                                                   static_cast<int64_t>(from_x)
                                             : height * width);
    }
  }
}

class Rotate : public Transform {
 public:
  explicit Rotate(double most) : most_(most) {}

  void apply(Sample& sample, const Draws& draws) const override {
    const auto [T, C, H, W] = sample.shape;
    thread_local std::vector<int32_t> places;
    thread_local std::vector<float> old;
    map_places(H, W, draws.uniform(0, -most_, most_), places);
    for (int64_t p = 0; p < T * C; ++p) {
      float* const plane = sample.values.data() + p * H * W;
      old.assign(plane, plane + H * W);
      old.push_back(0);  // the value of pixels from outside
      for (size_t i = 0; i < places.size(); ++i) plane[i] = old[static_cast<size_t>(places[i])];
    }
  }

 private:
  double most_;
};

}  // namespace

std::unique_ptr<Transform> make_rotate(const TransformArguments& arguments,
                                       const TransformContext&) {
  return std::make_unique<Rotate>(Arguments(arguments, 1).real(0, 30, 0, 180));
}

}  // namespace spikenm::data
