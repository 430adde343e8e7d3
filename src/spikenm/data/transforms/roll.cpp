#include "spikenm/data/transforms/arguments.h"
#include "spikenm/data/transforms/transform.h"

namespace spikenm::data {
namespace {

// Shifts by whole pixels; pixels that leave at one side enter at the other.
class Roll : public Transform {
 public:
  explicit Roll(int64_t most) : most_(most) {}

  void apply(Sample& sample, const Draws& draws) const override {
    const auto [T, C, H, W] = sample.shape;
    const int64_t down = shift(draws, 0, H), right = shift(draws, 1, W);
    thread_local std::vector<float> old;
    for (int64_t p = 0; p < T * C; ++p) {
      float* const plane = sample.values.data() + p * H * W;
      old.assign(plane, plane + H * W);
      for (int64_t y = 0; y < H; ++y) {
        const float* const from = old.data() + y * W;
        float* const to = plane + (y + down) % H * W;
        std::copy(from, from + W - right, to + right);
        std::copy(from + W - right, from + W, to);
      }
    }
  }

 private:
  // A random shift of -most .. most, modulo n.
  [[nodiscard]] int64_t shift(const Draws& draws, uint64_t index, int64_t n) const {
    const int64_t drawn = draws.below(index, static_cast<uint32_t>(2 * most_ + 1)) - most_;
    return (drawn % n + n) % n;
  }

  int64_t most_;
};

}  // namespace

std::unique_ptr<Transform> make_roll(const TransformArguments& arguments, const TransformContext&) {
  return std::make_unique<Roll>(Arguments(arguments, 1).whole(0, 5, 0, kMostPixels));
}

}  // namespace spikenm::data
