#include "spikenm/core/file.h"

#include "spikenm/core/error.h"

#include <fcntl.h>
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

[[noreturn]] void fail_with_errno(const std::filesystem::path& path, const char* action) {
  fail("{}: cannot {}: {}", path.string(), action, std::strerror(errno));
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  std::error_code ignored;
  SPIKENM_CHECK(!std::filesystem::is_directory(path, ignored), "{}: is a folder, wanted a file",
                path.string());
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail_with_errno(path, "read");
  std::string content;
  const uintmax_t size = std::filesystem::file_size(path, ignored);
  if (!ignored) content.reserve(size);
  std::vector<char> buffer(size_t{1} << 16);
  while (true) {
    const ssize_t n = ::read(file.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_with_errno(path, "read");
    if (n == 0) return content;
    content.append(buffer.data(), static_cast<size_t>(n));
  }
}

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  // A link stays a link: what it names is replaced. A device or folder is not.
  std::error_code error;
  for (int hops = 0; hops < 40 && std::filesystem::is_symlink(path_, error); ++hops)
    path_ = path_.parent_path() / std::filesystem::read_symlink(path_, error);
  const std::filesystem::file_status status = std::filesystem::status(path_, error);
  SPIKENM_CHECK(!std::filesystem::exists(status) || std::filesystem::is_regular_file(status),
                "{}: cannot write: found something that is not a file", path_.string());
  part_ = path_;
  part_ += fmt::format(".part{}", ::getpid());
  file_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file_ < 0) fail_with_errno(path_, "write");
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
    const ssize_t n = ::write(file_, content.data() + done, content.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) give_up();
    done += static_cast<size_t>(n);
  }
}

void AtomicFile::commit() {
  if (::fsync(file_) != 0) give_up();
  // A full disk may show only here.
  const int closed = ::close(file_);
  file_ = -1;
  if (closed != 0 || ::rename(part_.c_str(), path_.c_str()) != 0) give_up();
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

}  // namespace spikenm
