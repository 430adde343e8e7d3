#include "spikenm/core/tensorboard_file.h"

#include "spikenm/core/error.h"
#include "spikenm/core/file.h"
#include "spikenm/core/folder.h"
#include "spikenm/core/host.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <utility>

namespace spikenm {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kPrefix = "events.out.tfevents.";
constexpr size_t kMostWaiting = 64 << 10;  // bytes, about a thousand values
constexpr uint64_t kMostFile = uint64_t{4} << 30;

// The seconds in the file's name; 0 if there are none, or more than ten digits.
int64_t seconds_in(const fs::path& file) {
  constexpr int64_t kLast = 9'999'999'999;
  const std::string name = file.filename().string();
  int64_t seconds = 0;
  std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), seconds);
  return seconds < kLast ? seconds : 0;
}

// Whether a killed AtomicFile left this file. TensorBoard would read it.
bool is_part(const fs::path& file) {
  const std::string name = file.filename().string();
  return is_part_of(name, name.substr(0, name.rfind(".part")));
}

void remove_file(const fs::path& file) {
  std::error_code error;
  fs::remove(file, error);
  SPIKENM_CHECK(!error, "{}: cannot remove: {}", file.string(), error.message());
}

// Keeps the records up to the step. A file without values is removed.
void cut_file(const fs::path& file, int64_t step) {
  const std::string content = read_file(file, kMostFile);
  std::string kept;
  bool has_values = false;
  for (const EventRecord& record : whole_records(as_bytes(content))) {
    if (!record.is_version && record.step > step) continue;
    kept += as_text(record.bytes);
    has_values = has_values || !record.is_version;
  }
  if (!has_values) {
    remove_file(file);
  } else if (kept != content) {
    write_file_atomically(file, kept);
  }
}

}  // namespace

std::vector<fs::path> event_files(const fs::path& folder) {
  std::vector<fs::path> files = list_folder(folder);
  std::erase_if(
      files, [](const fs::path& file) { return !file.filename().string().starts_with(kPrefix); });
  return files;
}

TensorBoardFile::TensorBoardFile(fs::path folder) : folder_(std::move(folder)) {}

TensorBoardFile::~TensorBoardFile() {
  try {
    flush();
    // NOLINTNEXTLINE(bugprone-empty-catch): curves are no reason to fail
  } catch (const Error&) {
  }
}

void TensorBoardFile::add(std::string_view tag, int64_t step, double wall_time, double value) {
  add_record(scalar_record(tag, step, wall_time, static_cast<float>(value)));
}

void TensorBoardFile::add_picture(std::string_view tag, int64_t step, double wall_time,
                                  const PackedPicture& picture) {
  add_record(picture_record(tag, step, wall_time, picture));
}

void TensorBoardFile::add_histogram(std::string_view tag, int64_t step, double wall_time,
                                    const Histogram& histogram) {
  add_record(histogram_record(tag, step, wall_time, histogram));
}

void TensorBoardFile::add_record(std::string_view record) {
  waiting_ += record;
  if (waiting_.size() >= kMostWaiting) flush();
}

void TensorBoardFile::flush() {
  if (waiting_.empty()) return;
  if (file_.empty()) {
    make_folders(folder_);
    file_ = next_name();
    waiting_.insert(0, version_record(static_cast<double>(std::time(nullptr))));
  }
  // If this fails, the file may end with an incomplete record: later values go into a new file.
  const fs::path file = std::exchange(file_, {});
  append_to_file(file, std::exchange(waiting_, {}));
  file_ = file;
}

void TensorBoardFile::cut_after(int64_t step) {
  flush();
  for (const fs::path& file : event_files(folder_)) {
    if (is_part(file)) {
      remove_file(file);
    } else {
      cut_file(file, step);
    }
  }
  std::error_code error;
  if (!fs::exists(file_, error)) file_.clear();
}

// Sorts after all existing names, also if the clock was set back or no second has passed.
fs::path TensorBoardFile::next_name() const {
  int64_t seconds = std::time(nullptr);
  for (const fs::path& file : event_files(folder_))
    seconds = std::max(seconds, seconds_in(file) + 1);
  std::string host = host_name();
  std::replace(host.begin(), host.end(), '/', '_');
  return folder_ / fmt::format("{}{:010}.{}.{}", kPrefix, seconds, host, ::getpid());
}

}  // namespace spikenm
