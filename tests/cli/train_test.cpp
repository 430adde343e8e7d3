// What train and eval say of a run that went wrong, or that should be doubted.
#include "spikenm/core/json.h"
#include "support/cli.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace spikenm {
namespace {

namespace fs = std::filesystem;
using test::Arguments;
using test::Cli;
using test::has;
using test::Outcome;

class TrainCli : public Cli {
 protected:
  Outcome train(const Arguments& more) { return run(tiny({"train", "--out", "run"}, more)); }

  Json result() { return Json::parse(read_file(dir / "run/result.json")); }

  bool warns_of(const std::string& part) {
    const Json found = result();
    for (const Json& warning : found.at("warnings"))
      if (has(warning.get<std::string>(), part)) return true;
    return false;
  }
};

// Dense and wide enough for conv1, so that nothing else is said.
const Arguments kDense{"method.name=dense"};

TEST_F(TrainCli, DivergenceExitsWith3AndLeavesNeitherModelNorResult) {
  const Arguments broken{"method.name=dense", "train.lr=1e30", "train.loss=mse",
                         "train.schedule=constant"};
  expect_failure(tiny({"train", "--out", "run"}, broken), 3,
                 {"spikenm: train: the loss became", "epoch 1 of 2, batch 2 of 2", "train.lr"});
  for (const char* file : {"model.safetensors", "model_best_val.safetensors", "result.json"})
    EXPECT_FALSE(fs::exists(dir / "run" / file)) << file;
  EXPECT_TRUE(has(run({"--help"}).out, "3 training diverged"));
}

// The weights of the only step are not finite, and no loss comes after it to show that.
TEST_F(TrainCli, WeightsThatAreNotFiniteAreNeverSaved) {
  expect_failure(tiny({"train", "--out", "run"},
                      {"method.name=dense", "train.lr=1e30", "train.weight_decay=1e30",
                       "train.optimizer=sgd", "train.schedule=constant", "train.epochs=1",
                       "train.search_epochs=0", "train.batch_size=60", "data.val_fraction=0"}),
                 3, {"conv1.weight", "left the finite numbers", "finetune epoch 1 of 1"});
  EXPECT_FALSE(fs::exists(dir / "run/model.safetensors"));
}

TEST_F(TrainCli, AnAbsurdRateThatStaysFiniteIsWarnedOfAndItsModelIsEvaluated) {
  const Outcome found = train({"train.lr=1e6", "method.name=dense"});
  ASSERT_EQ(found.code, 0) << found.err;
  EXPECT_TRUE(warns_of("test loss")) << found.err;
  EXPECT_TRUE(warns_of("above 2.303")) << found.err;
  EXPECT_EQ(without_epochs(found.err), warnings_in("run"));
  const Outcome eval = run({"eval", "run"});
  EXPECT_EQ(eval.code, 0) << eval.err;
  EXPECT_TRUE(has(eval.err, "warning: test loss")) << eval.err;
}

TEST_F(TrainCli, ANetworkThatNeverFiresIsWarnedOfByName) {
  const Outcome found = train({"neuron.threshold=1e6", "method.name=dense"});
  ASSERT_EQ(found.code, 0) << found.err;
  EXPECT_EQ(result().at("firing_rate").at("mean"), 0);
  EXPECT_TRUE(warns_of("no neuron fires on the test split in ")) << found.err;
  EXPECT_EQ(without_epochs(found.err), warnings_in("run"));
}

TEST_F(TrainCli, ADegenerateControlIsWarnedOfOnTheTerminalAndInTheResult) {
  const Outcome found = train({"method.name=rewire", "method.every=100"});
  ASSERT_EQ(found.code, 0) << found.err;
  EXPECT_TRUE(warns_of("method.every: found 100, and the search has 2 steps")) << found.err;
  EXPECT_TRUE(warns_of("pattern 2:4 finds no whole block in conv1")) << found.err;
  EXPECT_EQ(without_epochs(found.err), warnings_in("run"));
}

TEST_F(TrainCli, BestOnValidationIsToldOnlyOfRunsThatHaveIt) {
  Outcome found = train(kDense);
  ASSERT_EQ(found.code, 0) << found.err;
  EXPECT_TRUE(has(found.out, "(best on validation ")) << found.out;
  EXPECT_TRUE(result().contains("test_accuracy_best_val"));
  found = train({"method.name=dense", "data.val_fraction=0", "--force"});
  ASSERT_EQ(found.code, 0) << found.err;
  EXPECT_FALSE(has(found.out, "validation")) << found.out;
  EXPECT_FALSE(result().contains("test_accuracy_best_val"));
  EXPECT_FALSE(fs::exists(dir / "run/model_best_val.safetensors"));
  const Outcome table = run({"table", "run"});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_FALSE(has(table.out, "best val")) << table.out;
}

// fc1 has most of the weights.
TEST_F(TrainCli, LayersLeftDenseCountInASecondWeightPercent) {
  Outcome found = train({"method.name=random", "method.pattern=1:4"});
  ASSERT_EQ(found.code, 0) << found.err;
  EXPECT_EQ(result().at("weight_pct_all"), result().at("weight_pct"));
  EXPECT_FALSE(has(found.out, "of all layers")) << found.out;
  found = train({"method.name=random", "method.pattern=1:4", "method.last_layer=dense", "--force"});
  ASSERT_EQ(found.code, 0) << found.err;
  EXPECT_LT(result().at("weight_pct").get<double>(), 50);
  EXPECT_GT(result().at("weight_pct_all").get<double>(), 50);
  EXPECT_TRUE(has(found.out, "% of all layers), conn ")) << found.out;
  EXPECT_TRUE(has(run({"eval", "run"}).out, "% of all layers)"));
  EXPECT_TRUE(has(run({"inspect", "run"}).out, "% of all layers)"));
}

TEST_F(TrainCli, RunningOutOfMemoryFailsAndSaysWhatToLower) {
  // The first layer's output alone is 6 GB, more than the process may have; mapped libraries do not
  // count.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_DATA, &before), 0);
  rlimit less = before;
  less.rlim_cur = rlim_t{4} << 30;
  ASSERT_EQ(::setrlimit(RLIMIT_DATA, &less), 0);
  const Outcome found = train({"method.name=dense", "model.T=1024", "model.width=64", "threads=1",
                               "data.workers=0", "data.val_fraction=0"});
  ASSERT_EQ(::setrlimit(RLIMIT_DATA, &before), 0);
  EXPECT_EQ(found.code, 1) << found.err;
  EXPECT_TRUE(has(found.err, "out of memory")) << found.err;
  EXPECT_TRUE(has(found.err, "train.batch_size")) << found.err;
}

// Waits until the run of that folder has an epoch.
void wait_for_epoch(const fs::path& folder) {
  for (int i = 0; i < 1000 && !fs::exists(folder / "metrics.jsonl"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

TEST_F(TrainCli, ASecondRunInTheSameFolderIsRefusedByName) {
  const pid_t child = start(tiny({"train", "--out", "run"}, {"train.epochs=100000"}), "first_");
  wait_for_epoch(dir / "run");
  const std::string named = fmt::format("spikenm: run: is the folder of process {} on ", child);
  for (const char* option : {"--force", "--take-over"})
    expect_failure(tiny({"train", "--out", "run", option}), 1,
                   {named, "which still runs", "--out"});
  ::kill(child, SIGTERM);
  EXPECT_EQ(finish(child, "first_").code, 143);
}

TEST_F(TrainCli, AKilledRunsFolderIsTakenOverAndSaid) {
  const pid_t child = start(tiny({"train", "--out", "run"}, {"train.epochs=100000"}));
  wait_for_epoch(dir / "run");
  ::kill(child, SIGKILL);
  finish(child);
  ASSERT_TRUE(fs::exists(dir / "run/.owner"));
  const Outcome found = train({"--force"});
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_TRUE(has(found.err, fmt::format("note: run: taken over from process {} on ", child)))
      << found.err;
  EXPECT_FALSE(fs::exists(dir / "run/.owner"));
}

TEST_F(TrainCli, AnotherHostsFolderNeedsTakeOver) {
  fs::create_directory(dir / "run");
  write_file_atomically(dir / "run/.owner",
                        "{\"host\":\"node7\",\"pid\":4711,\"since\":\"2026-11-16T14:15:30Z\","
                        "\"started\":1}\n");
  expect_failure(
      tiny({"train", "--out", "run"}), 1,
      {"run: is the folder of process 4711 on node7, since 2026-11-16T14:15:30Z", "--take-over"});
  const Outcome found = train({"--take-over"});
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_TRUE(has(found.err, "note: run: taken over from process 4711 on node7")) << found.err;
}

}  // namespace
}  // namespace spikenm
