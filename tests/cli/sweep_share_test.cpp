// 'spikenm sweep' that is stopped, or shares its runs with other processes.
#include "spikenm/core/file.h"
#include "spikenm/report/csv.h"
#include "support/sweep_cli.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <thread>

namespace spikenm {
namespace {

namespace fs = std::filesystem;
using test::Arguments;
using test::has;
using test::Outcome;
using test::SweepCli;

TEST_F(SweepCli, AnInterruptStopsTheChildrenAndKeepsWhatIsFinished) {
  // The second member would train for hours.
  write_file_atomically(dir / "list.toml", R"(
    base = "base.toml"
    [[member]]
    name = "short"
    [[member]]
    name = "long"
    set = ["train.epochs=100000", "train.search_epochs=1"]
  )");
  const pid_t sweep = start({"sweep", "--list", "list.toml", "--out", "s"});
  for (int i = 0; i < 1200 && !fs::exists(dir / "s/long/seed0/metrics.jsonl"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  ASSERT_TRUE(fs::exists(dir / "s/long/seed0/metrics.jsonl"));
  ::kill(sweep, SIGINT);
  const Outcome found = finish(sweep);
  EXPECT_EQ(found.code, 130) << found.err;
  EXPECT_TRUE(has(found.err, "after 1 of 2 runs; go on with: ")) << found.err;
  EXPECT_TRUE(has(found.err, "sweep --list list.toml --out s\n")) << found.err;
  EXPECT_FALSE(fs::is_empty(dir / "s/long/seed0/checkpoints"));
  EXPECT_TRUE(has(run({"sweep", "--list", "list.toml", "--out", "s", "--dry-run"}).out,
                  "short/seed0 (finished)\nlong/seed0 (goes on)\n"));
  EXPECT_TRUE(fs::exists(dir / "s/short/seed0/result.json"));
  EXPECT_FALSE(fs::exists(dir / "s/long/seed0/result.json"));
  const auto size = fs::file_size(dir / "s/long/seed0/metrics.jsonl");
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_EQ(fs::file_size(dir / "s/long/seed0/metrics.jsonl"), size);  // nobody trains on
}

TEST_F(SweepCli, TwoSweepsShareTheRuns) {
  const Arguments command = grid({"--grid", "train.lr=0.001,0.002", "--seeds", "3"});
  const pid_t first = start(command, "first_"), second = start(command, "second_");
  for (const Outcome& found : {finish(first, "first_"), finish(second, "second_")})
    EXPECT_EQ(found.code, 0) << found.err;
  for (const char* member : {"lr=0.001", "lr=0.002"})
    for (int seed = 0; seed < 3; ++seed) {
      const fs::path run = dir / fmt::format("s/{}/seed{}", member, seed);
      EXPECT_TRUE(fs::exists(run / "result.json")) << run;
      EXPECT_FALSE(fs::exists(run / ".owner")) << run;
      EXPECT_TRUE(has(read_file(run.string() + ".log"), "test accuracy")) << run;
    }
  const Outcome again = run(command);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_FALSE(has(again.err, "/6 ")) << "nothing is left to train: " << again.err;
  EXPECT_EQ(csv("s/results.csv").rows.size(), 6u);
}

TEST_F(SweepCli, ARunThatAnotherProcessTrainsIsLeftToIt) {
  const Arguments endless{"train", "--config",         "base.toml",
                          "--out", "s/lr=0.002/seed0", "train.epochs=100000"};
  const pid_t child = start(endless, "train_");
  for (int i = 0; i < 1200 && !fs::exists(dir / "s/lr=0.002/seed0/metrics.jsonl"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const Outcome found = run(grid({"--grid", "train.lr=0.001,0.002"}));
  EXPECT_EQ(found.code, 0) << found.err;
  const std::string left = fmt::format("left to process {} on ", child);
  EXPECT_TRUE(has(found.err, "2/2 lr=0.002 seed0: " + left)) << found.err;
  EXPECT_TRUE(has(found.err, "\nnote: lr=0.002/seed0: " + left)) << found.err;
  EXPECT_EQ(csv("s/results.csv").rows.size(), 1u);
  ::kill(child, SIGTERM);
  EXPECT_EQ(finish(child, "train_").code, 143);
  EXPECT_EQ(run(grid({"--grid", "train.lr=0.001,0.002", "--force"})).code, 0);
  EXPECT_EQ(csv("s/results.csv").rows.size(), 2u);
}

TEST_F(SweepCli, RunsOfAnotherHostAreTrainedOnlyWithTakeOver) {
  fs::create_directories(dir / "s/lr=0.002/seed0");
  write_file_atomically(dir / "s/lr=0.002/seed0/.owner",
                        "{\"host\":\"node7\",\"pid\":4711,\"since\":\"2026-11-16T14:15:30Z\","
                        "\"started\":1}\n");
  Arguments command = grid({"--grid", "train.lr=0.001,0.002"});
  const Outcome found = run(command);
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_TRUE(has(found.err, "note: lr=0.002/seed0: left to process 4711 on node7")) << found.err;
  EXPECT_TRUE(has(found.err, "--take-over")) << found.err;
  command.emplace_back("--take-over");
  EXPECT_EQ(run(command).code, 0);
  EXPECT_EQ(csv("s/results.csv").rows.size(), 2u);
}

}  // namespace
}  // namespace spikenm
