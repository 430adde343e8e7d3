// A whole training run in which one call on its folder goes wrong: every call, in every way. Then the
// same command goes on, and the run ends as if nothing had happened. SPIKENM_FAULTS=all tries every
// call; otherwise it is a share of them.
#include "support/faults.h"
#include "support/run_ending.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <map>

namespace spikenm::faults {
namespace {

namespace fs = std::filesystem;
using test::Fault;
using test::FaultServer;
using test::FaultyEnd;

const std::vector<std::string> kCalls{"open", "write", "fsync", "rename", "mkdir", "truncate"};
const std::vector<const char*> kKinds{"kill",   "torn", "ENOSPC", "EIO",
                                      "EACCES", "full", "EINTR",  "short"};
const std::map<std::string, std::string> kReasons{{"ENOSPC", "No space left on device"},
                                                  {"EIO", "Input/output error"},
                                                  {"EACCES", "Permission denied"},
                                                  {"full", "No space left on device"}};

std::vector<std::string> command(const fs::path& folder, const std::string& how) {
  return {SPIKENM_PROGRAM,
          "train",
          "--quiet",
          "--out",
          folder.string(),
          how,
          "data.train_size=20",
          "data.test_size=10",
          "model.name=mlp",
          "model.hidden=[8]",
          "model.T=2",
          "train.epochs=3",
          "train.search_epochs=1",
          "train.batch_size=10",
          "method.name=spikenm",
          "checkpoints.every_minutes=0",
          "checkpoints.every_epochs=1",
          "data.workers=0",
          "threads=1"};
}

bool tries_all() {
  const char* const asked = std::getenv("SPIKENM_FAULTS");
  return asked != nullptr && std::string(asked) == "all";
}

// A checkpoint is in its place.
bool has_checkpoint(const fs::path& run) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(run / RunDir::kCheckpoints, error))
    if (entry.path().extension() == ".safetensors") return true;
  return false;
}

std::vector<fs::path> parts_in(const fs::path& folder) {
  std::vector<fs::path> parts;
  std::error_code error;  // there may be no folder
  for (const auto& entry : fs::recursive_directory_iterator(folder, error))
    if (entry.path().filename().string().find(".part") != std::string::npos)
      parts.push_back(entry.path());
  return parts;
}

class TrainFaults : public testing::Test {
 protected:
  TrainFaults() {
    const FaultyEnd end = trainer.run();
    EXPECT_EQ(end.code, 0) << end.err;
    whole = test::ending_of(folder);
  }

  void put(const fs::path& content) {
    fs::remove_all(folder);
    if (!content.empty()) fs::copy(content, folder, fs::copy_options::recursive);
  }

  // A run that was killed between its second and its third checkpoint.
  fs::path stopped_run() {
    put({});
    const FaultyEnd end = trainer.run({.call = "open", .kind = "kill", .at = 1 << 20});
    EXPECT_EQ(end.code, 0) << "there are fewer calls than that";
    const auto& calls = end.calls;
    int renames = 0, at = 0;
    for (const test::FileCall& each : calls) {
      if (each.call != "rename") continue;
      ++renames;
      if (each.path.find("/checkpoints/step-") != std::string::npos) at = renames;
    }
    put({});
    EXPECT_EQ(trainer.run({.call = "rename", .kind = "kill", .at = at}).code, -SIGKILL);
    EXPECT_TRUE(has_checkpoint(folder));
    fs::rename(folder, dir / "stopped");
    return dir / "stopped";
  }

  // The one sentence on standard error that is not there in a run without a fault.
  void expect_sentence(const FaultyEnd& end, const std::string& reason) {
    std::istringstream lines(end.err);
    std::vector<std::string> sentences;
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("spikenm: ")) sentences.push_back(line);
    ASSERT_EQ(sentences.size(), 1u) << end.err;
    EXPECT_TRUE(end.err.ends_with(sentences[0] + "\n")) << end.err;
    EXPECT_NE(sentences[0].find(reason), std::string::npos) << end.err;
    EXPECT_NE(sentences[0].find(folder.string()), std::string::npos) << end.err;
  }

  void check_end(const Fault& fault, const FaultyEnd& end) {
    if (fault.kind == "term") {
      // Before the program listens to signals it dies; behind the last step it ends normally.
      EXPECT_TRUE(end.code == 128 + SIGTERM || end.code == -SIGTERM || end.code == 0) << end.err;
    } else if (fault.kind == "kill" || fault.kind == "torn") {
      EXPECT_EQ(end.code, -SIGKILL) << end.err;
    } else if (fault.kind == "EINTR" || fault.kind == "short") {
      EXPECT_EQ(end.code, 0) << end.err;
    } else if (end.code != 0) {  // what is not needed may fail, as the syncing of a folder
      EXPECT_EQ(end.code, 1) << end.err;
      expect_sentence(end, kReasons.at(fault.kind));
    }
  }

  // The run goes on from its checkpoint if it has one, and ends as the one without a fault.
  void expect_going_on(const FaultyEnd& end) {
    const bool is_finished = fs::exists(folder / RunDir::kResult);
    if (end.code != 0) {
      const bool goes_on = has_checkpoint(folder) && !is_finished;
      const FaultyEnd again = trainer.run();
      EXPECT_EQ(again.code, 0) << again.err;
      EXPECT_EQ(again.err.find(": goes on ") != std::string::npos, goes_on) << again.err;
    }
    ASSERT_TRUE(fs::exists(folder / RunDir::kResult));
    EXPECT_EQ(test::ending_of(folder), whole);
    EXPECT_TRUE(parts_in(folder).empty()) << parts_in(folder).front();
    // Nothing is changed in the folder of a run that was killed after it had finished.
    EXPECT_TRUE(is_finished || !fs::exists(folder / ".owner"));
  }

  // Every fault, or a share of them, in a run of `server` that finds `content` in its folder.
  template <class Check>
  void for_each_fault(const FaultServer& server, const fs::path& content, size_t share, Check check,
                      const std::vector<const char*>& kinds = kKinds) {
    put(content);
    const std::vector<test::FileCall> calls = server.run().calls;
    size_t n_faults = 0, n_tried = 0;
    for (const char* kind : kinds)
      for (const bool lasts : {false, true})
        for (const std::string& call : kCalls)
          for (int n = 1; n <= count_of(calls, call); ++n) {
            const Fault fault{.call = call, .kind = kind, .at = n, .lasts = lasts};
            if (!makes_sense(fault)) continue;
            if (n_faults++ % share != 0 && !tries_all()) continue;
            ++n_tried;
            SCOPED_TRACE(fault.text());
            put(content);
            check(fault, server.run(fault));
            if (HasFatalFailure() || (HasFailure() && !tries_all())) return;
          }
    RecordProperty("faults", static_cast<int>(n_tried));
    std::printf("%zu of %zu faults\n", n_tried, n_faults);
  }

  static bool makes_sense(const Fault& fault) {
    const bool of_writes = fault.kind == "torn" || fault.kind == "full" || fault.kind == "short";
    const bool can_last = kReasons.contains(fault.kind) && fault.kind != "full";
    return (!of_writes || fault.call == "write") && (can_last || !fault.lasts);
  }

  const test::InMemory in_memory;
  const test::TempDir dir;
  const fs::path folder = dir / "run";
  const FaultServer trainer{command(folder, "--resume=auto"), folder};
  std::string whole;  // how a run ends without a fault
};

TEST_F(TrainFaults, ANewRunEndsAsOneWithoutThem) {
  for_each_fault(trainer, {}, 12, [&](const Fault& fault, const FaultyEnd& end) {
    check_end(fault, end);
    if (end.code == 1) {
      EXPECT_TRUE(parts_in(folder).empty()) << parts_in(folder).front();
    }
    expect_going_on(end);
  });
}

TEST_F(TrainFaults, ASignalAtAnyCallLosesNothing) {
  for_each_fault(trainer, {}, 3,
                 [&](const Fault& fault, const FaultyEnd& end) {
                   check_end(fault, end);
                   EXPECT_EQ(end.err.find(".owner"), std::string::npos) << end.err;
                   expect_going_on(end);
                 },
                 {"term"});
}

TEST_F(TrainFaults, ARunThatGoesOnEndsAsOneWithoutThem) {
  const fs::path stopped = stopped_run();
  for_each_fault(trainer, stopped, 12, [&](const Fault& fault, const FaultyEnd& end) {
    check_end(fault, end);
    EXPECT_TRUE(has_checkpoint(folder));
    EXPECT_TRUE(end.code != 0 || end.err.find(": goes on ") != std::string::npos) << end.err;
    expect_going_on(end);
  });
}

// Until the new run has something to keep, the old one stays as it was.
TEST_F(TrainFaults, ARunThatReplacesAnotherLeavesOneOfThem) {
  const FaultServer replacer(command(folder, "--force"), folder);
  std::vector<std::string> other = command(folder, "--resume=auto");
  other.emplace_back("seed=7");
  const FaultServer trainer_of_old(other, folder);
  put({});
  ASSERT_EQ(trainer_of_old.run().code, 0);
  const std::string old = test::ending_of(folder);
  fs::rename(folder, dir / "old");

  for_each_fault(replacer, dir / "old", 24, [&](const Fault& fault, const FaultyEnd& end) {
    check_end(fault, end);
    if (read_file(folder / RunDir::kConfig).find("\nseed = 7\n") == std::string::npos)
      return expect_going_on(end);
    // The new config comes last: until then the folder is the old run's, whole or to be trained.
    EXPECT_EQ(trainer_of_old.run().code, 0);
    EXPECT_EQ(test::ending_of(folder), old);
  });
}

}  // namespace
}  // namespace spikenm::faults
