#include "spikenm/core/say.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace spikenm {
namespace {

// Puts another file in the place of stderr, for as long as it lives.
class StderrIs {
 public:
  explicit StderrIs(int file) : kept_(::dup(STDERR_FILENO)) {
    if (file >= 0)
      ::dup2(file, STDERR_FILENO);
    else
      ::close(STDERR_FILENO);
  }
  ~StderrIs() {
    ::dup2(kept_, STDERR_FILENO);
    ::close(kept_);
  }
  StderrIs(const StderrIs&) = delete;
  StderrIs& operator=(const StderrIs&) = delete;

 private:
  int kept_;
};

template <class Body>
std::string said_by(Body&& body) {
  testing::internal::CaptureStderr();
  body();
  return testing::internal::GetCapturedStderr();
}

TEST(Printable, ControlCharactersAreWrittenOut) {
  EXPECT_EQ(printable("a\x1b[31mb\n\t\x7f"), "a\\x1B[31mb\\x0A\\x09\\x7F");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J \xc2\x80 \xc2\x9f"),
            "\\xC2\\x9B2J \\xC2\\x80 \\xC2\\x9F");
}

TEST(Printable, MarksThatTurnTheDirectionOfTextAreWrittenOut) {
  EXPECT_EQ(printable("a\u202eb\u202a"), "a\\xE2\\x80\\xAEb\\xE2\\x80\\xAA");
  EXPECT_EQ(printable("\u2066x\u2069"), "\\xE2\\x81\\xA6x\\xE2\\x81\\xA9");
  for (const char* text : {"\u2029", "\u202f", "\u2065", "\u206a"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, OtherTextStaysAsItIs) {
  for (const char* text : {"", "plain ~ text", "Δ dense ± 1 … \xc2\xa0", "\xf0\x9f\x98\x80"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, BytesThatAreNotUtf8AreWrittenOut) {
  EXPECT_EQ(printable("\x9b"), "\\x9B");           // a C1 control to an 8-bit terminal
  EXPECT_EQ(printable("\xc3"), "\\xC3");           // cut
  EXPECT_EQ(printable("\xe2\x80"), "\\xE2\\x80");  // cut
  EXPECT_EQ(printable("\xc0\x9b"), "\\xC0\\x9B");  // longer than it need be
  EXPECT_EQ(printable("\xe0\x82\x9b"), "\\xE0\\x82\\x9B");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xED\\xA0\\x80");  // half of a pair
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xF4\\x90\\x80\\x80");
  EXPECT_EQ(printable("\xff\xfe"), "\\xFF\\xFE");
}

TEST(Say, WritesOnePrintableLine) {
  EXPECT_EQ(said_by([] { say("note: a\nb\x1b[2J"); }), "note: a\\x0Ab\\x1B[2J\n");
  EXPECT_EQ(said_by([] { say_lines("a\nb\x1b\n"); }), "a\nb\\x1B\n");
  EXPECT_EQ(said_by([] { draw("\r\033[K"); }), "\r\033[K");
}

TEST(Say, WritesLinesLongerThanItsBuffer) {
  const std::string line = std::string(10'000, 'x') + "\x1b" + std::string(10'000, 'y');
  EXPECT_EQ(said_by([&] { say(line); }), printable(line) + "\n");
}

TEST(Say, AStderrThatCannotBeWrittenChangesNothing) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  if (full >= 0) {
    const StderrIs replaced(full);
    say("nobody hears this");
  }
  ::close(full);
  {
    const StderrIs closed(-1);
    say("nobody hears this");
  }
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  ::close(pipe[0]);
  {
    const StderrIs replaced(pipe[1]);
    say("nobody hears this");  // SIGPIPE would end the test
  }
  ::close(pipe[1]);
}

}  // namespace
}  // namespace spikenm
