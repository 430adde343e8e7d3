// SHD, the Spiking Heidelberg Digits [Cramer20]: spoken digits as spikes of 700 cochlear units. A
// part is one HDF5 file: one row per recording in spikes/times (seconds) and spikes/units, and one
// label per recording in labels.
#include "spikenm/core/input_file.h"
#include "spikenm/data/datasets/file_tree.h"
#include "spikenm/data/formats/hdf5.h"
#include "spikenm/data/formats/inflate.h"
#include "spikenm/data/formats/zip.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace spikenm::data {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kUnits = 700, kClasses = 20;
constexpr int64_t kMostRecordings = 1 << 17;  // the real files have 8156 and 2264
constexpr double kLongest = 3600;             // seconds; the longest recording takes 1.4
constexpr const char* kFolders[] = {"", "SHD", "extract", "download"};
constexpr const char* kWanted =
    "a folder with shd_train and shd_test, each .h5, .h5.zip or .h5.gz, in it, in SHD/ (Tonic) or "
    "in extract/ or download/ (SpikingJelly); the set can be had from zenkelab.org/datasets";

// Prefers the plain file in any folder, because it need not be unpacked into memory.
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

// The HDF5 file inside a zip or gzip file; returns nothing when it is not packed.
std::optional<std::string> unpack(Bytes bytes, const fs::path& path, const UnpackLimit& limit) {
  if (is_gzip(bytes)) return gunzip(bytes, path.string(), limit);
  if (path.extension() != ".zip") return {};
  const ZipReader zip(bytes, path.string(), limit);
  const std::string name = path.stem().string();
  const ZipMember* member = zip.find(name);
  SPIKENM_CHECK(member != nullptr, "{}: found no {} in it", path.string(), name);
  return zip.read(*member);
}

// The places of a dataset's rows in the HDF5 file.
struct Rows {
  struct Place {
    uint64_t offset = 0, n = 0;  // in bytes from the file's begin; count of numbers
    std::string problem;         // why it cannot be read; empty: it is readable
  };
  NpyType type;
  std::vector<Place> places;
};

// A damaged row does not affect the others: `data check` names each damaged row.
Rows find_rows(const Hdf5Dataset& dataset, Bytes file) {
  Rows rows{.type = dataset.type(), .places = {}};
  for (int64_t i = 0; i < dataset.size(); ++i) {
    Rows::Place& place = rows.places.emplace_back();
    try {
      const NpyArray row = dataset.row(i);
      place.n = static_cast<uint64_t>(row.numel());
      if (place.n > 0) place.offset = static_cast<uint64_t>(row.data.data() - file.data());
    } catch (const Error& e) {
      place.problem = e.what();
    }
  }
  return rows;
}

// One part of the set. The whole file is in memory while its rows are found; after that it is read
// in pieces.
class ShdFile {
 public:
  ShdFile(const fs::path& path, const UnpackLimit& limit) : path_(path.string()), file_(path) {
    std::vector<uint8_t> bytes;
    read_bytes(path, bytes);
    unpacked_ = unpack(bytes, path, limit);
    const Bytes all = unpacked_ ? as_bytes(*unpacked_) : Bytes(bytes);

    const Hdf5Objects objects(all, path_);
    const Hdf5Dataset times(objects, "spikes/times", path_), units(objects, "spikes/units", path_);
    labels_ = npy_values<int64_t>(Hdf5Dataset(objects, "labels", path_).values(), path_);

    SPIKENM_CHECK(times.has_rows() && units.has_rows(),
                  "{}: found spikes/times or spikes/units without rows, wanted a row a recording",
                  path_);
    SPIKENM_CHECK(times.size() == size() && units.size() == size(),
                  "{}: found {} rows of times and {} of units for {} labels, wanted as many", path_,
                  times.size(), units.size(), size());
    SPIKENM_CHECK(size() > 0, "{}: found no recordings in it", path_);
    SPIKENM_CHECK(size() <= kMostRecordings,
                  "{}: found {} recordings, wanted at most {} (a fixed limit)", path_, size(),
                  kMostRecordings);

    for (int64_t i = 0; i < size(); ++i) {
      SPIKENM_CHECK(label(i) >= 0 && label(i) < kClasses, "{}: label {}, wanted 0 to {}", name(i),
                    label(i), kClasses - 1);
    }

    times_ = find_rows(times, all);
    units_ = find_rows(units, all);
  }

  [[nodiscard]] int64_t size() const { return static_cast<int64_t>(labels_.size()); }
  [[nodiscard]] int64_t label(int64_t index) const { return labels_[static_cast<size_t>(index)]; }
  [[nodiscard]] std::string name(int64_t index) const {
    return fmt::format("{} row {}", path_, index);
  }

  void load(int64_t index, Recording& out) const {
    const std::string source = name(index);
    const std::vector<double> times = read_row<double>(times_, index, source);
    const std::vector<int64_t> units = read_row<int64_t>(units_, index, source);
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

    // Frames are cut by time and need events in the order of time.
    const auto earlier = [](const Event& a, const Event& b) { return a.t < b.t; };
    if (!std::is_sorted(out.events.begin(), out.events.end(), earlier))
      std::stable_sort(out.events.begin(), out.events.end(), earlier);
  }

 private:
  template <class T>
  [[nodiscard]] std::vector<T> read_row(const Rows& rows, int64_t index,
                                        const std::string& source) const {
    const Rows::Place& place = rows.places[static_cast<size_t>(index)];
    SPIKENM_CHECK(place.problem.empty(), "{}", place.problem);
    static thread_local std::vector<uint8_t> buffer;
    const size_t n_bytes = place.n * static_cast<size_t>(rows.type.item_size);

    NpyArray array{rows.type};
    array.shape = {static_cast<int64_t>(place.n)};
    if (unpacked_) {
      array.data = as_bytes(*unpacked_).subspan(place.offset, n_bytes);
    } else {
      buffer.resize(n_bytes);
      file_.read(place.offset, buffer);
      array.data = buffer;
    }
    return npy_values<T>(array, source);
  }

  std::string path_;
  InputFile file_;
  std::optional<std::string> unpacked_;  // the HDF5 file, when file_ is packed
  Rows times_, units_;
  std::vector<int64_t> labels_;
};

class Shd : public RecordingSet {
 public:
  void open(Part part, SourceFile file, const UnpackLimit& limit) {
    (part == Part::kTrain ? train_ : test_).emplace(file.path, limit);
    files_.push_back(std::move(file));
  }

  [[nodiscard]] int64_t size(Part part) const override { return of(part) ? of(part)->size() : 0; }
  [[nodiscard]] int64_t label(Part part, int64_t index) const override {
    return of(part)->label(index);
  }
  [[nodiscard]] std::string name(Part part, int64_t index) const override {
    return of(part)->name(index);
  }
  void load(Part part, int64_t index, Recording& out) const override { of(part)->load(index, out); }
  [[nodiscard]] std::vector<SourceFile> files() const override { return files_; }

 private:
  [[nodiscard]] const std::optional<ShdFile>& of(Part part) const {
    return part == Part::kTrain ? train_ : test_;
  }

  std::vector<SourceFile> files_;
  std::optional<ShdFile> train_, test_;  // empty: not opened
};

// Sums are published only for the zip files.
SourceFile source_file(const fs::path& root, const std::string& part, const char* zip_md5) {
  fs::path path = find_file(root, part);
  const bool is_zip = path.extension() == ".zip";
  return {std::move(path), is_zip ? zip_md5 : ""};
}

}  // namespace

std::unique_ptr<Dataset> open_shd(const Config& config, const DatasetRequest& request) {
  const fs::path root = require_root(config, request.extent, "shd", kWanted);
  const UnpackLimit limit = read_unpack_limit(config);
  auto recordings = std::make_unique<Shd>();
  if (includes(request.extent, Part::kTrain))
    recordings->open(Part::kTrain,
                     source_file(root, "shd_train", "f3252aeb598ac776c1b526422d90eecb"), limit);
  if (includes(request.extent, Part::kTest))
    recordings->open(Part::kTest, source_file(root, "shd_test", "1503a5064faa34311c398fb0a1ed0a6f"),
                     limit);

  DatasetInfo info{.name = "shd",
                   .height = 1,
                   .width = kUnits,
                   .classes = kClasses,
                   .class_names = {"zero",  "one",   "two",   "three",  "four", "five", "six",
                                   "seven", "eight", "nine",  "null",   "eins", "zwei", "drei",
                                   "vier",  "fünf",  "sechs", "sieben", "acht", "neun"},
                   .official_train = 8156,
                   .official_test = 2264};

  if (request.extent != Extent::kNothing)
    info.source = "HDF5 files in " + recordings->files()[0].path.parent_path().string();

  const FrameOptions options = read_frame_options(
      config, {.frames = request.frames, .rule = FrameRule::kTime, .polarities = 1});
  SPIKENM_CHECK(options.resize == 0, "{}: found {}, but shd has a row of units and no picture",
                config.full_key("resize"), options.resize);
  return make_frame_dataset(std::move(recordings), std::move(info), options, "shd 1");
}

KeyList shd_keys() {
  return join_keys(packed_file_keys(), frame_keys());
}

}  // namespace spikenm::data
