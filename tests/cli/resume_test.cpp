// Runs that are stopped, by whatever means, and go on: in the end they are the run that never was.
#include "spikenm/core/run_dir.h"
#include "support/cli.h"
#include "support/in_memory.h"
#include "support/run_ending.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <random>
#include <thread>

namespace spikenm {
namespace {

using test::Arguments, test::has, test::Outcome;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

// A checkpoint at almost every step, a mask that is held for several of them.
const Arguments kSettings{"train.epochs=4",        "train.search_epochs=2",
                          "data.train_size=100",   "train.batch_size=10",
                          "method.redraw_every=3", "checkpoints.every_minutes=1e-6"};

class ResumeCli : test::InMemory, public test::Cli {
 protected:
  Arguments train(const std::string& out, Arguments more = {}) {
    Arguments all = tiny({"train", "--out", out}, kSettings);
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  std::string ending(const std::string& out) { return test::ending_of(dir / out); }

  fs::path newest_checkpoint(const std::string& out) {
    fs::path newest;
    int64_t most = -1;
    for (const auto& entry : fs::directory_iterator(dir / out / RunDir::kCheckpoints)) {
      const int64_t step = std::stoll(entry.path().stem().string().substr(5));
      if (step > most) newest = entry.path();
      most = std::max(most, step);
    }
    return newest;
  }

  // Waits until the run has written a checkpoint.
  bool has_begun(const std::string& out) {
    for (int i = 0; i < 600; ++i) {
      std::error_code error;
      if (!fs::is_empty(dir / out / RunDir::kCheckpoints, error) && !error) return true;
      std::this_thread::sleep_for(20ms);
    }
    return false;
  }

  // Whether the process has a handler for the signal.
  static bool catches(pid_t process, int signal_number) {
    std::ifstream status(fmt::format("/proc/{}/status", process));
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("SigCgt:"))
        return (std::stoull(line.substr(7), nullptr, 16) >> (signal_number - 1) & 1U) != 0;
    return false;
  }

  // A run that a signal stops after its first checkpoint.
  Outcome stopped(const std::string& out, int signal_number) {
    const pid_t child = start(train(out));
    EXPECT_TRUE(has_begun(out));
    ::kill(child, signal_number);
    return finish(child);
  }
};

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
  for (int i = 0; i < 600 && !fs::exists(dir / "a" / RunDir::kNext / RunDir::kGraph); ++i)
    std::this_thread::sleep_for(20ms);
  ::kill(child, SIGINT);
  const Outcome found = finish(child);
  EXPECT_EQ(found.code, 130) << found.err;
  EXPECT_TRUE(has(found.err, "nothing of this run is kept")) << found.err;
  EXPECT_TRUE(has(found.err, "the run that a held before is as it was")) << found.err;
  EXPECT_FALSE(fs::exists(dir / "a" / RunDir::kNext));
  EXPECT_EQ(ending("a"), before);
}

// A mask that is held, credits that run from step to step, and gates with a target to steer to.
TEST_F(ResumeCli, ARunThatIsKilledAtAnyMomentEndsAsTheOneThatWasNot) {
  const std::vector<Arguments> methods{
      {},
      {"method.name=rewire", "method.every=3"},
      {"method.name=upr", "method.target_weight=0.5", "method.granularity=weight+neuron"}};
  const auto killed_run = [&](const std::string& out, size_t method) {
    Arguments arguments = train(out, {"--resume=auto"});
    if (method > 0) std::erase(arguments, "method.redraw_every=3");
    arguments.insert(arguments.end(), methods[method].begin(), methods[method].end());
    return arguments;
  };
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::string> whole;
  for (size_t method = 0; method < methods.size(); ++method) {
    const std::string out = fmt::format("whole{}", method);
    const Outcome found = run(killed_run(out, method));
    ASSERT_EQ(found.code, 0) << found.err;
    whole.push_back(ending(out));
  }
  const auto time = (std::chrono::steady_clock::now() - begin) / methods.size();
  const char* const asked = std::getenv("SPIKENM_KILLS");
  const int n_kills = asked == nullptr ? 20 : std::atoi(asked);
  std::mt19937 random(1);
  std::uniform_int_distribution<int64_t> delay(0, time / 1us);
  int killed = 0;
  size_t finished = 0;
  while (killed < n_kills || finished < methods.size()) {
    const std::string out = fmt::format("run{}", finished);
    const size_t method = finished % methods.size();
    const pid_t child = start(killed_run(out, method));
    if (killed < n_kills) {
      std::this_thread::sleep_for(std::chrono::microseconds(delay(random)));
      ::kill(child, SIGKILL);
    }
    const Outcome found = finish(child);
    ASSERT_TRUE(found.code == 0 || found.code == -SIGKILL) << found.code << " " << found.err;
    if (found.code == -SIGKILL) {
      ++killed;
      continue;
    }
    EXPECT_EQ(ending(out), whole[method]) << out << " after " << killed << " kills";
    ++finished;
  }
  std::printf("%d kills, %zu runs finished\n", killed, finished);
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

TEST_F(ResumeCli, ADamagedCheckpointIsLeftForTheOneBefore) {
  ASSERT_EQ(run(train("whole")).code, 0);
  ASSERT_EQ(stopped("a", SIGTERM).code, 143);
  const fs::path newest = newest_checkpoint("a");
  std::string bytes = read_file(newest, 1 << 30);
  bytes[bytes.size() - 100] ^= 1;
  write_file_atomically(newest, bytes);
  const Outcome resumed = run({"train", "--out", "a", "--resume"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_TRUE(has(resumed.err, newest.filename().string())) << resumed.err;
  EXPECT_TRUE(has(resumed.err, "the checkpoint before it")) << resumed.err;
  EXPECT_EQ(ending("a"), ending("whole"));
}

// It would be missed only after the whole training.
TEST_F(ResumeCli, ADamagedBestModelIsNamedBeforeTrainingGoesOn) {
  const fs::path best = dir / "a" / RunDir::kBestModel;
  const pid_t child = start(train("a"));
  for (int i = 0; i < 600 && !fs::exists(best); ++i) std::this_thread::sleep_for(20ms);
  ::kill(child, SIGTERM);
  ASSERT_EQ(finish(child).code, 143);
  std::string bytes = read_file(best, 1 << 30);
  bytes[bytes.size() - 100] ^= 1;
  write_file_atomically(best, bytes);
  const Outcome resumed = run({"train", "--out", "a", "--resume"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_TRUE(has(resumed.err, "model_best_val.safetensors")) << resumed.err;
  EXPECT_TRUE(has(resumed.err, "is sought among those to come")) << resumed.err;
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

TEST_F(ResumeCli, WhenNoCheckpointCanBeReadItSaysWhatToDo) {
  ASSERT_EQ(stopped("a", SIGTERM).code, 143);
  for (const auto& entry : fs::directory_iterator(dir / "a" / RunDir::kCheckpoints))
    write_file_atomically(entry.path(), "damaged");
  const Outcome found = run({"train", "--out", "a", "--resume"});
  EXPECT_EQ(found.code, 1);
  EXPECT_TRUE(has(found.err, "no checkpoint of the run can be read")) << found.err;
  EXPECT_TRUE(has(found.err, "--force starts it anew")) << found.err;
  EXPECT_EQ(run(train("a", {"--force"})).code, 0);
}

TEST_F(ResumeCli, MetricsThatAreDamagedAreNamed) {
  const pid_t child = start(train("a", {"train.epochs=400"}));
  std::error_code error;
  for (int i = 0; i < 600 && !fs::exists(dir / "a" / RunDir::kMetrics, error); ++i)
    std::this_thread::sleep_for(20ms);
  ::kill(child, SIGTERM);
  ASSERT_EQ(finish(child).code, 143);
  const fs::path metrics = dir / "a" / RunDir::kMetrics;
  std::string text = read_file(metrics);
  text.replace(text.find("\"epoch\":1"), 9, "\"epoch\":7");
  write_file_atomically(metrics, text);
  expect_failure({"train", "--out", "a", "--resume"}, 1,
                 {"a/metrics.jsonl:1: found a line that is not the metrics of epoch 1"});
  EXPECT_EQ(read_file(metrics), text);
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

TEST_F(ResumeCli, FilesOfTheRunThatWereEditedAreNamed) {
  ASSERT_EQ(stopped("a", SIGTERM).code, 143);
  const std::string config = read_file(dir / "a/config.toml"),
                    graph = read_file(dir / "a/graph.toml");
  const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
  };
  write_file_atomically(dir / "a/config.toml", replaced(config, "\nlr = 0.001", "\nlr = 0.01"));
  const Outcome found = run({"train", "--out", "a", "--resume"});
  EXPECT_EQ(found.code, 1);
  EXPECT_TRUE(has(found.err, "train.lr: found 0.01") && has(found.err, "made with 0.001"))
      << found.err;
  write_file_atomically(dir / "a/config.toml", config);
  fs::remove(dir / "a/graph.toml");
  expect_failure({"train", "--out", "a", "--resume"}, 1, {"graph.toml", "--force"});
  write_file_atomically(dir / "a/graph.toml", graph);
  EXPECT_EQ(run({"train", "--out", "a", "--resume"}).code, 0);
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
  for (int i = 0; i < 600 && !fs::exists(dir / "a" / RunDir::kMetrics); ++i)
    std::this_thread::sleep_for(20ms);
  EXPECT_FALSE(fs::exists(dir / "a" / RunDir::kCheckpoints));
  ::kill(child, SIGUSR1);
  EXPECT_TRUE(has_begun("a"));
  ::kill(child, SIGKILL);
  finish(child);
}

}  // namespace
}  // namespace spikenm
