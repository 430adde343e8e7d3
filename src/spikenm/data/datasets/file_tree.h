// Finding a dataset's files below data.root.
#pragma once

#include "spikenm/core/key.h"
#include "spikenm/data/formats/unpack_limit.h"
#include "spikenm/data/recording_set.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace spikenm::data {

inline const TextKey kRoot{"root", "", "folder of the dataset's files"};
inline const IntKey kMaxUnpackedMb{
    "max_unpacked_mb", static_cast<int64_t>(UnpackLimit::kDefaultMb), 1, int64_t{1} << 24,
    "megabytes that one packed file may become, beside 16 times its own size"};

// data.root, which must be a folder unless nothing is opened. `wanted` says in messages what it
// must contain and where the set can be downloaded.
std::filesystem::path require_root(const Config& config, Extent extent, std::string_view dataset,
                                   std::string_view wanted);

// The type of the file at `path`; an Error when it cannot be read, as in a folder that cannot be
// entered.
std::filesystem::file_type kind_of(const std::filesystem::path& path);

// data.max_unpacked_mb: the size that one packed file of the set may always unpack to; 16 times its
// own size is also allowed.
UnpackLimit read_unpack_limit(const Config& config);

// The keys of require_root and read_unpack_limit.
KeyList packed_file_keys();

// The first of root/<candidate> (an empty candidate is the root itself) that has `member` in it;
// empty when none has.
std::filesystem::path find_folder(const std::filesystem::path& root,
                                  const std::vector<std::string>& candidates,
                                  const std::string& member);

struct LabelledFile {
  std::filesystem::path path;
  int64_t label = 0;
};

// The files of one class folder that end in `extension`, in the order of their names (as
// torchvision's folder datasets sort them).
std::vector<std::filesystem::path> list_files(const std::filesystem::path& folder,
                                              const std::string& extension);

// The files of folder/<class name>/ for all classes, class after class. It is an Error when a class
// has no folder, or when there is no file at all.
std::vector<LabelledFile> list_classes(const std::filesystem::path& folder,
                                       const std::vector<std::string>& class_names,
                                       const std::string& extension);

// "0", "1", …: the names of class folders in several sets.
std::vector<std::string> numbered_names(int64_t n);

// Reads a file that holds one recording.
using RecordingReader = std::function<void(Bytes, std::string_view source, Recording& out)>;

struct LabelledFiles {
  std::vector<LabelledFile> train, test;
  [[nodiscard]] const std::vector<LabelledFile>& of(Part part) const {
    return part == Part::kTrain ? train : test;
  }
  [[nodiscard]] std::vector<SourceFile> sources() const;
};

// Checks a recording after it is read: it must have events, all inside a sensor of width x height.
// Sets the recording's sensor size.
void finish_recording(Recording& recording, int32_t width, int32_t height, std::string_view source);

// Calls finish_recording for every recording.
std::unique_ptr<RecordingSet> make_file_recordings(LabelledFiles files, RecordingReader read,
                                                   int32_t width, int32_t height);

// Frames that SpikingJelly has integrated and stored: one npz file per sample, `frames` [T,2,H,W].
std::unique_ptr<Dataset> make_stored_frames(LabelledFiles files, DatasetInfo info,
                                            const FrameOptions& options, UnpackLimit limit);

// SpikingJelly's name for the folder of such frames: "frames_number_10_split_by_number".
std::string stored_frames_folder(const FrameOptions& options);

}  // namespace spikenm::data
