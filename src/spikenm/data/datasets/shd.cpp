// SHD, the Spiking Heidelberg Digits [Cramer20]: spoken digits as spikes of 700 cochlear units. A
// part is one HDF5 file with a row a recording in spikes/times (seconds) and spikes/units, and a
// label a recording in labels.
#include "spikenm/core/mapped_file.h"
#include "spikenm/data/datasets/file_tree.h"
#include "spikenm/data/formats/hdf5.h"
#include "spikenm/data/formats/inflate.h"
#include "spikenm/data/formats/zip.h"

#include <algorithm>
#include <cmath>

namespace spikenm::data {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kUnits = 700, kClasses = 20;
constexpr double kLongest = 3600;                 // seconds; the longest recording takes 1.4
constexpr size_t kLargestFile = size_t{4} << 30;  // unpacked; the real ones hold 0.3 GB
constexpr const char* kFolders[] = {"", "SHD", "extract", "download"};
constexpr const char* kWanted =
    "a folder with shd_train and shd_test, each .h5, .h5.zip or .h5.gz, in it, in SHD/ (Tonic) or "
    "in extract/ or download/ (SpikingJelly); the set can be had from zenkelab.org/datasets";

// The plain file if there is one anywhere, for it need not be unpacked into memory.
fs::path find_file(const fs::path& root, const std::string& part) {
  std::error_code error;
  for (const char* ending : {".h5", ".h5.zip", ".h5.gz"}) {
    for (const char* folder : kFolders) {
      fs::path path = (*folder == '\0' ? root : root / folder) / (part + ending);
      if (fs::exists(path, error)) return path;
    }
  }
  fail("{}: found no {}.h5; shd is read from {}", root.string(), part, kWanted);
}

// The HDF5 file inside a zip or gzip file; empty when it is not packed.
std::string unpack(Bytes bytes, const fs::path& path) {
  if (is_gzip(bytes)) return gunzip(bytes, path.string(), kLargestFile);
  if (path.extension() != ".zip") return {};
  const ZipReader zip(bytes, path.string());
  const std::string name = path.stem().string();
  const ZipMember* member = zip.find(name);
  SPIKENM_CHECK(member != nullptr, "{}: found no {} in it", path.string(), name);
  return zip.read(*member);
}

// One part of the set.
class ShdFile {
 public:
  explicit ShdFile(const fs::path& path)
      : path_(path.string()),
        file_(path),
        unpacked_(unpack(file_.bytes(), path)),
        objects_(unpacked_.empty() ? file_.bytes() : as_bytes(unpacked_), path_),
        times_(objects_, "spikes/times", path_),
        units_(objects_, "spikes/units", path_),
        labels_(npy_values<int64_t>(Hdf5Dataset(objects_, "labels", path_).values(), path_)) {
    SPIKENM_CHECK(times_.has_rows() && units_.has_rows(),
                  "{}: found spikes/times or spikes/units without rows, wanted a row a recording",
                  path_);
    SPIKENM_CHECK(times_.size() == size() && units_.size() == size(),
                  "{}: found {} rows of times and {} of units for {} labels, wanted as many", path_,
                  times_.size(), units_.size(), size());
    SPIKENM_CHECK(size() > 0, "{}: found no recordings in it", path_);
    for (int64_t i = 0; i < size(); ++i) {
      SPIKENM_CHECK(label(i) >= 0 && label(i) < kClasses, "{}: label {}, wanted 0 to {}", name(i),
                    label(i), kClasses - 1);
    }
  }

  [[nodiscard]] int64_t size() const { return static_cast<int64_t>(labels_.size()); }
  [[nodiscard]] int64_t label(int64_t index) const { return labels_[static_cast<size_t>(index)]; }
  [[nodiscard]] std::string name(int64_t index) const {
    return fmt::format("{} row {}", path_, index);
  }

  void load(int64_t index, Recording& out) const {
    const std::string source = name(index);
    const std::vector<double> times = npy_values<double>(times_.row(index), source);
    const std::vector<int64_t> units = npy_values<int64_t>(units_.row(index), source);
    SPIKENM_CHECK(times.size() == units.size(), "{}: found {} times for {} units, wanted as many",
                  source, times.size(), units.size());
    out.clear();
    out.width = kUnits;
    out.height = 1;
    out.events.reserve(times.size());
    for (size_t i = 0; i < times.size(); ++i) {
      SPIKENM_CHECK(times[i] >= 0 && times[i] <= kLongest,
                    "{}: spike {} is at {} s, wanted 0 to {} s", source, i, times[i], kLongest);
      SPIKENM_CHECK(units[i] >= 0 && units[i] < kUnits,
                    "{}: spike {} is of unit {}, wanted 0 to {}", source, i, units[i], kUnits - 1);
      out.events.push_back(
          {.t = std::llround(times[i] * 1e6), .x = static_cast<uint16_t>(units[i]), .on = 1});
    }
    // Frames are cut by time and trust its order.
    const auto earlier = [](const Event& a, const Event& b) { return a.t < b.t; };
    if (!std::is_sorted(out.events.begin(), out.events.end(), earlier))
      std::stable_sort(out.events.begin(), out.events.end(), earlier);
  }

 private:
  std::string path_;
  MappedFile file_;
  std::string unpacked_;
  Hdf5Objects objects_;
  Hdf5Dataset times_, units_;
  std::vector<int64_t> labels_;
};

class Shd : public RecordingSet {
 public:
  explicit Shd(std::vector<SourceFile> files)
      : files_(std::move(files)), train_(files_[0].path), test_(files_[1].path) {}

  [[nodiscard]] int64_t size(Part part) const override { return of(part).size(); }
  [[nodiscard]] int64_t label(Part part, int64_t index) const override {
    return of(part).label(index);
  }
  [[nodiscard]] std::string name(Part part, int64_t index) const override {
    return of(part).name(index);
  }
  void load(Part part, int64_t index, Recording& out) const override { of(part).load(index, out); }
  [[nodiscard]] std::vector<SourceFile> files() const override { return files_; }

 private:
  [[nodiscard]] const ShdFile& of(Part part) const { return part == Part::kTrain ? train_ : test_; }

  std::vector<SourceFile> files_;
  ShdFile train_, test_;
};

// Sums are published of the zip files alone.
SourceFile source_file(const fs::path& root, const std::string& part, const char* zip_md5) {
  fs::path path = find_file(root, part);
  const bool is_zip = path.extension() == ".zip";
  return {std::move(path), is_zip ? zip_md5 : ""};
}

}  // namespace

std::unique_ptr<Dataset> open_shd(const Config& config, int64_t frames, uint64_t /*seed*/) {
  const fs::path root = require_root(config, "shd", kWanted);
  std::vector<SourceFile> files{source_file(root, "shd_train", "f3252aeb598ac776c1b526422d90eecb"),
                                source_file(root, "shd_test", "1503a5064faa34311c398fb0a1ed0a6f")};
  DatasetInfo info{.name = "shd",
                   .height = 1,
                   .width = kUnits,
                   .classes = kClasses,
                   .source = "HDF5 files in " + files[0].path.parent_path().string(),
                   .class_names = {"zero",  "one",   "two",   "three",  "four", "five", "six",
                                   "seven", "eight", "nine",  "null",   "eins", "zwei", "drei",
                                   "vier",  "fünf",  "sechs", "sieben", "acht", "neun"},
                   .official_train = 8156,
                   .official_test = 2264};
  const FrameOptions options =
      read_frame_options(config, {.frames = frames, .rule = FrameRule::kTime, .polarities = 1});
  SPIKENM_CHECK(options.resize == 0, "{}: found {}, but shd has a row of units and no picture",
                config.full_key("resize"), options.resize);
  return make_frame_dataset(std::make_unique<Shd>(std::move(files)), std::move(info), options,
                            "shd 1");
}

}  // namespace spikenm::data
