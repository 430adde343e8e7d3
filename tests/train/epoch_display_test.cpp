#include "spikenm/train/epoch_display.h"

#include "support/terminal.h"

#include <algorithm>

namespace spikenm::train {
namespace {

using test::in_pipe, test::on_terminal;

constexpr unsigned short kColumns = 100;
const std::string kLine =
    "search 3/10  loss 1.2345  train 45.10 %  val 44.00 %  lr 0.001  1234/s  left 0:00:00  1.2 GB";

EpochRecord record() {
  return {.phase = "search",
          .epoch = 3,
          .lr = 0.001,
          .loss = 1.23454,
          .train_accuracy = 45.1,
          .val_accuracy = 44,
          .is_validated = true,
          .samples_per_second = 1234.4,
          .memory_bytes = 1.2e9,
          .extra = {{"tau", 0.5}, {"density", 0.25}}};
}

// A step, an epoch's end, and a step of the next one; nothing is left to do.
void show(const Display& display) {
  EpochDisplay shown(display, 10);
  shown.begin(0, 30);
  shown.step(record(), 1.5, 15);
  shown.epoch(record(), 30);
  shown.step(record(), 1.5, 30);
  shown.end();
}

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
  return n;
}

TEST(EpochLine, HasPhaseEpochLossAccuraciesRateSpeedTimeAndMemory) {
  EXPECT_EQ(epoch_line(record(), 10, 754.4),
            "search 3/10  loss 1.2345  train 45.10 %  val 44.00 %  lr 0.001  1234/s  "
            "left 0:12:34  1.2 GB");
  EpochRecord unvalidated = record();
  unvalidated.is_validated = false;
  EXPECT_EQ(count(epoch_line(unvalidated, 10, 0), "val"), 0u);
}

TEST(EpochLine, TimesAreHoursMinutesAndSeconds) {
  EXPECT_EQ(clock_text(0.4), "0:00:00");
  EXPECT_EQ(clock_text(59.6), "0:01:00");
  EXPECT_EQ(clock_text(100 * 3600.0 + 61), "100:01:01");
  EXPECT_EQ(clock_text(-5), "0:00:00");
}

TEST(EpochDisplay, InAPipeEachEpochIsALine) {
  EXPECT_EQ(in_pipe([] { show({.title = "run"}); }), kLine + "\n");
}

TEST(EpochDisplay, OnATerminalALiveLineStandsBelowThem) {
  const auto text = on_terminal([] { show({.title = "run"}); }, kColumns);
  if (!text) GTEST_SKIP() << "the system gives no terminal";
  EXPECT_EQ(*text, "run [============            ] search 3/10  left 0:00:00  loss 1.500\r\033[J" +
                       kLine + "\r\n" +
                       "run [========================] search 3/10  left 0:00:00  loss 1.500  "
                       "val 44.00 %\r\033[J");
}

TEST(EpochDisplay, ALiveLineFitsTheTerminal) {
  const auto text = on_terminal(
      [] {
        EpochDisplay shown({.title = "run"}, 10);
        shown.begin(0, 2);
        shown.step(record(), 1.5, 1);
      },
      30);
  if (!text) GTEST_SKIP() << "the system gives no terminal";
  EXPECT_EQ(*text, "run [============           …\r\033[J");
}

TEST(EpochDisplay, QuietShowsNothing) {
  const auto quiet = [] { show({.title = "run", .bar = false, .lines = false, .verbose = true}); };
  EXPECT_EQ(in_pipe(quiet), "");
  EXPECT_EQ(on_terminal(quiet, kColumns).value_or(""), "");
}

TEST(EpochDisplay, QuietStillWarns) {
  EXPECT_NE(in_pipe([] {
              EpochDisplay({.bar = false, .lines = false}, 10).warn({"no neuron fires"});
            }).find("no neuron fires"),
            std::string::npos);
}

TEST(EpochDisplay, VerboseAddsWhatElseWasWatched) {
  EXPECT_EQ(in_pipe([] { show({.title = "run", .verbose = true}); }),
            kLine + "\n  tau 0.5\n  density 0.25\n");
}

TEST(EpochDisplay, ADumbTerminalIsLikeAPipe) {
  const auto text = on_terminal([] { show({.title = "run"}); }, kColumns, "dumb");
  if (!text) GTEST_SKIP() << "the system gives no terminal";
  EXPECT_EQ(*text, kLine + "\r\n");
}

// Colour is never used, with NO_COLOR as without: all that is drawn is text and the removal of a line.
TEST(EpochDisplay, HasNoColour) {
  for (const char* no_color : {"", "1"}) {
    const auto text = on_terminal(
        [&] {
          ::setenv("NO_COLOR", no_color, 1);
          show({.title = "run", .verbose = true});
        },
        kColumns);
    if (!text) GTEST_SKIP() << "the system gives no terminal";
    EXPECT_GT(count(*text, "\033"), 0u);
    EXPECT_EQ(count(*text, "\033"), count(*text, "\r\033[J")) << *text;
  }
}

}  // namespace
}  // namespace spikenm::train
