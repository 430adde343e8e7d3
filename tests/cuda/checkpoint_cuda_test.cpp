// Checkpoints of a run on a GPU: how long training waits for them, and where the copy goes.
#include "spikenm/train/checkpointer.h"

#include "spikenm/ops/recording.h"
#include "support/gpu.h"
#include "support/stopped_run.h"
#include "support/tensors.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>

#include <memory>

namespace spikenm::train {
namespace {

using test::Overrides, test::state_of, test::TinyRun;

// A run whose trainer calls a checkpointer.
struct CheckpointedRun {
  CheckpointedRun(const Overrides& overrides, const CheckpointOptions& options)
      : run(overrides, {.between_steps = [this] { checkpointer->between_steps(); },
                        .after_epoch = [this] { checkpointer->after_epoch(); }}),
        checkpointer(
            std::make_unique<Checkpointer>(run.trainer, run.folder, options, CheckpointNote{})) {}

  TinyRun run;
  std::unique_ptr<Checkpointer> checkpointer;
};

// The memory that tensors may have on the GPU, beside what they had at most so far.
class LittleMemory {
 public:
  explicit LittleMemory(int64_t more) {
    size_t free = 0, total = 0;
    EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
    set(static_cast<double>(ops::peak_memory() + ops::recorded_memory() + more) /
        static_cast<double>(total));
  }
  ~LittleMemory() { set(1); }
  LittleMemory(const LittleMemory&) = delete;
  LittleMemory& operator=(const LittleMemory&) = delete;

 private:
  static void set(double share) {
    c10::cuda::CUDACachingAllocator::setMemoryFraction(share, c10::cuda::current_device());
  }
};

// 33 million weights in one layer: 0.4 GB of weights and moments in finetune, 0.4 GB more of logits
// in the search.
TEST(CheckpointsOnGpu, DelayNoStepByATenthOfASecondForTheCopy) {
  for (const char* method : {"method.name=random", "method.name=spikenm"}) {
    CheckpointedRun saved({"device=cuda", "model.hidden=[5760,5760]", "train.epochs=4",
                           "train.search_epochs=2", "data.train_size=600", method},
                          {.every_minutes = 0, .every_epochs = 1, .keep = 1});
    saved.run.trainer.train();
    saved.checkpointer->finish();
    const CheckpointWaits& waits = saved.checkpointer->waits();
    std::printf("%s: %s\n", method, waits.json().dump().c_str());
    EXPECT_EQ(waits.count, 4);
    EXPECT_LT(waits.longest_copy, 0.1) << method;
    EXPECT_GT(waits.rehearsals, 0);  // printed above: they delay a step too
  }
}

TEST(CheckpointsOnGpu, GoToTheCpuWhereTheGpuHasNoRoomBesideTraining) {
  ops::reset_peak_memory();
  const Overrides overrides{"device=cuda", "model.name=small_conv", "model.width=16"};
  TinyRun run(overrides);
  run.trainer.train();
  const auto all_are = [&](bool on_gpu) {
    const StateCopy copy = copy_state(state_of(run.trainer));
    const std::string hash = hash_state([&](nn::StateVisitor& visitor) {
      for (const nn::NamedTensor& t : copy.tensors) visitor.tensor(t.name, t.tensor);
    });
    bool any = false;
    for (const nn::NamedTensor& t : copy.tensors) any = any || t.tensor.is_cuda();
    EXPECT_EQ(any, on_gpu);
    return hash;
  };
  const std::string usual = all_are(true);
  const LittleMemory little(int64_t{8} << 20);
  EXPECT_EQ(all_are(false), usual);
}

// What the steps need is theirs, though a copy would fit when it is made.
TEST(CheckpointsOnGpu, LeaveTrainingItsMemory) {
  const Overrides overrides{"device=cuda",      "model.name=small_conv", "model.width=32",
                            "train.epochs=3",   "train.search_epochs=2", "method.name=spikenm",
                            "cuda_graphs=false"};
  ops::reset_peak_memory();
  TinyRun(overrides).trainer.train();
  // A second run takes new streams, and so new workspaces of cuBLAS, 32 MiB each.
  const LittleMemory little(int64_t{128} << 20);
  CheckpointedRun saved(overrides, {.every_minutes = 1e-9, .every_epochs = 0});
  saved.run.trainer.train();
  saved.checkpointer->save_now();
  TinyRun again(overrides);
  EXPECT_TRUE(
      load_newest_checkpoint(saved.run.folder.file(RunDir::kCheckpoints), state_of(again.trainer))
          .has_value());
  EXPECT_EQ(hash_state(state_of(again.trainer)), hash_state(state_of(saved.run.trainer)));
}

}  // namespace
}  // namespace spikenm::train
