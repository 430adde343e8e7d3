// Pictures of the user's own, in a folder for each class.
#include "spikenm/core/input_file.h"
#include "spikenm/core/text.h"
#include "spikenm/data/datasets/class_folders.h"
#include "spikenm/data/formats/picture_file.h"
#include "spikenm/data/resize.h"

#include <algorithm>
#include <cmath>

namespace spikenm::data {
namespace {

const IntKey kResize{"resize", 32, 1, 4096,
                     "length that a picture's shorter side is brought to, in pixels"};
const IntKey kCrop{"crop", Varies{"resize"}, 1, 4096,
                   "side of the square that is cut from the middle, at most resize"};
const ChoiceKey kColors{"colors", "rgb", {"rgb", "gray"}, "three channels, or one"};

struct PictureOptions {
  int64_t resize = 32, crop = 32;
  bool gray = false;
  UnpackLimit limit;
};

// Keeps no picture in memory: there may be more than fit. A cache keeps them on disk.
class ImageFolder : public Dataset {
 public:
  ImageFolder(DatasetInfo info, LabelledFiles files, PictureOptions options)
      : info_(std::move(info)), files_(std::move(files)), options_(std::move(options)) {}

  [[nodiscard]] const DatasetInfo& info() const override { return info_; }
  [[nodiscard]] int64_t size(Part part) const override {
    return static_cast<int64_t>(files_.of(part).size());
  }
  [[nodiscard]] int64_t label(Part part, int64_t index) const override {
    return file(part, index).label;
  }
  [[nodiscard]] std::vector<SourceFile> files() const override { return files_.sources(); }
  [[nodiscard]] std::string cache_key() const override {
    return fmt::format("image-folder 1 classes={} split={} resize={} crop={} gray={}",
                       join(info_.class_names, "/"), info_.split, options_.resize, options_.crop,
                       options_.gray);
  }

  void read(Part part, int64_t index, float* out) const override {
    static thread_local std::vector<uint8_t> bytes;
    const std::filesystem::path& path = file(part, index).path;
    read_bytes(path, bytes);
    cut(read_picture(bytes, options_.gray, path.string(), options_.limit), path.string(), out);
  }

 private:
  [[nodiscard]] const LabelledFile& file(Part part, int64_t index) const {
    return files_.of(part)[static_cast<size_t>(index)];
  }

  // [height,width,channels] -> [channels,crop,crop], in whole numbers.
  void cut(const spikenm::Picture& picture, const std::string& source, float* out) const {
    const int64_t channels = info_.channels, plane = picture.width * picture.height;
    const int64_t shorter = std::min(picture.width, picture.height);
    const auto scaled = [&](int64_t side) {
      return (side * options_.resize + shorter / 2) / shorter;
    };
    const int64_t width = scaled(picture.width), height = scaled(picture.height);
    SPIKENM_CHECK(
        std::max(width, height) <= 100 * options_.resize,
        "{}: found a picture of {}x{} pixels, wanted one side at most 100 times the other", source,
        picture.width, picture.height);

    std::vector<float> planes(static_cast<size_t>(channels * plane));
    for (int64_t i = 0; i < plane; ++i)
      for (int64_t c = 0; c < channels; ++c)
        planes[static_cast<size_t>(c * plane + i)] =
            picture.pixels[static_cast<size_t>(i * channels + c)];
    std::vector<float> resized(static_cast<size_t>(channels * width * height));
    Resizer(picture.height, picture.width, height, width)
        .apply(planes.data(), resized.data(), channels);

    const int64_t side = options_.crop, left = (width - side) / 2, top = (height - side) / 2;
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t y = 0; y < side; ++y)
        for (int64_t x = 0; x < side; ++x)
          *out++ = std::round(
              std::clamp(resized[static_cast<size_t>((c * height + top + y) * width + left + x)],
                         0.0F, 255.0F));
  }

  DatasetInfo info_;
  LabelledFiles files_;
  PictureOptions options_;
};

}  // namespace

std::unique_ptr<Dataset> open_image_folder(const Config& config, const DatasetRequest& request) {
  ClassFolders found = open_class_folders(config, request.extent,
                                          {.dataset = "image-folder",
                                           .files = "PNG or JPEG pictures",
                                           .extensions = {".png", ".jpg", ".jpeg"}});
  PictureOptions options{.resize = kResize.read(config), .limit = read_unpack_limit(config)};
  options.crop = kCrop.read_within(config, options.resize, 1, options.resize);
  options.gray = kColors.read(config) == 1;

  const int64_t channels = options.gray ? 1 : 3;
  const std::vector<double> half(static_cast<size_t>(channels), 0.5);
  DatasetInfo info{.name = "image-folder",
                   .channels = channels,
                   .height = options.crop,
                   .width = options.crop,
                   .classes = static_cast<int64_t>(found.classes.size()),
                   .split = std::move(found.split),
                   .source = std::move(found.source),
                   .class_names = std::move(found.classes),
                   .mean = half,
                   .std = half};
  return std::make_unique<ImageFolder>(std::move(info), std::move(found.files), std::move(options));
}

KeyList image_folder_keys() {
  return join_keys(class_folder_keys(), {&kMaxUnpackedMb, &kResize, &kCrop, &kColors});
}

}  // namespace spikenm::data
