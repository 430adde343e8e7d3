#include "spikenm/core/file.h"

#include "spikenm/core/error.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace spikenm {
namespace {

// Owns a file descriptor; close errors matter (a full disk may show only there), so close is
// explicit.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }
  int close() {
    const int result = ::close(fd_);
    fd_ = -1;
    return result;
  }

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

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  std::filesystem::path part = path;
  part += ".part";
  Descriptor file(::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (file.get() < 0) fail_with_errno(path, "write");
  const auto give_up = [&] {
    const int reason = errno;
    ::unlink(part.c_str());
    errno = reason;
    fail_with_errno(path, "write");
  };
  for (size_t done = 0; done < content.size();) {
    const ssize_t n = ::write(file.get(), content.data() + done, content.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) give_up();
    done += static_cast<size_t>(n);
  }
  if (::fsync(file.get()) != 0 || file.close() != 0) give_up();
  if (::rename(part.c_str(), path.c_str()) != 0) give_up();
}

}  // namespace spikenm
