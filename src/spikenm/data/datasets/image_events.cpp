#include "spikenm/data/datasets/image_events.h"

#include "spikenm/core/key.h"
#include "spikenm/data/event_camera.h"
#include "spikenm/data/resize.h"
#include "spikenm/data/wrapped_dataset.h"

#include <algorithm>
#include <cmath>

namespace spikenm::data {
namespace {

const ImageEventOptions kUsual;
const TextKey kSource{"source", "cifar10", "the set of still images, whose own keys are read too"};
const IntKey kSize{"size", kUsual.size, 0, 1024,
                   "side of the sensor in pixels; 0: as many as the image has"};
const RealKey kTravel{"travel", kUsual.travel, 0.1, 64,
                      "how far the image strays from its place, in pixels of the sensor"};
const RealKey kThreshold{"threshold", kUsual.threshold, 0.01, 10,
                         "change of log intensity an event"};
const RealKey kNoise{"noise", kUsual.noise, 0, 1,
                     "share of pixels with a noise event, for each frame and polarity"};

constexpr double kLongestStep = 0.5;  // pixels of motion between two images of the camera
constexpr float kBlack = 25.5F;       // black of a screen with stray light, on the scale 0..255

struct Offset {
  double x = 0, y = 0;
};

// Where the image is at time u in [0,1]: four straight diagonal paths, from the left corner through
// the lower, right and upper corners and back. Diagonal motion makes both vertical and horizontal
// edges cause events.
Offset loop_offset(double u, double travel) {
  constexpr Offset kCorners[] = {{-1, 0}, {0, 1}, {1, 0}, {0, -1}, {-1, 0}};
  const int path = std::min(3, static_cast<int>(4 * u));
  const double along = 4 * u - path;
  const Offset from = kCorners[path], to = kCorners[path + 1];
  return {travel * (from.x + along * (to.x - from.x)), travel * (from.y + along * (to.y - from.y))};
}

// [channels,height,width] -> [height,width]
std::vector<float> luminance(const std::vector<float>& image, int64_t channels) {
  if (channels == 1) return image;
  const size_t plane = image.size() / 3;
  std::vector<float> result(plane);
  for (size_t i = 0; i < plane; ++i)
    result[i] = 0.299F * image[i] + 0.587F * image[plane + i] + 0.114F * image[2 * plane + i];
  return result;
}

// A picture as the sensor sees it when shifted, by bilinear interpolation. Outside its border, the
// picture continues with the colour of the border, so that the border itself causes no events.
class Shifter {
 public:
  Shifter(const std::vector<float>& picture, int64_t height, int64_t width)
      : picture_(picture), height_(height), width_(width) {}

  void shift(Offset by, std::vector<float>& out) const {
    const double left = std::floor(-by.x), top = std::floor(-by.y);
    const auto right_share = static_cast<float>(-by.x - left);
    const auto lower_share = static_cast<float>(-by.y - top);
    const auto dx = static_cast<int64_t>(left), dy = static_cast<int64_t>(top);

    for (int64_t y = 0; y < height_; ++y) {
      const float* const upper = row(y + dy);
      const float* const lower = row(y + dy + 1);
      for (int64_t x = 0; x < width_; ++x) {
        const int64_t a = column(x + dx), b = column(x + dx + 1);
        const float above = upper[a] + right_share * (upper[b] - upper[a]);
        const float below = lower[a] + right_share * (lower[b] - lower[a]);
        out[static_cast<size_t>(y * width_ + x)] = above + lower_share * (below - above);
      }
    }
  }

 private:
  [[nodiscard]] const float* row(int64_t y) const {
    return picture_.data() + std::clamp<int64_t>(y, 0, height_ - 1) * width_;
  }
  [[nodiscard]] int64_t column(int64_t x) const { return std::clamp<int64_t>(x, 0, width_ - 1); }

  const std::vector<float>& picture_;  // [height,width]
  int64_t height_, width_;
};

class ImageEvents : public WrappedDataset {
 public:
  ImageEvents(std::shared_ptr<const Dataset> source, const ImageEventOptions& options)
      : WrappedDataset(std::move(source)),
        options_(options),
        info_(inner().info()),
        resizer_(info_.height, info_.width, options.size > 0 ? options.size : info_.height,
                 options.size > 0 ? options.size : info_.width) {
    if (options.size > 0) info_.height = info_.width = options.size;
    info_.split = fmt::format("{} ({})", info_.split, info_.name);
    info_.name = "image-events";
    info_.channels = 2;
    info_.frames = options.frames;
    info_.events = info_.simulated = true;
    info_.mean.clear();
    info_.std.clear();
    info_.augment.clear();

    const double path = 4 * std::sqrt(2.0) * options.travel;  // length of the whole loop, in pixels
    looks_per_frame_ = std::max<int64_t>(
        1, std::llround(std::ceil(path / kLongestStep / static_cast<double>(options.frames))));
  }

  [[nodiscard]] const DatasetInfo& info() const override { return info_; }
  [[nodiscard]] std::string cache_key() const override {
    return fmt::format(
        "image-events 1 of {} [{}] T={} size={} travel={} threshold={} noise={} "
        "seed={}",
        inner().info().name, inner().cache_key(), options_.frames, options_.size, options_.travel,
        options_.threshold, options_.noise, options_.seed);
  }

  void read(Part part, int64_t index, float* out) const override {
    const int64_t frame_size = 2 * info_.height * info_.width;
    std::fill(out, out + options_.frames * frame_size, 0.0F);
    const std::vector<float> picture = on_sensor(part, index);
    const Shifter shifter(picture, info_.height, info_.width);

    EventCamera camera({.height = info_.height,
                        .width = info_.width,
                        .threshold = options_.threshold,
                        .noise_rate = options_.noise});

    std::vector<float> seen(picture.size());
    const int64_t n_looks = options_.frames * looks_per_frame_;
    for (int64_t look = 0; look <= n_looks; ++look) {
      const double u = static_cast<double>(look) / static_cast<double>(n_looks);
      shifter.shift(loop_offset(u, options_.travel), seen);
      const int64_t frame = std::max<int64_t>(0, look - 1) / looks_per_frame_;
      camera.observe(seen, out + frame * frame_size);
    }

    const RandomAddress random(options_.seed,
                               random_stream(RandomUse::kPixelNoise, static_cast<uint32_t>(part)),
                               static_cast<uint32_t>(index));
    for (int64_t t = 0; t < options_.frames; ++t) camera.add_noise(random, t, out + t * frame_size);
  }

 private:
  // The image as intensities on the sensor, [height,width].
  [[nodiscard]] std::vector<float> on_sensor(Part part, int64_t index) const {
    std::vector<float> image(static_cast<size_t>(inner().info().sample_size()));
    inner().read(part, index, image.data());
    const std::vector<float> grey = luminance(image, inner().info().channels);
    std::vector<float> picture(static_cast<size_t>(info_.height * info_.width));
    resizer_.apply(grey.data(), picture.data(), 1);
    for (float& value : picture) value = std::max(value, 0.0F) + kBlack;
    return picture;
  }

  ImageEventOptions options_;
  DatasetInfo info_;
  Resizer resizer_;
  int64_t looks_per_frame_ = 1;
};

}  // namespace

std::unique_ptr<Dataset> make_image_events(std::shared_ptr<const Dataset> source,
                                           const ImageEventOptions& options) {
  const DatasetInfo& info = source->info();
  SPIKENM_CHECK(info.frames == 0, "{}: its samples are {} frames already, wanted still images",
                info.name, info.frames);
  SPIKENM_CHECK(info.channels == 1 || info.channels == 3,
                "{}: its images have {} channels, wanted 1 or 3", info.name, info.channels);
  return std::make_unique<ImageEvents>(std::move(source), options);
}

std::unique_ptr<Dataset> open_image_events(const Config& config, const DatasetRequest& request) {
  const std::string name = kSource.read(config);
  config.selects("source");
  SPIKENM_CHECK(name != "image-events", "{}: found '{}', wanted a set of still images",
                config.full_key("source"), name);

  ImageEventOptions options{.frames = request.frames, .seed = request.seed};
  options.size = kSize.read(config);
  options.travel = kTravel.read(config);
  options.threshold = kThreshold.read(config);
  options.noise = kNoise.read(config);
  return make_image_events(datasets().find(name)(config, request), options);
}

KeyList image_events_keys() {
  return {&kSource, &kSize, &kTravel, &kThreshold, &kNoise};
}

}  // namespace spikenm::data
