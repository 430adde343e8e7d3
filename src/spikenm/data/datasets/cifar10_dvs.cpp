// CIFAR10-DVS [Li17]: CIFAR-10 images moved in front of a DVS128 camera, 1000 recordings per class.
// There is no official split, so a run names the split it used.
#include "spikenm/core/random.h"
#include "spikenm/data/datasets/file_tree.h"
#include "spikenm/data/events/aedat2.h"
#include "spikenm/data/events/aedat4.h"
#include "spikenm/data/events/numpy_events.h"
#include "spikenm/data/shuffle.h"

#include <charconv>

namespace spikenm::data {
namespace {

namespace fs = std::filesystem;

constexpr int32_t kSide = 128;
constexpr int64_t kPerClass = 1000;
const std::vector<std::string> kClasses{"airplane", "automobile", "bird",  "cat",  "deer",
                                        "dog",      "frog",       "horse", "ship", "truck"};
constexpr const char* kWanted =
    "a folder with <class>/*.aedat in it or in extract/, events_np/<class>/*.npz or "
    "frames_number_T_split_by_number/<class>/*.npz (SpikingJelly), or <class>/*.aedat4 in it or in "
    "CIFAR10DVS/ (Tonic); the set can be had from "
    "figshare.com/articles/dataset/CIFAR10-DVS_New/4724671";

// The number in a name such as cifar10_bird_17.aedat.
int64_t number_in_name(const fs::path& path) {
  const std::string stem = path.stem().string();
  const size_t from = stem.find_last_of('_') + 1;  // 0 when there is no '_'
  int64_t number = -1;
  const auto [end, error] = std::from_chars(stem.data() + from, stem.data() + stem.size(), number);
  SPIKENM_CHECK(error == std::errc() && end == stem.data() + stem.size() && number >= 0,
                "{}: has no number at the end of its name, which the split 'tebn' goes by",
                path.string());
  return number;
}

// upr: the first nine of ten files of each class, in the order of their names, are for training
// (cifar10_bird_909 comes before cifar10_bird_91). tebn: numbers 0 to 99 are for testing. random:S:
// one of ten files of each class, drawn with seed S.
struct Split {
  std::string text, key;
  bool random = false;
  uint64_t seed = 0;
};

const TextKey kSplit{"split", "upr", "which recordings are for testing: upr, tebn or random:SEED"};

Split read_split(const Config& config) {
  Split split{.text = kSplit.read(config), .key = config.full_key("split")};
  const std::string& text = split.text;
  split.random = text.starts_with("random:");
  if (split.random) {
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + 7, end, split.seed);
    SPIKENM_CHECK(error == std::errc() && stop == end,
                  "{}: found '{}', wanted random: and a whole number", split.key, text);
  }
  SPIKENM_CHECK(split.random || text == "upr" || text == "tebn",
                "{}: found '{}', wanted upr, tebn or random:SEED", split.key, text);
  return split;
}

LabelledFiles split_files(const std::vector<LabelledFile>& all, Extent extent, const Split& split) {
  LabelledFiles files;
  for (size_t begin = 0; begin < all.size();) {
    size_t end = begin;
    while (end < all.size() && all[end].label == all[begin].label) ++end;
    std::vector<LabelledFile> members(all.begin() + static_cast<ptrdiff_t>(begin),
                                      all.begin() + static_cast<ptrdiff_t>(end));
    if (split.random)
      shuffle(members, RandomAddress(split.seed, random_stream(RandomUse::kSplit, 1),
                                     static_cast<uint32_t>(all[begin].label)));

    const size_t n_train = members.size() * 9 / 10;
    for (size_t i = 0; i < members.size(); ++i) {
      const bool train =
          split.text == "tebn" ? number_in_name(members[i].path) >= 100 : i < n_train;
      (train ? files.train : files.test).push_back(members[i]);
    }
    begin = end;
  }
  SPIKENM_CHECK(
      (!files.train.empty() || !includes(extent, Part::kTrain)) && !files.test.empty(),
      "{}: '{}' leaves {} recordings for training and {} for testing, wanted some of both",
      split.key, split.text, files.train.size(), files.test.size());
  return files;
}

// The recordings in SpikingJelly's orientation: the file's picture mirrored along its diagonal.
void read_transposed_aedat2(Bytes bytes, std::string_view source, Recording& out) {
  read_aedat2(bytes, source, out);
  for (Event& e : out.events) std::swap(e.x, e.y);
}

struct Tree {
  std::vector<std::string> folders;  // below the root
  std::string extension, what;
  RecordingReader read;
};

std::vector<Tree> trees(const UnpackLimit& limit) {
  const auto read_npz = [limit](Bytes bytes, std::string_view source, Recording& out) {
    read_npz_events(bytes, source, out, limit);
  };
  const auto read_packets = [limit](Bytes bytes, std::string_view source, Recording& out) {
    read_aedat4(bytes, source, out, limit);
  };
  return {{{"extract", ""}, ".aedat", "AEDAT 2 files", read_transposed_aedat2},
          {{"events_np"}, ".npz", "SpikingJelly's events", read_npz},
          {{"CIFAR10DVS", ""}, ".aedat4", "AEDAT 4 files", read_packets}};
}

// The first root/<candidate> that has files of this kind in a class folder; empty when none has.
fs::path find_tree(const fs::path& root, const std::vector<std::string>& candidates,
                   const std::string& extension) {
  std::error_code error;
  for (const std::string& candidate : candidates) {
    const fs::path folder = candidate.empty() ? root : root / candidate;
    for (const std::string& name : kClasses) {
      if (fs::is_directory(folder / name, error) && !list_files(folder / name, extension).empty())
        return folder;
    }
  }
  return {};
}

}  // namespace

std::unique_ptr<Dataset> open_cifar10_dvs(const Config& config, const DatasetRequest& request) {
  const fs::path root = require_root(config, request.extent, "cifar10-dvs", kWanted);
  const FrameOptions options = read_frame_options(config, {.frames = request.frames, .resize = 48});
  const UnpackLimit limit = read_unpack_limit(config);
  const Split split = read_split(config);

  DatasetInfo info{.name = "cifar10-dvs",
                   .height = kSide,
                   .width = kSide,
                   .classes = 10,
                   .split = split.text,
                   .class_names = kClasses,
                   .augment = {"flip", "roll:5|rotate:30|cutout"},
                   .official_train = kPerClass * 9,
                   .official_test = kPerClass};

  const auto list = [&](const fs::path& folder, const std::string& extension) {
    return split_files(list_classes(folder, kClasses, extension), request.extent, split);
  };
  if (request.extent == Extent::kNothing)
    return make_frame_dataset(make_file_recordings({}, {}, kSide, kSide), std::move(info), options,
                              "cifar10-dvs 1");

  const std::string stored = stored_frames_folder(options);
  if (const fs::path folder = find_tree(root, {stored}, ".npz"); !folder.empty()) {
    info.source = "SpikingJelly's frames in " + folder.string();
    LabelledFiles files = list(folder, ".npz");
    return make_stored_frames(std::move(files), std::move(info), options, limit);
  }

  for (const Tree& tree : trees(limit)) {
    const fs::path folder = find_tree(root, tree.folders, tree.extension);
    if (folder.empty()) continue;
    info.source = tree.what + " in " + folder.string();
    LabelledFiles files = list(folder, tree.extension);
    return make_frame_dataset(make_file_recordings(std::move(files), tree.read, kSide, kSide),
                              std::move(info), options, "cifar10-dvs 1 " + tree.extension);
  }
  fail("{}: found no recordings of cifar10-dvs; it is read from {}", root.string(), kWanted);
}

KeyList cifar10_dvs_keys() {
  return join_keys(join_keys(packed_file_keys(), frame_keys()), {&kSplit});
}

}  // namespace spikenm::data
