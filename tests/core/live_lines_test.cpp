#include "spikenm/core/live_lines.h"

#include "support/child.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string>

namespace spikenm {
namespace {

// What `body` writes to stderr when that is a terminal of 20 columns and 4 rows. Nothing where the
// system gives no terminals.
template <class Body>
std::optional<std::string> on_terminal(const Body& body) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0) return std::nullopt;
  const winsize size{.ws_row = 4, .ws_col = 20, .ws_xpixel = 0, .ws_ypixel = 0};
  ::ioctl(terminal, TIOCSWINSZ, &size);
  const int side = ::open(::ptsname(terminal), O_RDWR | O_NOCTTY);
  const pid_t child = test::in_child([&] {
    ::setenv("TERM", "xterm", 1);
    ::dup2(side, STDERR_FILENO);
    body();
    return 0;
  });
  EXPECT_EQ(test::status_of(child), 0);
  ::close(side);  // the last one: what was written can still be read, then reading fails
  std::string text;
  std::array<char, 4096> part;
  for (ssize_t n; (n = ::read(terminal, part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<size_t>(n));
  ::close(terminal);
  return text;
}

TEST(LiveLines, AreRedrawnInTheirPlaceAndRemoved) {
  const std::optional<std::string> text = on_terminal([] {
    LiveLines lines(/*seconds_between=*/0);
    lines.update({"one", "two"});
    lines.update({"three"});
  });
  if (!text) GTEST_SKIP() << "the system gives no terminal";
  EXPECT_EQ(text,
            "one\r\ntwo"
            "\r\033[1A\033[J"
            "three"
            "\r\033[J");
}

TEST(LiveLines, AreNotDrawnTooOften) {
  const std::optional<std::string> text = on_terminal([] {
    LiveLines lines(/*seconds_between=*/1e6);
    lines.update({"one"});
    lines.update({"too early"});
  });
  if (!text) GTEST_SKIP() << "the system gives no terminal";
  EXPECT_EQ(text, "one\r\033[J");
}

TEST(LiveLines, FitTheTerminal) {
  const std::optional<std::string> text = on_terminal([] {
    LiveLines lines;
    lines.update({"12345678901234567890", "a\033b", "c", "d", "e"});
  });
  if (!text) GTEST_SKIP() << "the system gives no terminal";
  EXPECT_EQ(text, "123456789012345678…\r\na\\x1Bb\r\nc\r\033[2A\033[J");
}

TEST(LiveLines, AreNothingInAPipe) {
  std::array<int, 2> ends;
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t child = test::in_child([&] {
    ::dup2(ends[1], STDERR_FILENO);
    LiveLines lines;
    lines.update({"one"});
    return lines.is_live() ? 1 : 0;
  });
  EXPECT_EQ(test::status_of(child), 0);
  ::close(ends[1]);
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 0);
  ::close(ends[0]);
}

TEST(LiveLines, AreCutBetweenCharacters) {
  EXPECT_EQ(cut_to_width("añb", 3), "añb");
  EXPECT_EQ(cut_to_width("añbc", 3), "añ…");
  EXPECT_EQ(cut_to_width("ab", 0), "…");
  EXPECT_EQ(cut_to_width("", 0), "");
}

}  // namespace
}  // namespace spikenm
