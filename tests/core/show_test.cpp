#include "spikenm/core/show.h"

#include "support/expect_error.h"

#include <fcntl.h>
#include <unistd.h>

namespace spikenm {
namespace {

template <class Body>
std::string shown_by(Body&& body) {
  testing::internal::CaptureStdout();
  body();
  return testing::internal::GetCapturedStdout();
}

TEST(Show, KeepsLinesAndWritesOutOtherControls) {
  EXPECT_EQ(shown_by([] { show("{} of\n{}\n", 1, "a\x1b[2J\xc2\x9b"); }),
            "1 of\na\\x1B[2J\\xC2\\x9B\n");
}

TEST(Show, JsonStaysJson) {
  const Json value{{"a\x7f", "\x1b \xc2\x85 Δ"}};
  const std::string text = shown_by([&] { show_json(value); });
  EXPECT_EQ(text, "{\n  \"a\\u007f\": \"\\u001b \\u0085 Δ\"\n}\n");
  EXPECT_EQ(Json::parse(text), value);
}

TEST(Show, JsonOfTextThatIsNotUtf8IsShown) {
  EXPECT_EQ(shown_by([] { show_json("a\xff"); }), "\"a\xef\xbf\xbd\"\n");
}

TEST(Show, AnOutputThatCannotBeWrittenIsAnError) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  if (full < 0) GTEST_SKIP() << "no /dev/full here";
  std::fflush(stdout);
  const int kept = ::dup(STDOUT_FILENO);
  ::dup2(full, STDOUT_FILENO);
  EXPECT_ERROR((show_text(std::string(100'000, 'x')), finish_output()), "standard output",
               "No space left");
  ::dup2(kept, STDOUT_FILENO);
  std::clearerr(stdout);
  ::close(kept);
  ::close(full);
}

}  // namespace
}  // namespace spikenm
