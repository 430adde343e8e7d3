#include "spikenm/core/live_lines.h"

#include "support/terminal.h"

namespace spikenm {
namespace {

using test::in_pipe, test::on_terminal;

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
  EXPECT_EQ(in_pipe([] {
              LiveLines lines;
              lines.update({"one"});
              EXPECT_FALSE(lines.is_live());
            }),
            "");
}

TEST(LiveLines, AreCutBetweenCharacters) {
  EXPECT_EQ(cut_to_width("añb", 3), "añb");
  EXPECT_EQ(cut_to_width("añbc", 3), "añ…");
  EXPECT_EQ(cut_to_width("ab", 0), "…");
  EXPECT_EQ(cut_to_width("", 0), "");
}

}  // namespace
}  // namespace spikenm
