// Sweeps whose runs are stopped, killed or fail, and go on.
#include "spikenm/core/file.h"
#include "spikenm/core/json.h"
#include "support/in_memory.h"
#include "support/run_ending.h"
#include "support/sweep_cli.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <thread>

namespace spikenm {
namespace {

namespace fs = std::filesystem;
using test::Arguments, test::has, test::lines_with, test::Outcome;

class SweepResumeCli : test::InMemory, public test::SweepCli {};

// The long member is stopped twice, once by the user and once by a kill, and goes on each time.
TEST_F(SweepResumeCli, AMemberThatWasStoppedGoesOn) {
  const Arguments longer{"train.epochs=40", "train.search_epochs=2",
                         "checkpoints.every_minutes=1e-6"};
  Arguments command = grid({"--grid", "train.lr=0.001", "--set"});
  command.insert(command.end(), longer.begin(), longer.end());
  const fs::path folder = dir / "s/lr=0.001/seed0";
  const auto has_lines = [&](int64_t n) {
    std::error_code error;
    const fs::path metrics = folder / "metrics.jsonl";
    return fs::exists(metrics, error) && lines_with(read_file(metrics), "epoch") >= n;
  };

  for (const int signal_number : {SIGTERM, SIGKILL}) {
    const int64_t enough = signal_number == SIGTERM ? 3 : 10;
    const pid_t sweep = start(command);
    for (int i = 0; i < 1200 && !has_lines(enough); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ::kill(sweep, signal_number);
    const Outcome stopped = finish(sweep);
    EXPECT_EQ(stopped.code, signal_number == SIGKILL ? -SIGKILL : 143) << stopped.err;
    for (int i = 0; i < 1200 && fs::exists(folder / ".owner"); ++i)  // the member saves itself
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_FALSE(fs::exists(folder / "result.json"));
  const Outcome found = run(command);
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_FALSE(has(found.err, "search 1/40")) << found.err;
  const std::string log = read_file(folder.string() + ".log");
  EXPECT_EQ(lines_with(log, "goes on in "), 2) << log;  // the log has all of it
  EXPECT_EQ(lines_with(log, "search 1/40  loss "), 1) << log;

  Arguments whole{"train", "--config", "s/lr=0.001/member.toml", "--out", "whole"};
  ASSERT_EQ(run(whole).code, 0);
  EXPECT_EQ(test::ending_of(folder), test::ending_of(dir / "whole"));
}

TEST_F(SweepResumeCli, MembersStartFromAnotherRun) {
  ASSERT_EQ(run(tiny({"train", "--out", "a"}, {})).code, 0);
  const Arguments command =
      grid({"--grid", "train.lr=0.001", "--set", "train.from=a", "train.epochs=1"});
  const Outcome first = run(command), again = run(command);
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_TRUE(has(read_file(dir / "s/lr=0.001/seed0.log"), "starts from ")) << first.err;
  EXPECT_EQ(again.code, 0) << again.err;
}

TEST_F(SweepResumeCli, AMemberThatFailsIsTriedAgain) {
  fs::create_directories(dir / "s/lr=0.001/seed0");
  const Arguments command = grid({"--grid", "train.lr=0.001", "--retry", "2"});
  write_file_atomically(dir / "s/lr=0.001/seed0/precious.txt", "mine");
  const Outcome failed = run(command);
  EXPECT_EQ(failed.code, 1);
  EXPECT_EQ(lines_with(failed.err, "lr=0.001 seed0: failed: exit 1: spikenm: s/lr=0.001/seed0"), 3)
      << failed.err;
  EXPECT_TRUE(has(failed.err, "; tries again, 1 of 2\n")) << failed.err;
  EXPECT_TRUE(has(failed.err, "; tries again, 2 of 2\n")) << failed.err;
  EXPECT_TRUE(has(failed.err, "\n1/1 lr=0.001 seed0: failed: ")) << failed.err;
  EXPECT_EQ(lines_with(failed.err, "1 of 1 runs failed"), 1) << failed.err;
  // A run that diverges would diverge again.
  const Outcome diverged = run(grid({"--grid", "train.lr=1e30", "--set", "method.name=dense",
                                     "train.loss=mse", "train.schedule=constant", "--retry", "2"}));
  EXPECT_FALSE(has(diverged.err, "tries again")) << diverged.err;
}

// Something outside kills a member; it goes on, and the sweep does not notice a difference.
TEST_F(SweepResumeCli, AMemberThatIsKilledGoesOnWithRetry) {
  const pid_t sweep =
      start(grid({"--grid", "train.lr=0.001", "--retry", "1", "--set", "train.epochs=40",
                  "train.search_epochs=2", "checkpoints.every_minutes=1e-6"}));
  const fs::path folder = dir / "s/lr=0.001/seed0";
  std::error_code error;
  for (int i = 0; i < 1200 && (!fs::exists(folder / "checkpoints", error) ||
                               fs::is_empty(folder / "checkpoints", error));
       ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ::kill(Json::parse(read_file(folder / ".owner")).at("pid").get<pid_t>(), SIGKILL);
  const Outcome found = finish(sweep);
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_TRUE(has(found.err, "lr=0.001 seed0: failed: exit 137: ")) << found.err;
  EXPECT_TRUE(has(found.err, "; tries again, 1 of 1\n")) << found.err;
  EXPECT_TRUE(has(read_file(folder.string() + ".log"), "goes on in ")) << found.err;
  EXPECT_TRUE(has(found.err, "\n1/1 lr=0.001 seed0: ")) << found.err;
}

}  // namespace
}  // namespace spikenm
