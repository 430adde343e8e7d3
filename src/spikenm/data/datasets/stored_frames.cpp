#include "spikenm/core/input_file.h"
#include "spikenm/data/datasets/file_tree.h"
#include "spikenm/data/formats/npz.h"
#include "spikenm/data/resize.h"

#include <optional>

namespace spikenm::data {
namespace {

class StoredFrames : public Dataset {
 public:
  StoredFrames(LabelledFiles files, DatasetInfo info, const FrameOptions& options,
               UnpackLimit limit)
      : files_(std::move(files)),
        info_(std::move(info)),
        options_(options),
        limit_(std::move(limit)),
        stored_({options.frames, 2, info_.height, info_.width}) {
    info_.frames = options.frames;
    info_.channels = 2;
    info_.events = true;
    if (options.resize == 0) return;
    info_.height = info_.width = options.resize;
    resizer_.emplace(stored_.height, stored_.width, info_.height, info_.width);
  }

  [[nodiscard]] const DatasetInfo& info() const override { return info_; }
  [[nodiscard]] int64_t size(Part part) const override {
    return static_cast<int64_t>(files_.of(part).size());
  }
  [[nodiscard]] int64_t label(Part part, int64_t index) const override {
    return files_.of(part)[static_cast<size_t>(index)].label;
  }
  [[nodiscard]] std::vector<SourceFile> files() const override { return files_.sources(); }
  [[nodiscard]] std::string cache_key() const override {
    return fmt::format("stored frames 1 split={} binary={} resize={}", info_.split, options_.binary,
                       options_.resize);
  }

  void read(Part part, int64_t index, float* out) const override {
    const std::filesystem::path& path = files_.of(part)[static_cast<size_t>(index)].path;
    static thread_local std::vector<uint8_t> bytes;
    read_bytes(path, bytes);
    const NpzReader npz(bytes, path.string(), limit_);
    const NpzEntry entry = npz.read("frames");

    const std::vector<int64_t> wanted{stored_.frames, stored_.channels, stored_.height,
                                      stored_.width};
    SPIKENM_CHECK(entry.array.shape == wanted, "{}: frames have the shape [{}], wanted [{}]",
                  path.string(), fmt::join(entry.array.shape, ","), fmt::join(wanted, ","));

    std::vector<float> values = npy_values<float>(entry.array, path.string());
    for (float& v : values) {
      SPIKENM_CHECK(v >= 0 && v < 1e9F, "{}: found a count of {}, wanted 0 to 1e9", path.string(),
                    v);
      if (options_.binary) v = v > 0 ? 1.0F : 0.0F;
    }

    if (resizer_) {
      resizer_->apply(values.data(), out, stored_.planes());
    } else {
      std::copy(values.begin(), values.end(), out);
    }
  }

 private:
  LabelledFiles files_;
  DatasetInfo info_;
  FrameOptions options_;
  UnpackLimit limit_;
  SampleShape stored_;
  std::optional<Resizer> resizer_;
};

}  // namespace

std::unique_ptr<Dataset> make_stored_frames(LabelledFiles files, DatasetInfo info,
                                            const FrameOptions& options, UnpackLimit limit) {
  return std::make_unique<StoredFrames>(std::move(files), std::move(info), options,
                                        std::move(limit));
}

std::string stored_frames_folder(const FrameOptions& options) {
  return fmt::format("frames_number_{}_split_by_{}", options.frames,
                     options.rule == FrameRule::kNumber ? "number" : "time");
}

}  // namespace spikenm::data
