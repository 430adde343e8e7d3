#include "spikenm/train/checkpointer.h"

#include "support/expect_error.h"
#include "support/stopped_run.h"
#include "support/watched_memory.h"

#include <ATen/ATen.h>

#include <chrono>
#include <new>
#include <thread>

namespace spikenm::train {
namespace {

using test::TinyRun, test::WatchedMemory;

// A run that has not begun, and its checkpoints.
struct Saved {
  explicit Saved(const CheckpointOptions& options = {})
      : run({"model.hidden=[512]"}), checkpointer(run.trainer, run.folder, options, {}) {}

  [[nodiscard]] int64_t state_bytes() {
    int64_t bytes = 0;
    for (const nn::NamedTensor& t : copy_state(test::state_of(run.trainer)).tensors)
      bytes += static_cast<int64_t>(t.tensor.nbytes());
    return bytes;
  }

  TinyRun run;
  Checkpointer checkpointer;
};

// Its memory is not in the order of its values, so that the thread that writes it makes a copy.
TensorFile turned_model() {
  return {.tensors = {{"w", at::ones({30, 50}).t()}}, .metadata = {}};
}

// What only happens on other threads than this one.
std::function<void()> elsewhere(const std::function<void()>& what) {
  return [what, here = std::this_thread::get_id()] {
    if (std::this_thread::get_id() != here) what();
  };
}

TEST(Checkpointer, HoldsOneCopyOfTheState) {
  Saved saved({.every_minutes = 0, .every_epochs = 1});
  const auto state = static_cast<double>(saved.state_bytes());
  const WatchedMemory memory;
  for (int i = 0; i < 3; ++i) saved.checkpointer.after_epoch();  // none waits for its file here
  saved.checkpointer.save_now();
  EXPECT_GE(static_cast<double>(memory.peak()), state);
  EXPECT_LT(static_cast<double>(memory.peak()), 1.02 * state);
}

TEST(Checkpointer, MemoryThatDoesNotSufficeIsOneSentence) {
  Saved saved;
  const WatchedMemory none([] { throw std::bad_alloc(); });
  EXPECT_ERROR(saved.checkpointer.save_now(), "checkpoints", "not enough memory for a copy",
               "checkpoints.every_minutes = 0");
}

TEST(Checkpointer, SoIsMemoryThatDoesNotSufficeToWrite) {
  Saved saved;
  const WatchedMemory none(elsewhere([] { throw std::bad_alloc(); }));
  saved.checkpointer.write_model("model", turned_model);
  EXPECT_ERROR(saved.checkpointer.finish(), "checkpoints", "not enough memory for a copy",
               "checkpoints.every_minutes = 0");
}

TEST(Checkpointer, CountsTheWaitsForTheFileBeforeAndForTheCopy) {
  Saved saved;
  const WatchedMemory slow(
      elsewhere([] { std::this_thread::sleep_for(std::chrono::milliseconds(200)); }));
  saved.checkpointer.write_model("model", turned_model);
  EXPECT_EQ(saved.checkpointer.waits().count, 1);
  EXPECT_LT(saved.checkpointer.waits().longest, 0.1);
  saved.checkpointer.write_model("model", turned_model);
  const CheckpointWaits& waits = saved.checkpointer.waits();
  EXPECT_EQ(waits.count, 2);
  EXPECT_EQ(waits.checkpoints, 0);
  EXPECT_GT(waits.longest, 0.1);
  EXPECT_GE(waits.longest, waits.longest_copy);
  EXPECT_GE(waits.seconds, waits.longest);
  EXPECT_EQ(waits.json().at("longest_copy"), waits.longest_copy);
  EXPECT_GT(waits.json().at("worst").at("file"), 0.1);
}

TEST(CheckpointWaits, SayWhatTheLongestOneWasFor) {
  CheckpointWaits waits{
      .checkpoints = 1, .rehearsals = 4, .slowest_step_beside = 8, .slowest_step_alone = 16};
  waits.add({.step = 3, .file = 0.25, .check = 0.5, .copy = 1});
  waits.add({.step = 8, .file = 0, .check = 0.25, .copy = 0.5});
  EXPECT_EQ(waits.json(),
            Json::parse(R"({"count": 2, "checkpoints": 1, "seconds": 2.5, "longest": 1.75,
      "longest_copy": 1.5, "worst": {"step": 3, "file": 0.25, "check": 0.5, "copy": 1.0},
      "rehearsals": 4.0, "slowest_step_beside": 8.0, "slowest_step_alone": 16.0})"));
}

// The first five steps of the phase are slow, and no file's fault.
TEST(Checkpointer, TellsTheSlowestStepBesideAFileFromTheSlowestAlone) {
  Saved saved({.every_minutes = 0, .every_epochs = 0});
  const auto step = [&](int milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    saved.checkpointer.between_steps();
  };
  const CheckpointWaits& waits = saved.checkpointer.waits();
  step(600);
  for (int i = 1; i < 5; ++i) step(0);
  EXPECT_EQ(waits.slowest_step_alone, 0);
  step(10);
  EXPECT_GE(waits.slowest_step_alone, 0.01);
  EXPECT_LT(waits.slowest_step_alone, 0.6);
  EXPECT_EQ(waits.slowest_step_beside, 0);

  const WatchedMemory slow(
      elsewhere([] { std::this_thread::sleep_for(std::chrono::milliseconds(200)); }));
  saved.checkpointer.write_model("model", turned_model);
  step(0);  // it began before the file
  const double alone = waits.slowest_step_alone;
  step(20);
  EXPECT_GE(waits.slowest_step_beside, 0.02);
  EXPECT_EQ(waits.slowest_step_alone, alone);
}

// A checkpoint that time asks for comes later instead.
TEST(Checkpointer, TimeDoesNotMakeTrainingWaitForTheFileBefore) {
  Saved saved({.every_minutes = 1e-9, .every_epochs = 0});
  const WatchedMemory slow(
      elsewhere([] { std::this_thread::sleep_for(std::chrono::milliseconds(200)); }));
  saved.checkpointer.write_model("model", turned_model);
  saved.checkpointer.between_steps();
  EXPECT_EQ(saved.checkpointer.waits().count, 1);
  saved.checkpointer.finish();
  saved.checkpointer.between_steps();
  EXPECT_EQ(saved.checkpointer.waits().count, 2);
  EXPECT_EQ(saved.checkpointer.waits().checkpoints, 1);
}

}  // namespace
}  // namespace spikenm::train
