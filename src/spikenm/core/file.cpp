#include "spikenm/core/file.h"

#include "spikenm/core/error.h"
#include "spikenm/core/interrupt.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace spikenm {
namespace {

// Owns a file descriptor that is only read from.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

constexpr std::string_view kPart = ".part";

// Repeats a system call that a signal interrupted.
template <class Call>
auto without_interruption(Call&& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

[[noreturn]] void fail_with_errno(const std::filesystem::path& path, const char* action) {
  fail("{}: cannot {}: {}", path.string(), action, std::strerror(errno));
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
  for (size_t done = 0; done < content.size();) {
    const ssize_t n = without_interruption(
        [&] { return ::write(file_, content.data() + done, content.size() - done); });
    if (n < 0) give_up();
    done += static_cast<size_t>(n);
  }
}

void AtomicFile::commit() {
  if (without_interruption([&] { return ::fsync(file_); }) != 0) give_up();
  // A full disk may be reported only here. close() closes the file even if a signal interrupts it.
  const bool closed = ::close(file_) == 0 || errno == EINTR;
  file_ = -1;
  if (!closed || ::rename(part_.c_str(), path_.c_str()) != 0) give_up();
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
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
