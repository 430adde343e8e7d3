#include "spikenm/data/recording_set.h"

#include "spikenm/data/resize.h"

#include <optional>

namespace spikenm::data {
namespace {

class FrameDataset : public Dataset {
 public:
  FrameDataset(std::unique_ptr<RecordingSet> recordings, DatasetInfo info,
               const FrameOptions& options, std::string key)
      : recordings_(std::move(recordings)),
        info_(std::move(info)),
        options_(options),
        key_(std::move(key)),
        sensor_height_(info_.height),
        sensor_width_(info_.width) {
    SPIKENM_ASSERT(options.frames > 0 && (options.polarities == 1 || options.polarities == 2));
    info_.frames = options.frames;
    info_.channels = options.polarities;
    info_.events = true;
    if (options.resize == 0) return;
    info_.height = info_.width = options.resize;
    resizer_.emplace(sensor_height_, sensor_width_, info_.height, info_.width);
  }

  [[nodiscard]] const DatasetInfo& info() const override { return info_; }
  [[nodiscard]] int64_t size(Part part) const override { return recordings_->size(part); }
  [[nodiscard]] int64_t label(Part part, int64_t index) const override {
    return recordings_->label(part, index);
  }
  [[nodiscard]] std::vector<SourceFile> files() const override { return recordings_->files(); }
  [[nodiscard]] const RecordingSet* recordings() const override { return recordings_.get(); }

  [[nodiscard]] std::string cache_key() const override {
    return fmt::format("{} split={} T={} by={} binary={} polarities={} sensor={}x{} resize={}",
                       key_, info_.split, options_.frames,
                       options_.rule == FrameRule::kNumber ? "number" : "time", options_.binary,
                       options_.polarities, sensor_width_, sensor_height_, options_.resize);
  }

  void read(Part part, int64_t index, float* out) const override {
    static thread_local Recording recording;
    static thread_local std::vector<float> full;
    recordings_->load(part, index, recording);
    check_bounds(recording, part, index);
    if (!resizer_) return integrate(recording.events, options_, sensor_height_, sensor_width_, out);

    const int64_t planes = info_.frames * info_.channels;
    full.resize(static_cast<size_t>(planes * sensor_height_ * sensor_width_));
    integrate(recording.events, options_, sensor_height_, sensor_width_, full.data());
    resizer_->apply(full.data(), out, planes);
  }

 private:
  void check_bounds(const Recording& recording, Part part, int64_t index) const {
    constexpr int64_t kFarthest = int64_t{1} << 60;  // differences of such times cannot overflow
    uint16_t x = 0, y = 0;
    uint8_t on = 0;
    bool near = true;
    for (const Event& e : recording.events) {
      x = std::max(x, e.x);
      y = std::max(y, e.y);
      on = std::max(on, e.on);
      near &= e.t > -kFarthest && e.t < kFarthest;
    }

    SPIKENM_CHECK(near, "{}: found an event beyond 2^60 µs, wanted times that can be subtracted",
                  recordings_->name(part, index));
    SPIKENM_CHECK(on <= 1, "{}: found a polarity of {}, wanted 0 or 1",
                  recordings_->name(part, index), on);
    SPIKENM_CHECK(x < sensor_width_ && y < sensor_height_,
                  "{}: found events up to x {} and y {}, wanted them on the {}x{} sensor of {}",
                  recordings_->name(part, index), x, y, sensor_width_, sensor_height_, info_.name);
  }

  std::unique_ptr<RecordingSet> recordings_;
  DatasetInfo info_;
  FrameOptions options_;
  std::string key_;
  int64_t sensor_height_, sensor_width_;
  std::optional<Resizer> resizer_;
};

}  // namespace

std::unique_ptr<Dataset> make_frame_dataset(std::unique_ptr<RecordingSet> recordings,
                                            DatasetInfo info, const FrameOptions& options,
                                            const std::string& key) {
  return std::make_unique<FrameDataset>(std::move(recordings), std::move(info), options, key);
}

}  // namespace spikenm::data
