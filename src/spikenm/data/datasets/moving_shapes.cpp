#include "spikenm/data/datasets/moving_shapes.h"

#include "spikenm/core/interrupt.h"
#include "spikenm/core/key.h"
#include "spikenm/data/event_camera.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace spikenm::data {
namespace {

const IntKey kTrainSamples{"train_size", MovingShapesOptions{}.train_size, 0, 10'000'000,
                           "training samples that are made; 0: as if nothing were said"};
const IntKey kTestSamples{"test_size", MovingShapesOptions{}.test_size, 0, 10'000'000,
                          "the same of test samples"};
const BoolKey kShuffleTime{"shuffle_time", false,
                           "whether frames come in random order, which takes the motion away"};
const TextKey kNoRoot{"root", "", "must be empty: nothing is read"};

constexpr int64_t kSide = 34;
constexpr int kRendersPerFrame = 2;
constexpr int64_t kRendersBetweenLooks = 256;  // between checks for an interrupt: about 20 ms
constexpr double kPi = std::numbers::pi;

// One scene: everything random about a sample, drawn once.
struct Scene {
  int kind = 0;  // 0 disc, 1 square, 2 bar, 3 ring, 4 cross
  double x, y;   // centre of the motion on the sensor
  double size, travel, phase;
  double ground, contrast;
  double dot_x, dot_y, dot_dx, dot_dy, dot_contrast;  // a second object, which drifts
};

Scene draw_scene(int label, const RandomAddress& random) {
  Scene s;
  s.kind = label / 2;
  // Brighter or darker than the ground with the same probability.
  const auto contrast = [&](uint64_t index) {
    const double ratio = random.uniform(index, 1.4, 2.0);
    return random.uniform(index + 1) < 0.5 ? ratio : 1 / ratio;
  };

  s.x = random.uniform(0, 13.0, 20.0);
  s.y = random.uniform(1, 13.0, 20.0);
  s.size = random.uniform(2, 3.5, 6.0);
  s.travel = random.uniform(3, 0.7, 1.2);
  s.phase = random.uniform(4, 0.0, 2 * kPi);
  s.ground = random.uniform(5, 0.4, 0.6);
  s.contrast = contrast(6);

  s.dot_x = random.uniform(8, 4.0, 29.0);
  s.dot_y = random.uniform(9, 4.0, 29.0);
  s.dot_dx = random.uniform(10, -14.0, 14.0);
  s.dot_dy = random.uniform(11, -14.0, 14.0);
  s.dot_contrast = contrast(12);
  return s;
}

// Signed distance to the shape's edge at time u in [0,1], in pixels; negative inside.
double distance(const Scene& s, double u, double px, double py) {
  const double along = (u - 0.5) * 20 * s.travel;
  const double turn = s.phase + (u - 0.5) * 1.2 * kPi * s.travel;
  double dx = px - s.x, dy = py - s.y;
  switch (s.kind) {
    case 0:
      return std::hypot(dx - along, dy) - s.size;
    case 1:
      return std::max(std::abs(dx), std::abs(dy - along)) - s.size * 0.9;
    case 2: {
      const double a = std::abs(std::cos(turn) * dx + std::sin(turn) * dy);
      const double b = std::abs(-std::sin(turn) * dx + std::cos(turn) * dy);
      return std::max(a - 2.2 * s.size, b - 0.4 * s.size);
    }
    case 3:
      return std::abs(std::hypot(dx, dy) - (2.0 + 1.9 * s.size * s.travel * u)) - 1.2;
    default: {
      dx -= 7 * std::cos(turn * 1.5);
      dy -= 7 * std::sin(turn * 1.5);
      const double arm = 0.8 * s.size, half = 0.3 * s.size;
      const double a = std::abs(dx), b = std::abs(dy);
      return std::min(std::max(a - arm, b - half), std::max(a - half, b - arm));
    }
  }
}

// How much of a pixel lies inside an edge at this distance; edges are one pixel wide.
double cover(double signed_distance) {
  return std::clamp(0.5 - signed_distance, 0.0, 1.0);
}

void render(const Scene& s, double u, std::vector<float>& image) {
  for (int64_t row = 0; row < kSide; ++row) {
    for (int64_t column = 0; column < kSide; ++column) {
      const auto px = static_cast<double>(column), py = static_cast<double>(row);
      const double shape = cover(distance(s, u, px, py));
      const double dot =
          cover(std::hypot(px - s.dot_x - u * s.dot_dx, py - s.dot_y - u * s.dot_dy) - 2);
      image[static_cast<size_t>(row * kSide + column)] = static_cast<float>(
          s.ground * (1 + shape * (s.contrast - 1)) * (1 + dot * (s.dot_contrast - 1)));
    }
  }
}

class MovingShapes : public Dataset {
 public:
  explicit MovingShapes(const MovingShapesOptions& options) : options_(options) {
    info_ = {.name = "moving-shapes",
             .channels = 2,
             .height = kSide,
             .width = kSide,
             .classes = 10,
             .frames = options.frames,
             .events = true,
             .simulated = true};
  }

  [[nodiscard]] const DatasetInfo& info() const override { return info_; }
  [[nodiscard]] int64_t size(Part part) const override {
    return part == Part::kTrain ? options_.train_size : options_.test_size;
  }
  [[nodiscard]] int64_t label(Part, int64_t index) const override { return index % info_.classes; }

  [[nodiscard]] std::string cache_key() const override {
    return fmt::format("moving-shapes 2 sizes={}+{} T={} seed={} shuffle_time={}",
                       options_.train_size, options_.test_size, options_.frames, options_.seed,
                       options_.shuffle_time);
  }

  void read(Part part, int64_t index, float* out) const override {
    const int64_t frame_size = 2 * kSide * kSide;
    std::fill(out, out + options_.frames * frame_size, 0.0F);

    // Train and test samples have separate random addresses: a test sample is never a train sample.
    const auto which = static_cast<uint32_t>(part);
    const auto sample = static_cast<uint32_t>(index);
    const RandomAddress scene_random(options_.seed, random_stream(RandomUse::kScene, which),
                                     sample);
    const RandomAddress noise_random(options_.seed, random_stream(RandomUse::kPixelNoise, which),
                                     sample);
    const int label_of = static_cast<int>(label(part, index));
    const Scene scene = draw_scene(label_of, scene_random);

    EventCamera camera({.height = kSide, .width = kSide, .noise_rate = 0.02});
    std::vector<float> image(static_cast<size_t>(kSide * kSide));
    const int64_t n_renders = options_.frames * kRendersPerFrame;
    for (int64_t r = 0; r <= n_renders; ++r) {
      if (r % kRendersBetweenLooks == 0) throw_if_interrupted("while moving-shapes was made");
      const double u = static_cast<double>(r) / static_cast<double>(n_renders);
      render(scene, label_of % 2 == 0 ? u : 1 - u, image);
      const int64_t frame = std::max<int64_t>(0, r - 1) / kRendersPerFrame;
      camera.observe(image, out + frame * frame_size);
    }

    for (int64_t t = 0; t < options_.frames; ++t)
      camera.add_noise(noise_random, t, out + t * frame_size);
    if (options_.shuffle_time) shuffle_frames(scene_random, frame_size, out);
  }

 private:
  // Fisher-Yates over whole frames.
  void shuffle_frames(const RandomAddress& random, int64_t frame_size, float* out) const {
    for (int64_t t = options_.frames - 1; t > 0; --t) {
      const int64_t other =
          random.below(static_cast<uint64_t>(100 + t), static_cast<uint32_t>(t + 1));
      std::swap_ranges(out + t * frame_size, out + (t + 1) * frame_size, out + other * frame_size);
    }
  }

  MovingShapesOptions options_;
  DatasetInfo info_;
};

}  // namespace

std::unique_ptr<Dataset> make_moving_shapes(const MovingShapesOptions& options) {
  return std::make_unique<MovingShapes>(options);
}

std::unique_ptr<Dataset> open_moving_shapes(const Config& config, const DatasetRequest& request) {
  MovingShapesOptions options;
  // 0 means the same as for every set: the default.
  const auto read_size = [&](const IntKey& key, int64_t& size) {
    const int64_t given = key.read(config);
    if (given > 0) size = given;
  };
  read_size(kTrainSamples, options.train_size);
  read_size(kTestSamples, options.test_size);
  options.shuffle_time = kShuffleTime.read(config);

  // Every dataset has the key root; this one reads no files.
  const std::string root = kNoRoot.read(config);
  SPIKENM_CHECK(root.empty(),
                "{}: found '{}', but moving-shapes is made on the fly and reads no folder",
                config.full_key("root"), root);

  options.frames = request.frames;
  options.seed = request.seed;
  return make_moving_shapes(options);
}

KeyList moving_shapes_keys() {
  return {&kTrainSamples, &kTestSamples, &kShuffleTime, &kNoRoot};
}

}  // namespace spikenm::data
