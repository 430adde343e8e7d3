#include "spikenm/core/file.h"

#include "spikenm/core/descriptor.h"
#include "spikenm/core/error.h"
#include "spikenm/core/interrupt.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace spikenm {
namespace {

constexpr std::string_view kPart = ".part";

// Returns how many bytes were written. When they are fewer than all, errno says why.
size_t write_all(int file, std::string_view content) {
  size_t done = 0;
  while (done < content.size()) {
    const ssize_t n = without_interruption(
        [&] { return ::write(file, content.data() + done, content.size() - done); });
    if (n < 0) break;
    done += static_cast<size_t>(n);
  }
  return done;
}

bool sync(int file) {
  return without_interruption([&] { return ::fsync(file); }) == 0;
}

bool rename_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  return without_interruption([&] { return ::rename(from.c_str(), to.c_str()); }) == 0;
}

// A new name survives a power cut once the folder that holds it is synced.
void sync_folder_of(const std::filesystem::path& path) {
  std::filesystem::path folder = path.parent_path();
  if (folder.empty()) folder = ".";
  const Descriptor opened(without_interruption(
      [&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  // A folder may allow writing but not reading. Then it cannot be opened, and is not synced.
  if (opened.get() < 0 && errno == EACCES) return;
  // EINVAL: this file system cannot sync folders.
  if (opened.get() < 0 || (!sync(opened.get()) && errno != EINVAL)) fail_with_errno(path, "write");
}

// A regular file opened for writing, and its size.
struct Opened {
  Descriptor file;
  uint64_t size;
};

Opened open_to_change(const std::filesystem::path& path, int how) {
  // Without O_NONBLOCK, open() on a pipe would wait for a reader before we can see that it is not a
  // file.
  constexpr int kAlways = O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  const int fd = without_interruption([&] { return ::open(path.c_str(), kAlways | how, 0644); });
  Opened opened{Descriptor(fd), 0};
  struct stat status{};
  if (fd < 0 || ::fstat(fd, &status) != 0) fail_with_errno(path, "write");
  SPIKENM_CHECK(S_ISREG(status.st_mode),
                "{}: cannot write: found something that is not a file, wanted a regular file",
                path.string());
  opened.size = static_cast<uint64_t>(status.st_size);
  return opened;
}

bool cut(int file, uint64_t length) {
  return without_interruption([&] { return ::ftruncate(file, static_cast<off_t>(length)); }) == 0;
}

// Removes what was just appended, unless another process has appended since. Keeps errno.
void take_back(int file, uint64_t before, size_t added) {
  const int reason = errno;
  struct stat status{};
  if (::fstat(file, &status) == 0 && static_cast<uint64_t>(status.st_size) == before + added)
    cut(file, before);
  errno = reason;
}

}  // namespace

std::string read_file(const std::filesystem::path& path, uint64_t most) {
  // Without O_NONBLOCK, open() on a pipe would wait for a writer before we can see that it is not a
  // file.
  constexpr int kHow = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  const Descriptor file(without_interruption([&] { return ::open(path.c_str(), kHow); }));
  struct stat status{};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) fail_with_errno(path, "read");
  SPIKENM_CHECK(!S_ISDIR(status.st_mode), "{}: is a folder, wanted a file", path.string());
  SPIKENM_CHECK(S_ISREG(status.st_mode),
                "{}: found something that is not a file, wanted a regular file", path.string());

  std::string content;
  const auto check_size = [&](uint64_t size) {
    SPIKENM_CHECK(size <= most,
                  "{}: found a file of {} bytes or more, wanted at most {} (a fixed limit)",
                  path.string(), size, most);
  };
  check_size(static_cast<uint64_t>(status.st_size));
  content.reserve(static_cast<size_t>(status.st_size));

  std::vector<char> buffer(size_t{1} << 16);
  while (true) {
    const ssize_t n =
        without_interruption([&] { return ::read(file.get(), buffer.data(), buffer.size()); });
    if (n < 0) fail_with_errno(path, "read");
    if (n == 0) return content;
    check_size(content.size() + static_cast<size_t>(n));  // the size may be wrong or grow
    content.append(buffer.data(), static_cast<size_t>(n));
    throw_if_interrupted("while " + path.string() + " was read");
  }
}

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  // A link stays a link: the file that it names is replaced. A device or a folder is refused.
  std::error_code error;
  for (int hops = 0; hops < 40 && std::filesystem::is_symlink(path_, error); ++hops)
    path_ = path_.parent_path() / std::filesystem::read_symlink(path_, error);

  const std::filesystem::file_status status = std::filesystem::status(path_, error);
  SPIKENM_CHECK(status.type() != std::filesystem::file_type::none, "{}: cannot write: {}",
                path_.string(), error.message());
  SPIKENM_CHECK(!std::filesystem::exists(status) || std::filesystem::is_regular_file(status),
                "{}: cannot write: found something that is not a file, wanted a regular file",
                path_.string());
  open_part();
}

void AtomicFile::open_part() {
  constexpr int kHow = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  for (int attempt = 0; attempt < 100; ++attempt) {
    uint64_t random = 0;
    if (::getentropy(&random, sizeof random) != 0) break;
    part_ = path_;
    part_ += fmt::format("{}{:016x}", kPart, random);
    file_ = without_interruption([&] { return ::open(part_.c_str(), kHow, 0644); });
    if (file_ >= 0) return;
    if (errno != EEXIST) break;
  }
  fail_with_errno(path_, "write");
}

AtomicFile::~AtomicFile() {
  if (file_ < 0) return;
  ::close(file_);
  ::unlink(part_.c_str());
}

void AtomicFile::give_up() {
  const int reason = errno;
  if (file_ >= 0) ::close(file_);
  file_ = -1;
  ::unlink(part_.c_str());
  errno = reason;
  fail_with_errno(path_, "write");
}

void AtomicFile::write(std::string_view content) {
  if (write_all(file_, content) < content.size()) give_up();
}

void AtomicFile::commit() {
  if (!sync(file_)) give_up();
  // A full disk may be reported only here. close() closes the file even if a signal interrupts it.
  const bool closed = ::close(file_) == 0 || errno == EINTR;
  file_ = -1;
  if (!closed || !rename_file(part_, path_)) give_up();
  sync_folder_of(path_);
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

void append_to_file(const std::filesystem::path& path, std::string_view text) {
  Opened opened = open_to_change(path, O_APPEND | O_CREAT);
  const size_t added = write_all(opened.file.get(), text);
  if (added < text.size()) take_back(opened.file.get(), opened.size, added);
  if (added < text.size() || !opened.file.close()) fail_with_errno(path, "write");
}

void truncate_file(const std::filesystem::path& path, uint64_t length) {
  Opened opened = open_to_change(path, 0);
  SPIKENM_CHECK(opened.size >= length, "{}: found {} bytes, wanted at least {}", path.string(),
                opened.size, length);
  if (!cut(opened.file.get(), length) || !sync(opened.file.get()) || !opened.file.close())
    fail_with_errno(path, "write");
}

void sync_file(const std::filesystem::path& path) {
  Opened opened = open_to_change(path, 0);
  if (!sync(opened.file.get()) || !opened.file.close()) fail_with_errno(path, "write");
  sync_folder_of(path);
}

void move_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (!rename_file(from, to)) fail_with_errno(to, "write");
  sync_folder_of(to);
  if (from.parent_path() != to.parent_path()) sync_folder_of(from);
}

void make_folders(const std::filesystem::path& path) {
  std::filesystem::path folder;
  std::error_code error;
  for (const std::filesystem::path& step : path) {
    if (step.empty()) continue;  // after a slash at the end
    folder /= step;
    if (std::filesystem::is_directory(folder, error)) continue;
    const int made = without_interruption([&] { return ::mkdir(folder.c_str(), 0777); });
    const int reason = errno;
    if (made == 0) {
      sync_folder_of(folder);
    } else if (reason != EEXIST || !std::filesystem::is_directory(folder, error)) {
      errno = reason == EEXIST ? ENOTDIR : reason;  // a file is in the way
      fail_with_errno(path, "make the folder");
    }
  }
}

bool is_part_of(std::string_view candidate, std::string_view name) {
  if (!candidate.starts_with(name)) return false;
  candidate.remove_prefix(name.size());
  if (!candidate.starts_with(kPart)) return false;
  candidate.remove_prefix(kPart.size());
  return !candidate.empty() &&
         candidate.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace spikenm
