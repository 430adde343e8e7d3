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

// data.root, which must be a folder unless nothing is opened. `wanted` tells people what lies in it
// and where it can be had.
std::filesystem::path require_root(const Config& config, Extent extent, std::string_view dataset,
                                   std::string_view wanted);

// What lies there; an Error when that cannot be told, as in a folder that may not be entered.
std::filesystem::file_type kind_of(const std::filesystem::path& path);

// data.max_unpacked_mb: what one packed file of the set may become, beside 16 times its own size.
UnpackLimit read_unpack_limit(const Config& config);

// The keys of both.
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

// The files of folder/<class name>/ for all classes, class after class. A class without a folder is
// an Error, and so is no file at all.
std::vector<LabelledFile> list_classes(const std::filesystem::path& folder,
                                       const std::vector<std::string>& class_names,
                                       const std::string& extension);

// "0", "1", …: how several sets name their class folders.
std::vector<std::string> numbered_names(int64_t n);

// One recording a file.
using RecordingReader = std::function<void(Bytes, std::string_view source, Recording& out)>;

struct LabelledFiles {
  std::vector<LabelledFile> train, test;
  [[nodiscard]] const std::vector<LabelledFile>& of(Part part) const {
    return part == Part::kTrain ? train : test;
  }
  [[nodiscard]] std::vector<SourceFile> sources() const;
};

// What a set demands of a recording once it is read: events, all within its sensor of width x
// height, which becomes the recording's.
void finish_recording(Recording& recording, int32_t width, int32_t height, std::string_view source);

// Every recording is finished as above.
std::unique_ptr<RecordingSet> make_file_recordings(LabelledFiles files, RecordingReader read,
                                                   int32_t width, int32_t height);

// Frames that SpikingJelly has integrated and stored: an npz a sample, `frames` [T,2,H,W].
std::unique_ptr<Dataset> make_stored_frames(LabelledFiles files, DatasetInfo info,
                                            const FrameOptions& options, UnpackLimit limit);

// SpikingJelly's name for the folder of such frames: "frames_number_10_split_by_number".
std::string stored_frames_folder(const FrameOptions& options);

}  // namespace spikenm::data
