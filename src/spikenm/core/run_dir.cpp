#include "spikenm/core/run_dir.h"

#include "spikenm/core/error.h"
#include "spikenm/core/file.h"
#include "spikenm/core/folder.h"
#include "spikenm/core/input_file.h"
#include "spikenm/core/owner_check.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace spikenm {
namespace fs = std::filesystem;
namespace {

// In the order of removal: the result first and the config last. After a crash in between, the
// folder still looks like a run, but not like a finished one.
constexpr std::array kFiles{RunDir::kResult,  RunDir::kModel, RunDir::kBestModel,
                            RunDir::kMetrics, RunDir::kGraph, RunDir::kConfig};
constexpr std::string_view kMark = "# The config of a run: every key with the value used.\n";

bool starts_with(const fs::path& file, std::string_view wanted) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return false;
  const InputFile in(file);
  std::vector<uint8_t> begin(wanted.size());
  if (in.size() < begin.size()) return false;
  in.read(0, begin);
  return std::equal(begin.begin(), begin.end(), wanted.begin());
}

// Only the mark shows that this is a run's config: other programs also write files of this name.
bool holds_config(const fs::path& folder) {
  return starts_with(folder / RunDir::kConfig, kMark);
}

// Files that a run names by itself: step-7.safetensors.
bool is_part_of_checkpoint(const std::string& name) {
  return name.starts_with("step-") && is_part_of(name, name.substr(0, name.rfind(".part")));
}

bool is_part(const fs::path& file) {
  const std::string name = file.filename().string();
  return is_part_of(name, RunOwner::kFile) || is_part_of_checkpoint(name) ||
         std::any_of(kFiles.begin(), kFiles.end(),
                     [&](std::string_view of) { return is_part_of(name, of); });
}

bool is_next(const fs::path& entry) {
  return entry.filename() == RunDir::kNext &&
         fs::symlink_status(entry).type() == fs::file_type::directory;
}

bool is_owner_record(const fs::path& entry) {
  return entry.filename() == RunOwner::kFile;
}

// Whether the folder is empty. The record of an owner does not count, even of one that is alive.
bool holds_nothing(const fs::path& folder) {
  const std::vector<fs::path> entries = list_folder(folder);
  return std::all_of(entries.begin(), entries.end(), is_owner_record);
}

// Whether the folder holds only what a killed run may leave: parts of files, a new run that has not
// replaced the old one, and the record of its owner.
bool holds_leftovers_alone(const fs::path& folder) {
  const std::vector<fs::path> entries = list_folder(folder);
  return std::all_of(entries.begin(), entries.end(), [](const fs::path& entry) {
    return is_part(entry) || is_next(entry) || is_owner_record(entry);
  });
}

// Removes the files whose names contain `mark`, also those that were written in part. Then removes
// the folder, if it is empty.
void remove_folder_of(const fs::path& folder, std::string_view mark) {
  std::error_code error;
  if (fs::symlink_status(folder, error).type() != fs::file_type::directory) return;
  for (const fs::path& file : list_folder(folder))
    if (file.filename().string().find(mark) != std::string::npos) fs::remove(file, error);
  fs::remove(folder, error);
}

void remove_folders(const fs::path& run) {
  remove_folder_of(run / RunDir::kCheckpoints, "step-");
  remove_folder_of(run / RunDir::kTensorBoard, "events.out.tfevents");
}

void remove_parts(const fs::path& folder) {
  for (const fs::path& file : list_folder(folder))
    if (is_part(file)) fs::remove(file);
}

// Removes a run's files from the folder, and then the folder. If it holds anything else, that stays
// and the result is false.
bool remove_next(const fs::path& next) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(next, error))) return true;
  if (fs::symlink_status(next, error).type() != fs::file_type::directory) return false;
  remove_parts(next);
  remove_folders(next);
  for (const std::string_view name : kFiles) fs::remove(next / name, error);
  return fs::remove(next, error) && !error;
}

void clear_leftovers(const fs::path& folder) {
  remove_parts(folder);
  std::error_code error;
  if (fs::is_directory(folder / RunDir::kCheckpoints, error))
    remove_parts(folder / RunDir::kCheckpoints);
  SPIKENM_CHECK(remove_next(folder / RunDir::kNext),
                "{}: holds files that are not a run's, in the place where the new run would grow; "
                "move them away",
                (folder / RunDir::kNext).string());
}

// Whether a run has begun: it has a config and a graph. The graph is written after the config.
bool has_begun(const fs::path& folder) {
  std::error_code error;
  return holds_config(folder) && fs::exists(folder / RunDir::kGraph, error);
}

// Returns whether the folder holds a run that is to be replaced. Throws when the folder must not be
// used.
bool check_content(const fs::path& path, bool force) {
  if (holds_leftovers_alone(path)) {
    SPIKENM_CHECK(force || holds_nothing(path),
                  "{}: holds what a run left that was ended; name another folder with --out, or "
                  "start anew with --force",
                  path.string());
    return false;
  }
  SPIKENM_CHECK(holds_config(path),
                "{}: the output folder is not empty and holds no run; name another with --out",
                path.string());
  SPIKENM_CHECK(
      force, "{}: holds a run already; name another folder with --out, or replace it with --force",
      path.string());
  return true;
}

}  // namespace

RunDir::RunDir(fs::path path, bool replaces, RunOwner owner)
    : path_(std::move(path)), replaces_(replaces), owner_(std::move(owner)) {}

RunDir::RunDir(RunDir&& other) noexcept
    : path_(std::move(other.path_)),
      replaces_(std::exchange(other.replaces_, false)),
      owner_(std::move(other.owner_)) {}

RunDir::~RunDir() {
  if (!replaces_) return;
  try {
    remove_next(path_ / kNext);
    // NOLINTNEXTLINE(bugprone-empty-catch): the next run with --force will remove it
  } catch (const std::exception&) {
  }
}

RunDir RunDir::create(const fs::path& path, bool force, bool take_over) {
  std::error_code error;
  SPIKENM_CHECK(!fs::exists(path, error) || fs::is_directory(path, error),
                "{}: exists and is not a folder; name another with --out", path.string());
  make_folders(path);
  SPIKENM_CHECK(::access(path.c_str(), W_OK) == 0, "{}: cannot write into the output folder: {}",
                path.string(), std::strerror(errno));

  try {
    // The content is checked before anything is written, so a refused folder stays as it is. If
    // another process owns the folder, the content is not checked: RunOwner::take then throws an
    // error that names the owner.
    const std::optional<OwnerRecord> found = find_owner(path);
    const bool can_be_taken = !found || (take_over && !is_on_this_host(*found));
    if (can_be_taken) static_cast<void>(check_content(path, force));
    RunOwner owner = RunOwner::take(path, {.take_over = take_over});
    const bool replaces =
        check_content(path, force);  // again: until now another process could change the content
    clear_leftovers(path);
    if (replaces) make_folders(path / kNext);
    return {path, replaces, std::move(owner)};
  } catch (const fs::filesystem_error& e) {
    fail("{}: cannot make the output folder ready: {}", path.string(), e.code().message());
  }
}

bool RunDir::holds_run(const fs::path& path) {
  return has_begun(path);
}

RunDir RunDir::create_anew(const fs::path& path, bool take_over) {
  std::error_code error;
  bool is_unused = fs::is_directory(path, error);
  for (const std::string_view name : kFiles)
    is_unused = is_unused && (name == kConfig || !fs::exists(path / name, error));
  return create(path, /*force=*/is_unused, take_over);
}

RunDir RunDir::open(const fs::path& path, bool take_over) {
  SPIKENM_CHECK(holds_config(path), "{}: found no run to go on with; wanted a folder with its {}",
                path.string(), kConfig);
  SPIKENM_CHECK(has_begun(path),
                "{}: found no {} beside the run's {}; a run that never began starts anew with "
                "--force",
                path.string(), kGraph, kConfig);
  SPIKENM_CHECK(::access(path.c_str(), W_OK) == 0, "{}: cannot write into the run folder: {}",
                path.string(), std::strerror(errno));
  RunOwner owner = RunOwner::take(path, {.take_over = take_over});
  try {
    clear_leftovers(path);
  } catch (const fs::filesystem_error& e) {
    fail("{}: cannot make the run folder ready: {}", path.string(), e.code().message());
  }
  return {path, false, std::move(owner)};
}

fs::path RunDir::file(std::string_view name) const {
  return replaces_ ? path_ / kNext / name : path_ / name;
}

void RunDir::write_config(std::string_view toml) const {
  write(kConfig, std::string(kMark).append(toml));
}

std::string RunDir::read_config() const {
  return read_file(file(kConfig)).substr(kMark.size());
}

void RunDir::write(std::string_view name, std::string_view content) const {
  check_still_owned(path_);
  write_file_atomically(file(name), content);
}

void RunDir::append_line(std::string_view name, const Json& line) const {
  check_still_owned(path_);
  append_to_file(file(name), line.dump() + '\n');
}

void RunDir::keep_lines(std::string_view name, int64_t lines) const {
  std::error_code error;
  if (!fs::exists(file(name), error)) {
    SPIKENM_CHECK(lines == 0, "{}: not found; wanted {} lines", file(name).string(), lines);
    return;
  }
  constexpr uint64_t kMost = 1 << 30;  // bytes: a run may have many epochs
  const std::string text = read_file(file(name), kMost);
  size_t end = 0;
  for (int64_t i = 0; i < lines; ++i) {
    const size_t line = text.find('\n', end);
    SPIKENM_CHECK(line != std::string::npos, "{}: found {} lines, wanted {}", file(name).string(),
                  i, lines);
    end = line + 1;
  }
  if (end < text.size()) write(name, std::string_view(text).substr(0, end));
}

void RunDir::promote() {
  check_still_owned(path_);
  if (!replaces_) return;
  try {
    const fs::path next = path_ / kNext;

    // The old result is removed before any new file is moved in. The new config is moved last and
    // replaces the old one. If the process ends in between, the folder still holds a run, and files
    // of two runs never look like one finished run.
    for (const std::string_view name : kFiles)
      if (name != kConfig || !fs::exists(next / name)) fs::remove(path_ / name);
    remove_folders(path_);
    for (const std::string_view name : {kGraph, kMetrics, kModel, kBestModel, kResult, kConfig})
      if (fs::exists(next / name)) move_file(next / name, path_ / name);
    replaces_ = false;
    remove_next(next);
  } catch (const fs::filesystem_error& e) {
    fail("{}: cannot put the new run in the place of the old one: {}", path_.string(),
         e.code().message());
  }
}

}  // namespace spikenm
