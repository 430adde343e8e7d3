#include "spikenm/core/input_file.h"

#include "spikenm/core/error.h"
#include "spikenm/core/interrupt.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace spikenm {

InputFile::InputFile(std::filesystem::path path) : path_(std::move(path)) {
  // Without O_NONBLOCK, open() on a pipe would wait for a writer before we can see that it is not a
  // file.
  do file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  while (file_ < 0 && errno == EINTR);
  SPIKENM_CHECK(file_ >= 0, "{}: cannot be opened: {}", path_.string(), std::strerror(errno));

  struct stat status{};
  const bool is_file = ::fstat(file_, &status) == 0 && S_ISREG(status.st_mode);
  if (!is_file) ::close(std::exchange(file_, -1));
  SPIKENM_CHECK(is_file, "{}: found something that is not a file, wanted a regular file",
                path_.string());
  size_ = static_cast<uint64_t>(status.st_size);
}

InputFile::~InputFile() {
  if (file_ >= 0) ::close(file_);
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)), size_(other.size_), file_(std::exchange(other.file_, -1)) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(size_, other.size_);
  std::swap(file_, other.file_);
  return *this;
}

void InputFile::read(uint64_t offset, std::span<uint8_t> out) const {
  for (size_t done = 0; done < out.size();) {
    const ssize_t n =
        ::pread(file_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    SPIKENM_CHECK(n >= 0, "{}: cannot be read: {}", path_.string(), std::strerror(errno));
    if (n == 0) {
      struct stat status{};
      ::fstat(file_, &status);
      fail("{}: was cut to {} bytes while it was read, wanted {}", path_.string(), status.st_size,
           offset + out.size());
    }
    done += static_cast<size_t>(n);
  }
}

void read_bytes(const std::filesystem::path& path, std::vector<uint8_t>& out) {
  constexpr uint64_t kPiece = 4 << 20;
  const InputFile file(path);
  out.clear();
  out.reserve(file.size());
  while (out.size() < file.size()) {
    const size_t done = out.size();
    if (done > 0) throw_if_interrupted("while " + path.string() + " was read");
    out.resize(std::min(done + kPiece, file.size()));
    file.read(done, std::span(out).subspan(done));
  }
}

}  // namespace spikenm
