// A whole training run in which one call on its folder goes wrong: every call, in every way. Then the
// same command goes on, and the run ends as if nothing had happened.
#include "faults/faulty_folder.h"
#include "support/run_ending.h"

namespace spikenm::faults {
namespace {

std::vector<std::string> command(const fs::path& folder, const std::string& how,
                                 const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{SPIKENM_PROGRAM,
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
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// A checkpoint is in its place.
bool has_checkpoint(const fs::path& run) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(run / RunDir::kCheckpoints, error))
    if (entry.path().extension() == ".safetensors") return true;
  return false;
}

class TrainFaults : public FaultyFolder {
 protected:
  TrainFaults() {
    const FaultyEnd end = trainer.run();
    EXPECT_EQ(end.code, 0) << end.err;
    whole = test::ending_of(folder);
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

  // The run goes on from its checkpoint if it has one, and ends as the one without a fault.
  void expect_going_on(const FaultyEnd& end) { expect_going_on(end, trainer, whole); }
  void expect_going_on(const FaultyEnd& end, const FaultServer& server, const std::string& ending) {
    const bool is_finished = fs::exists(folder / RunDir::kResult);
    if (end.code != 0) {
      const bool goes_on = has_checkpoint(folder) && !is_finished;
      const FaultyEnd again = server.run();
      EXPECT_EQ(again.code, 0) << again.err;
      EXPECT_EQ(again.err.find(": goes on ") != std::string::npos, goes_on) << again.err;
    }
    ASSERT_TRUE(fs::exists(folder / RunDir::kResult));
    EXPECT_EQ(test::ending_of(folder), ending);
    EXPECT_TRUE(parts_in(folder).empty()) << parts_in(folder).front();
    // Nothing is changed in the folder of a run that was killed after it had finished.
    EXPECT_TRUE(is_finished || !fs::exists(folder / ".owner"));
  }

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

// A power cut keeps what was synced. An epoch is one write of each file, and has one checkpoint.
TEST_F(TrainFaults, MetricsAndCurvesAreOnTheDiskBeforeTheCheckpointThatFollowsThem) {
  put({});
  const FaultyEnd end = trainer.run({.call = "open", .kind = "kill", .at = 1 << 20});
  for (const char* file : {"/metrics.jsonl", "/tensorboard/events."}) {
    int written = 0, on_disk = 0, checkpoints = 0;
    for (const auto& [call, path] : end.calls) {
      const bool is_file = path.find(file) != std::string::npos;
      if (call == "write" && is_file) ++written;
      if (call == "fsync" && is_file) on_disk = written;
      if (call != "rename" || path.find("/checkpoints/step-") == std::string::npos) continue;
      EXPECT_GE(on_disk, ++checkpoints) << file;
    }
    EXPECT_EQ(checkpoints, 3) << file;
  }
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

// It is no reason to seek another: the one that is there may be the best.
TEST_F(TrainFaults, ABestModelThatCannotBeOpenedEndsTheRunThatGoesOn) {
  const fs::path stopped = stopped_run();
  put(stopped);
  ASSERT_TRUE(fs::exists(folder / RunDir::kBestModel));
  const FaultyEnd usual = trainer.run();
  int opens = 0;
  for (const auto& [call, path] : usual.calls) {
    opens += call == "open" ? 1 : 0;
    if (call == "open" && path.ends_with(RunDir::kBestModel)) break;
  }
  put(stopped);
  const Fault fault{.call = "open", .kind = "EACCES", .at = opens};
  const FaultyEnd end = trainer.run(fault);
  EXPECT_EQ(end.code, 1) << end.err;
  check_end(fault, end);
  expect_going_on(end);
}

// How many checkpoints come, and when, depends on the time that writing takes: a fault may not come.
TEST_F(TrainFaults, ARunThatSavesWithinEpochsAndStopsEarlyEndsAsOneWithoutThem) {
  const FaultServer saver(
      command(folder, "--resume=auto",
              {"checkpoints.every_minutes=1e-6", "data.train_size=30", "train.epochs=5",
               "train.stop_early.patience=1", "train.stop_early.min_delta=100"}),
      folder);
  put({});
  ASSERT_EQ(saver.run().code, 0);
  const std::string ending = test::ending_of(folder);
  ASSERT_NE(ending.find("stopped_early"), std::string::npos);
  for_each_fault(saver, {}, 48, [&](const Fault& fault, const FaultyEnd& end) {
    check_end(fault, end, /*always_comes=*/false);
    expect_going_on(end, saver, ending);
  });
}

TEST_F(TrainFaults, ARunWhoseTimeIsUpGoesOnAsOneWithoutThem) {
  const FaultServer limited(command(folder, "--resume=auto", {"train.max_minutes=1e-6"}), folder),
      rest(command(folder, "--resume=auto", {"train.max_minutes=0"}), folder);
  for_each_fault(limited, {}, 24, [&](const Fault& fault, const FaultyEnd& end) {
    check_end(fault, end);
    if (end.code == 0) {
      EXPECT_NE(read_file(folder / RunDir::kResult).find("unfinished"), std::string::npos);
    }
    EXPECT_EQ(rest.run().code, 0);
    EXPECT_EQ(test::ending_of(folder), whole);
    EXPECT_TRUE(parts_in(folder).empty()) << parts_in(folder).front();
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
