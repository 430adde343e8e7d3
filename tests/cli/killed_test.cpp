// Runs that are killed, or whose files are damaged, and what becomes of them.
#include "support/stoppable_cli.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <random>
#include <thread>

namespace spikenm {
namespace {

using test::Arguments, test::has, test::Outcome;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

class KilledCli : public test::StoppableCli {};

// A mask that is held, credits that run from step to step, and gates with a target to steer to.
TEST_F(KilledCli, ARunThatIsKilledAtAnyMomentEndsAsTheOneThatWasNot) {
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

TEST_F(KilledCli, ADamagedCheckpointIsLeftForTheOneBefore) {
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

// It would be missed only after the whole training. There are epochs enough for the signal to come
// before the last of them.
TEST_F(KilledCli, ADamagedBestModelIsNamedBeforeTrainingGoesOn) {
  const fs::path best = dir / "a" / RunDir::kBestModel;
  const pid_t child = start(train("a", {"train.epochs=60"}));
  wait_for_file(best);
  ::kill(child, SIGTERM);
  ASSERT_EQ(finish(child).code, 143);
  std::string bytes = read_file(best, 1 << 30);
  bytes[bytes.size() - 100] ^= 1;
  write_file_atomically(best, bytes);

  const Outcome first_step = run({"train", "--out", "a", "--resume", "train.max_minutes=1e-6"});
  EXPECT_EQ(first_step.code, 0) << first_step.err;
  const size_t warned = first_step.err.find("model_best_val.safetensors");
  EXPECT_LT(warned, first_step.err.find("train.max_minutes: ")) << first_step.err;
  EXPECT_TRUE(has(first_step.err, "is sought among those to come")) << first_step.err;
  EXPECT_TRUE(has(first_step.out, "a: unfinished")) << first_step.out;

  const Outcome rest = run({"train", "--out", "a", "--resume", "train.max_minutes=0"});
  EXPECT_EQ(rest.code, 0) << rest.err;
  SafetensorsInput(best).verify();
}

TEST_F(KilledCli, WhenNoCheckpointCanBeReadItSaysWhatToDo) {
  ASSERT_EQ(stopped("a", SIGTERM).code, 143);
  for (const auto& entry : fs::directory_iterator(dir / "a" / RunDir::kCheckpoints))
    write_file_atomically(entry.path(), "damaged");
  const Outcome found = run({"train", "--out", "a", "--resume"});
  EXPECT_EQ(found.code, 1);
  EXPECT_TRUE(has(found.err, "no checkpoint of the run can be read")) << found.err;
  EXPECT_TRUE(has(found.err, "--force starts it anew")) << found.err;
  EXPECT_EQ(run(train("a", {"--force"})).code, 0);
}

TEST_F(KilledCli, MetricsThatAreDamagedAreNamed) {
  const pid_t child = start(train("a", {"train.epochs=400"}));
  wait_for_file(dir / "a" / RunDir::kMetrics);
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

TEST_F(KilledCli, FilesOfTheRunThatWereEditedAreNamed) {
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

}  // namespace
}  // namespace spikenm
