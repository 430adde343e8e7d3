#include "spikenm/core/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace spikenm {

MappedFile::MappedFile(const std::filesystem::path& path) {
  // Without O_NONBLOCK a pipe would wait for its writer before we see that it is no file.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  SPIKENM_CHECK(file >= 0, "{}: cannot be opened: {}", path.string(), std::strerror(errno));
  struct stat status{};
  const bool is_file = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  const auto size = static_cast<size_t>(status.st_size);
  void* at = nullptr;
  if (is_file && size > 0) at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  const int error = errno;
  ::close(file);
  SPIKENM_CHECK(is_file, "{}: found something that is not a file", path.string());
  SPIKENM_CHECK(at != MAP_FAILED, "{}: cannot be read: {}", path.string(), std::strerror(error));
  if (at != nullptr) bytes_ = {static_cast<const uint8_t*>(at), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<uint8_t*>(bytes_.data()), bytes_.size());
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace spikenm
