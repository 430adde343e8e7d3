// Runs that are stopped, and go on: in the end they are the run that never was.
#include "support/stoppable_cli.h"

#include <chrono>
#include <csignal>
#include <thread>

namespace spikenm {
namespace {

using test::Arguments, test::has, test::Outcome;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

class ResumeCli : public test::StoppableCli {};

TEST_F(ResumeCli, ASignalSavesTheRunAndSaysHowToGoOn) {
  ASSERT_EQ(run(train("whole")).code, 0);
  for (const int signal_number : {SIGINT, SIGTERM}) {
    const std::string out = signal_number == SIGINT ? "a" : "b";
    const Outcome found = stopped(out, signal_number);
    ASSERT_EQ(found.code, 128 + signal_number) << found.err;
    EXPECT_TRUE(has(found.err, "spikenm train --out " + out + " --resume")) << found.err;
    const Outcome resumed = run({"train", "--out", out, "--resume"});
    EXPECT_EQ(resumed.code, 0) << resumed.err;
    EXPECT_TRUE(has(resumed.err, "goes on in ")) << resumed.err;
    EXPECT_EQ(ending(out), ending("whole"));
  }
}

// The handler of the first signal gives all three their default back.
TEST_F(ResumeCli, ASecondSignalOfAnyKindStopsTheRunAtOnce) {
  for (const int second : {SIGINT, SIGTERM, SIGHUP}) {
    const std::string out = fmt::format("run{}", second);
    // A step of a second or more, so that the first signal is not yet obeyed when the second comes.
    const pid_t child = start(train(out, {"model.T=40", "model.width=24"}));
    EXPECT_TRUE(has_begun(out));
    ::kill(child, SIGINT);
    while (catches(child, SIGINT)) std::this_thread::sleep_for(100us);
    ::kill(child, second);
    const Outcome found = finish(child);
    EXPECT_EQ(found.code, -second) << found.err;
    EXPECT_FALSE(has(found.err, "--resume")) << found.err;
    EXPECT_EQ(run({"train", "--out", out, "--resume", "train.max_minutes=1e-6"}).code, 0);
  }
}

// Until the new run has an epoch or a checkpoint, the old one is worth more.
TEST_F(ResumeCli, ASignalSoonAfterForceLeavesTheOlderRunAndSaysSo) {
  ASSERT_EQ(run(train("a")).code, 0);
  const std::string before = ending("a");
  Arguments arguments = train("a", {"--force", "train.epochs=400", "data.train_size=2000"});
  std::erase(arguments, "checkpoints.every_minutes=1e-6");
  const pid_t child = start(arguments);
  wait_for_file(dir / "a" / RunDir::kNext / RunDir::kGraph);
  ::kill(child, SIGINT);
  const Outcome found = finish(child);
  EXPECT_EQ(found.code, 130) << found.err;
  EXPECT_TRUE(has(found.err, "nothing of this run is kept")) << found.err;
  EXPECT_TRUE(has(found.err, "the run that a held before is as it was")) << found.err;
  EXPECT_FALSE(fs::exists(dir / "a" / RunDir::kNext));
  EXPECT_EQ(ending("a"), before);
}

// Its search goes well; the rate of its finetune is one that no network stands.
TEST_F(ResumeCli, ARunThatDivergesKeepsItsLastGoodCheckpoint) {
  const Outcome found = run(train(
      "a", {"--quiet", "train.loss=mse", "train.schedule=constant", "train.finetune_lr=1e30"}));
  ASSERT_EQ(found.code, 3) << found.err;
  const auto sentence_of = [](const std::string& err) {
    const size_t at = err.find("spikenm: train: ");
    return at == std::string::npos ? "" : err.substr(at);
  };
  const std::string sentence = sentence_of(found.err);
  EXPECT_TRUE(has(sentence, "in finetune epoch 3 of 4, batch ") && has(sentence, "(step "))
      << found.err;
  SafetensorsInput(newest_checkpoint("a")).verify();
  EXPECT_FALSE(fs::exists(dir / "a" / RunDir::kResult));

  const Outcome again = run({"train", "--quiet", "--out", "a", "--resume"});
  EXPECT_EQ(again.code, 3) << again.err;
  EXPECT_TRUE(has(again.err, ": goes on ")) << again.err;
  EXPECT_EQ(sentence_of(again.err), sentence);
}

TEST_F(ResumeCli, ARunWhoseTimeIsUpIsUnfinishedAndGoesOn) {
  ASSERT_EQ(run(train("whole")).code, 0);
  const Outcome found = run(train("a", {"train.max_minutes=1e-6"}));
  ASSERT_EQ(found.code, 0) << found.err;
  EXPECT_TRUE(has(found.out, "a: unfinished")) << found.out;
  EXPECT_TRUE(has(found.err, "train.max_minutes")) << found.err;
  EXPECT_TRUE(has(found.err, "spikenm train --out a --resume")) << found.err;
  const Json result = Json::parse(read_file(dir / "a" / RunDir::kResult));
  EXPECT_EQ(result.at("unfinished"), "in search epoch 1 of 4, batch 2 of 9");
  EXPECT_FALSE(result.contains("test_accuracy"));
  EXPECT_TRUE(has(run({"table", "a", "whole"}).err, "a: the run is unfinished"));

  const Outcome resumed = run({"train", "--out", "a", "--resume", "train.max_minutes=0"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(ending("a"), ending("whole"));
}

TEST_F(ResumeCli, ARunStartsFromTheWeightsOfAnother) {
  ASSERT_EQ(run(train("a")).code, 0);
  const Outcome found = run(train("b", {"--from", "a", "method.pattern=1:4"}));
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_TRUE(has(found.err, "/a/model.safetensors")) << found.err;
  EXPECT_TRUE(has(read_file(dir / "b" / RunDir::kConfig), (dir / "a").string()));
  const Outcome again = run(train("b", {"--from", "a", "method.pattern=1:4", "--resume=auto"}));
  EXPECT_EQ(again.code, 0) << again.err;  // the same command, whose path is relative
  expect_failure(train("c", {"--from", "a", "model.width=5"}), 1,
                 {"train.from", "does not fit the network", "conv1.weight"});
  EXPECT_FALSE(fs::exists(dir / "c" / RunDir::kConfig));
}

TEST_F(ResumeCli, WhatCannotGoOnIsSaid) {
  expect_failure({"train", "--out", "none", "--resume"}, 1, {"none", "no run to go on with"});
  const Outcome fresh = run(train("a", {"--resume=auto"}));
  ASSERT_EQ(fresh.code, 0) << fresh.err;
  const Outcome again = run({"train", "--out", "a", "--resume"});
  EXPECT_EQ(again.code, 0);
  EXPECT_TRUE(has(again.out, "finished")) << again.out;

  ASSERT_EQ(stopped("b", SIGINT).code, 130);
  expect_failure({"train", "--out", "b", "--resume", "train.lr=0.5"}, 1,
                 {"train.lr", "found 0.5", "may differ in"});
  expect_failure({"train", "--out", "b", "--resume", "method.pattern=1:4"}, 1, {"method.pattern"});
  const Outcome same = run(train("b", {"--resume=auto", "threads=1", "data.workers=0"}));
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_EQ(ending("b"), ending("a"));
}

TEST_F(ResumeCli, AStopWhileTheModelIsMeasuredLosesNothing) {
  ASSERT_EQ(run(train("whole", {"checkpoints.every_minutes=0"})).code, 0);
  const pid_t child = start(train("it's", {"checkpoints.every_minutes=0", "data.test_size=4000"}));
  for (int i = 0; i < 600; ++i) {  // all epochs are there
    std::error_code error;
    if (fs::exists(dir / "it's" / RunDir::kMetrics, error)) {
      const std::string lines = read_file(dir / "it's" / RunDir::kMetrics);
      if (std::count(lines.begin(), lines.end(), '\n') == 4) break;
    }
    std::this_thread::sleep_for(5ms);
  }
  ::kill(child, SIGTERM);
  const Outcome found = finish(child);
  ASSERT_EQ(found.code, 143) << found.err;
  EXPECT_TRUE(has(found.err, "--out 'it'\\''s' --resume")) << found.err;
  const Outcome resumed = run({"train", "--out", "it's", "--resume"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_TRUE(has(resumed.err, "goes on after training")) << resumed.err;
  EXPECT_EQ(test::tensors_of(dir / "it's" / RunDir::kModel),
            test::tensors_of(dir / "whole" / RunDir::kModel));
}

TEST_F(ResumeCli, AUserSignalAsksForACheckpoint) {
  Arguments arguments = train("a");
  std::erase(arguments, "checkpoints.every_minutes=1e-6");
  arguments.emplace_back("train.epochs=400");
  const pid_t child = start(arguments);
  wait_for_file(dir / "a" / RunDir::kMetrics);
  EXPECT_FALSE(fs::exists(dir / "a" / RunDir::kCheckpoints));
  ::kill(child, SIGUSR1);
  EXPECT_TRUE(has_begun("a"));
  ::kill(child, SIGKILL);
  finish(child);
}

}  // namespace
}  // namespace spikenm
