// What code writes to stderr when that is a terminal, and when it is a pipe.
#pragma once

#include "support/child.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string>

namespace spikenm::test {

// All that can be read; a terminal whose other side is closed gives an error at the end.
inline std::string read_all(int from) {
  std::string text;
  std::array<char, 4096> part;
  for (ssize_t n; (n = ::read(from, part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<size_t>(n));
  ::close(from);
  return text;
}

// What `body` writes to a terminal of this size. Nothing where the system gives no terminals.
template <class Body>
std::optional<std::string> on_terminal(const Body& body, unsigned short columns = 20,
                                       const char* kind = "xterm") {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0) return std::nullopt;
  const winsize size{.ws_row = 4, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  ::ioctl(terminal, TIOCSWINSZ, &size);
  const int side = ::open(::ptsname(terminal), O_RDWR | O_NOCTTY);
  const pid_t child = in_child([&] {
    ::setenv("TERM", kind, 1);
    ::dup2(side, STDERR_FILENO);
    body();
    return 0;
  });
  EXPECT_EQ(status_of(child), 0);
  ::close(side);  // the last one: what was written can still be read, then reading fails
  return read_all(terminal);
}

// What `body` writes to a pipe.
template <class Body>
std::string in_pipe(const Body& body) {
  std::array<int, 2> ends;
  if (::pipe(ends.data()) != 0) return "no pipe";
  const pid_t child = in_child([&] {
    ::dup2(ends[1], STDERR_FILENO);
    body();
    return 0;
  });
  ::close(ends[1]);
  const std::string text = read_all(ends[0]);
  EXPECT_EQ(status_of(child), 0);
  return text;
}

}  // namespace spikenm::test
