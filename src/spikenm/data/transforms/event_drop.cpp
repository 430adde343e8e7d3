#include "spikenm/data/transforms/arguments.h"
#include "spikenm/data/transforms/transform.h"

#include <cmath>

namespace spikenm::data {
namespace {

constexpr double kMostCounted = 256;  // 0.1^256, the smallest probability, is still a normal double

// The number of `count` events that stay when each is lost with probability `lost`, from one
// uniform number u: the binomial distribution, by inversion. `count` may have a fraction after
// frames are resized; the fraction stays or is lost like an event. Above kMostCounted the expected
// number stays, which is within a few percent of any draw.
double thin(double count, double lost, double u) {
  const double whole = std::floor(count);
  if (whole > kMostCounted) return std::floor(count * (1 - lost) + u);

  double n_lost = 0, probability = std::pow(1 - lost, whole);
  while (u >= probability && n_lost < whole) {
    u -= probability;
    probability *= (whole - n_lost) / (n_lost + 1) * lost / (1 - lost);
    ++n_lost;
  }

  // The remainder of u is uniform in [0, probability).
  const bool fraction_stays = u < probability * (1 - lost);
  return whole - n_lost + (fraction_stays ? count - whole : 0);
}

// [Gu21] on frames: keeps all events, or drops a share of them at random, or those of consecutive
// frames, or those in a box. The share is uniform up to `most`; a box has this share of each side.
class EventDrop : public Transform {
 public:
  explicit EventDrop(double most) : most_(most) {}

  void apply(Sample& sample, const Draws& draws) const override {
    const double share = draws.uniform(1, 0, most_);
    switch (draws.below(0, 4)) {
      case 0:
        return;
      case 1:
        return drop_at_random(sample, draws, share);
      case 2:
        return drop_frames(sample, draws, share);
      default:
        return drop_box(sample, draws, share);
    }
  }

 private:
  static constexpr uint64_t kFirstPixel = 4;  // smaller indices choose the kind of drop

  static void drop_at_random(Sample& sample, const Draws& draws, double share) {
    for (size_t i = 0; i < sample.values.size(); ++i) {
      float& count = sample.values[i];
      if (count > 0) count = static_cast<float>(thin(count, share, draws.uniform(kFirstPixel + i)));
    }
  }

  // A random range with `share` of 0 .. n-1: at least one element, and never all if n > 1.
  struct Range {
    int64_t begin, end;
  };
  static Range draw_range(const Draws& draws, uint64_t index, int64_t n, double share) {
    const auto wanted = static_cast<int64_t>(std::lround(share * static_cast<double>(n)));
    const int64_t size = std::clamp<int64_t>(wanted, 1, std::max<int64_t>(1, n - 1));
    const int64_t begin = draws.below(index, static_cast<uint32_t>(n - size + 1));
    return {begin, begin + size};
  }

  static void drop_frames(Sample& sample, const Draws& draws, double share) {
    if (sample.shape.frames == 1) return;  // nothing would be left
    const int64_t frame = sample.shape.channels * sample.shape.plane();
    const auto [begin, end] = draw_range(draws, 2, sample.shape.frames, share);
    std::fill(sample.values.begin() + begin * frame, sample.values.begin() + end * frame, 0.0f);
  }

  static void drop_box(Sample& sample, const Draws& draws, double share) {
    const auto [T, C, H, W] = sample.shape;
    const Range rows = draw_range(draws, 2, H, share), columns = draw_range(draws, 3, W, share);
    for (int64_t p = 0; p < T * C; ++p)
      for (int64_t y = rows.begin; y < rows.end; ++y)
        std::fill_n(sample.values.begin() + (p * H + y) * W + columns.begin,
                    columns.end - columns.begin, 0.0f);
  }

  double most_;
};

}  // namespace

std::unique_ptr<Transform> make_event_drop(const TransformArguments& arguments,
                                           const TransformContext& context) {
  SPIKENM_CHECK(context.events, "works on event frames, and the samples are images");
  return std::make_unique<EventDrop>(Arguments(arguments, 1).real(0, 0.5, 0.01, 0.9));
}

}  // namespace spikenm::data
