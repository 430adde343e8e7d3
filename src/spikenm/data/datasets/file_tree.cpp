#include "spikenm/data/datasets/file_tree.h"

#include "spikenm/core/home.h"
#include "spikenm/core/input_file.h"
#include "spikenm/data/events/sensor.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace spikenm::data {
namespace {

namespace fs = std::filesystem;

class FileRecordings : public RecordingSet {
 public:
  FileRecordings(LabelledFiles files, RecordingReader read, int32_t width, int32_t height)
      : files_(std::move(files)), read_(std::move(read)), width_(width), height_(height) {}

  [[nodiscard]] int64_t size(Part part) const override {
    return static_cast<int64_t>(files_.of(part).size());
  }
  [[nodiscard]] int64_t label(Part part, int64_t index) const override {
    return file(part, index).label;
  }
  [[nodiscard]] std::string name(Part part, int64_t index) const override {
    return file(part, index).path.string();
  }
  void load(Part part, int64_t index, Recording& out) const override {
    static thread_local std::vector<uint8_t> bytes;
    read_bytes(file(part, index).path, bytes);
    read_(bytes, name(part, index), out);
    finish_recording(out, width_, height_, name(part, index));
  }
  [[nodiscard]] std::vector<SourceFile> files() const override { return files_.sources(); }

 private:
  [[nodiscard]] const LabelledFile& file(Part part, int64_t index) const {
    return files_.of(part)[static_cast<size_t>(index)];
  }

  LabelledFiles files_;
  RecordingReader read_;
  int32_t width_, height_;
};

// Whether the process's effective user may enter; if not, errno says why.
bool may_enter(const fs::path& folder) {
  return ::faccessat(AT_FDCWD, folder.c_str(), X_OK, AT_EACCESS) == 0;
}

}  // namespace

fs::path require_root(const Config& config, Extent extent, std::string_view dataset,
                      std::string_view wanted) {
  const std::string key = config.full_key("root");
  const fs::path root = expand_home(kRoot.read(config), key);
  if (extent == Extent::kNothing) return root;
  SPIKENM_CHECK(!root.empty(), "{}: not set; {} is read from {}", key, dataset, wanted);
  std::error_code error;
  const fs::file_type kind = fs::status(root, error).type();
  if (kind == fs::file_type::directory && !may_enter(root))
    error.assign(errno, std::generic_category());

  SPIKENM_CHECK(kind != fs::file_type::none && (kind != fs::file_type::directory || !error),
                "{}: '{}' cannot be read: {}", key, root.string(), error.message());
  SPIKENM_CHECK(kind == fs::file_type::directory, "{}: '{}' is not a folder; {} is read from {}",
                key, root.string(), dataset, wanted);
  return root;
}

fs::file_type kind_of(const fs::path& path) {
  std::error_code error;
  const fs::file_type kind = fs::status(path, error).type();
  SPIKENM_CHECK(kind != fs::file_type::none, "{}: cannot be looked at: {}", path.string(),
                error.message());
  return kind;
}

UnpackLimit read_unpack_limit(const Config& config) {
  const int64_t mb = kMaxUnpackedMb.read(config);
  return {static_cast<size_t>(mb) << 20, config.full_key("max_unpacked_mb")};
}

KeyList packed_file_keys() {
  return {&kRoot, &kMaxUnpackedMb};
}

fs::path find_folder(const fs::path& root, const std::vector<std::string>& candidates,
                     const std::string& member) {
  for (const std::string& candidate : candidates) {
    const fs::path folder = candidate.empty() ? root : root / candidate;
    if (kind_of(folder / member) != fs::file_type::not_found) return folder;
  }
  return {};
}

std::vector<fs::path> list_files(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    // Names with a leading dot are files that desktops and archivers leave.
    if (it->path().extension() == extension && it->path().filename().string()[0] != '.')
      files.push_back(it->path());
  }
  SPIKENM_CHECK(!error, "{}: cannot be listed: {}", folder.string(), error.message());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<LabelledFile> list_classes(const fs::path& folder,
                                       const std::vector<std::string>& class_names,
                                       const std::string& extension) {
  std::vector<LabelledFile> files;
  for (size_t c = 0; c < class_names.size(); ++c) {
    std::error_code error;
    SPIKENM_CHECK(fs::is_directory(folder / class_names[c], error),
                  "{}: has no folder '{}', wanted one for each of {} classes", folder.string(),
                  class_names[c], class_names.size());
    for (fs::path& path : list_files(folder / class_names[c], extension))
      files.push_back({std::move(path), static_cast<int64_t>(c)});
  }
  SPIKENM_CHECK(!files.empty(), "{}: has no {} files in the folders of its classes",
                folder.string(), extension);
  return files;
}

std::vector<std::string> numbered_names(int64_t n) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < n; ++i) names.push_back(std::to_string(i));
  return names;
}

std::vector<SourceFile> LabelledFiles::sources() const {
  std::vector<SourceFile> sources;
  for (const auto* files : {&train, &test})
    for (const LabelledFile& file : *files) sources.push_back({.path = file.path});
  return sources;
}

void finish_recording(Recording& recording, int32_t width, int32_t height,
                      std::string_view source) {
  SPIKENM_CHECK(!recording.events.empty(), "{}: holds no events, as a cut copy would", source);
  set_sensor(recording, width, height, source);
}

std::unique_ptr<RecordingSet> make_file_recordings(LabelledFiles files, RecordingReader read,
                                                   int32_t width, int32_t height) {
  return std::make_unique<FileRecordings>(std::move(files), std::move(read), width, height);
}

}  // namespace spikenm::data
