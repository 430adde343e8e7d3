// DVS128 Gesture [Amir17]: 11 hand gestures of 29 people. A recording file holds many trials,
// listed in a table beside it. SpikingJelly's version has 1176 + 288 trials, Tonic's 1077 + 264.
#include "spikenm/core/file.h"
#include "spikenm/data/datasets/file_tree.h"
#include "spikenm/data/datasets/gesture_table.h"
#include "spikenm/data/events/aedat3.h"
#include "spikenm/data/events/numpy_events.h"
#include "spikenm/data/formats/member_name.h"

#include <algorithm>
#include <sstream>

namespace spikenm::data {
namespace {

namespace fs = std::filesystem;

constexpr int32_t kSide = 128;
constexpr const char* kWanted =
    "a folder with DvsGesture/ (AEDAT 3.1 files and trials_to_train.txt) in it or in extract/, "
    "events_np/{train,test}/<label>/*.npz or frames_number_T_split_by_number/… (SpikingJelly), or "
    "ibmGestureTrain/user*/<label>.npy in it or in DVSGesture/ (Tonic); the set can be had from "
    "research.ibm.com/interactive/dvsgesture";

struct Trial : GestureTrial {
  size_t file = 0;
};

// Trials in AEDAT 3.1 files. load() decodes only the packets of the trial's time span.
class Trials : public RecordingSet {
 public:
  Trials(const fs::path& folder, Extent extent) {
    if (includes(extent, Part::kTrain)) append_part(folder, "trials_to_train.txt", train_);
    if (includes(extent, Part::kTest)) append_part(folder, "trials_to_test.txt", test_);
  }

  [[nodiscard]] int64_t size(Part part) const override {
    return static_cast<int64_t>(of(part).size());
  }
  [[nodiscard]] int64_t label(Part part, int64_t index) const override {
    return trial(part, index).label;
  }
  [[nodiscard]] std::string name(Part part, int64_t index) const override {
    const Trial& t = trial(part, index);
    return fmt::format("{} ({} to {} µs)", files_[t.file].string(), t.window.begin, t.window.end);
  }
  void load(Part part, int64_t index, Recording& out) const override {
    const Trial& t = trial(part, index);
    read_aedat3(InputFile(files_[t.file]), t.window, out);
    finish_recording(out, kSide, kSide, name(part, index));
  }
  [[nodiscard]] std::vector<SourceFile> files() const override { return sources_; }

 private:
  void append_part(const fs::path& folder, const char* list, std::vector<Trial>& trials) {
    const std::string list_path = (folder / list).string();
    sources_.push_back({.path = list_path});
    std::istringstream lines(read_file(list_path));
    for (std::string line; std::getline(lines, line);) {
      while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())))
        line.pop_back();
      if (line.empty()) continue;
      SPIKENM_CHECK(line.find('/') == std::string::npos && line.ends_with(".aedat"),
                    "{}: found '{}', wanted the name of an .aedat file beside it", list_path,
                    excerpt(line));

      const fs::path path = folder / line;
      std::error_code error;
      SPIKENM_CHECK(fs::is_regular_file(path, error), "{}: names {}, which is not there", list_path,
                    excerpt(line));
      SPIKENM_CHECK(std::find(files_.begin(), files_.end(), path) == files_.end(),
                    "{}: names {}, which is already in use", list_path, excerpt(line));

      const fs::path table = folder / (path.stem().string() + "_labels.csv");
      for (const GestureTrial& trial : parse_gesture_table(read_file(table), table.string()))
        trials.push_back({trial, files_.size()});
      files_.push_back(path);
      sources_.insert(sources_.end(), {{.path = path}, {.path = table}});
    }
    SPIKENM_CHECK(!trials.empty(), "{}: names no files that have trials", list_path);
  }
  [[nodiscard]] const std::vector<Trial>& of(Part part) const {
    return part == Part::kTrain ? train_ : test_;
  }
  [[nodiscard]] const Trial& trial(Part part, int64_t index) const {
    return of(part)[static_cast<size_t>(index)];
  }

  std::vector<fs::path> files_;      // recordings
  std::vector<SourceFile> sources_;  // the recordings, their tables and the lists
  std::vector<Trial> train_, test_;
};

// Tonic's tree: one folder per person and lighting, one file per gesture, named by its label.
std::vector<LabelledFile> list_users(const fs::path& folder) {
  std::vector<fs::path> users;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code unknown;
    if (it->is_directory(unknown)) users.push_back(it->path());
  }
  SPIKENM_CHECK(!error, "{}: cannot be listed: {}", folder.string(), error.message());

  std::sort(users.begin(), users.end());
  std::vector<LabelledFile> files;
  for (const fs::path& user : users) {
    for (fs::path& path : list_files(user, ".npy")) {
      const int64_t label = whole_number(path.stem().string()).value_or(-1);
      SPIKENM_CHECK(label >= 0 && label < kGestureClasses,
                    "{}: wanted a label from 0 to {} as its name", path.string(),
                    kGestureClasses - 1);
      files.push_back({std::move(path), label});
    }
  }
  SPIKENM_CHECK(!files.empty(), "{}: has no .npy files in the folders of its users",
                folder.string());
  return files;
}

void read_tonic_events(Bytes bytes, std::string_view source, Recording& out) {
  read_npy_events(bytes, source, {.columns = "xypt", .us_per_tick = 1000}, out);
}

LabelledFiles list_parts(const fs::path& folder, Extent extent) {
  LabelledFiles files;
  if (includes(extent, Part::kTrain))
    files.train = list_classes(folder / "train", numbered_names(kGestureClasses), ".npz");
  files.test = list_classes(folder / "test", numbered_names(kGestureClasses), ".npz");
  return files;
}

DatasetInfo gesture_info() {
  return {.name = "dvs-gesture",
          .height = kSide,
          .width = kSide,
          .classes = kGestureClasses,
          .class_names = {"hand clapping", "right hand wave", "left hand wave",
                          "right arm clockwise", "right arm counter clockwise",
                          "left arm clockwise", "left arm counter clockwise", "arm roll",
                          "air drums", "air guitar", "other gestures"},
          // A mirror exchanges left and right, and clockwise and counter clockwise.
          .mirrored = {0, 2, 1, 6, 5, 4, 3, 7, 8, 9, 10},
          .official_train = 1176,
          .official_test = 288};
}

}  // namespace

std::unique_ptr<Dataset> open_dvs_gesture(const Config& config, const DatasetRequest& request) {
  const Extent extent = request.extent;
  const fs::path root = require_root(config, extent, "dvs-gesture", kWanted);
  const FrameOptions options = read_frame_options(config, {.frames = request.frames});
  const UnpackLimit limit = read_unpack_limit(config);

  DatasetInfo info = gesture_info();
  if (extent == Extent::kNothing)
    return make_frame_dataset(make_file_recordings({}, {}, kSide, kSide), std::move(info), options,
                              "dvs-gesture 1");

  const bool train = includes(extent, Part::kTrain);  // else the test part is enough
  const auto describe = [&](const char* what, const fs::path& folder, const char* counts) {
    info.source = fmt::format("{} in {} (complete: {})", what, folder.string(), counts);
  };

  constexpr const char *kSpikingJelly = "1176 + 288, as SpikingJelly cuts it",
                       *kTonic = "1077 + 264, as Tonic cuts it";

  if (const fs::path folder =
          find_folder(root, {stored_frames_folder(options)}, train ? "train" : "test");
      !folder.empty()) {
    describe("SpikingJelly's frames", folder, kSpikingJelly);
    return make_stored_frames(list_parts(folder, extent), std::move(info), options, limit);
  }

  if (const fs::path folder = find_folder(root, {"extract/DvsGesture", "DvsGesture", ""},
                                          train ? "trials_to_train.txt" : "trials_to_test.txt");
      !folder.empty()) {
    describe("AEDAT 3.1 trials", folder, kSpikingJelly);
    return make_frame_dataset(std::make_unique<Trials>(folder, extent), std::move(info), options,
                              "dvs-gesture 1 aedat");
  }

  if (const fs::path folder = find_folder(root, {"events_np"}, train ? "train" : "test");
      !folder.empty()) {
    describe("SpikingJelly's events", folder, kSpikingJelly);
    const auto read = [limit](Bytes bytes, std::string_view source, Recording& out) {
      read_npz_events(bytes, source, out, limit);
    };
    return make_frame_dataset(make_file_recordings(list_parts(folder, extent), read, kSide, kSide),
                              std::move(info), options, "dvs-gesture 1 npz");
  }
  if (const fs::path folder =
          find_folder(root, {"DVSGesture", ""}, train ? "ibmGestureTrain" : "ibmGestureTest");
      !folder.empty()) {
    describe("Tonic's events", folder, kTonic);
    info.official_train = 1077;
    info.official_test = 264;
    LabelledFiles files;
    if (train) files.train = list_users(folder / "ibmGestureTrain");
    files.test = list_users(folder / "ibmGestureTest");
    return make_frame_dataset(
        make_file_recordings(std::move(files), read_tonic_events, kSide, kSide), std::move(info),
        options, "dvs-gesture 1 npy");
  }
  fail("{}: found no recordings of dvs-gesture; it is read from {}", root.string(), kWanted);
}

KeyList dvs_gesture_keys() {
  return join_keys(packed_file_keys(), frame_keys());
}

}  // namespace spikenm::data
