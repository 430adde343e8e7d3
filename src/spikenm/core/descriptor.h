// File descriptors, and what every system call on files needs.
#pragma once

#include "spikenm/core/error.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace spikenm {

// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;

  [[nodiscard]] int get() const { return fd_; }
  // False when written bytes may be lost. close() closes the file even if a signal interrupts it.
  bool close() { return ::close(std::exchange(fd_, -1)) == 0 || errno == EINTR; }

 private:
  int fd_;  // -1: none
};

// Repeats a system call that a signal interrupted.
template <class Call>
auto without_interruption(Call&& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// `action` is "write", "open", …: what could not be done with the file.
[[noreturn]] inline void fail_with_errno(const std::filesystem::path& path, const char* action) {
  fail("{}: cannot {}: {}", path.string(), action, std::strerror(errno));
}

}  // namespace spikenm
