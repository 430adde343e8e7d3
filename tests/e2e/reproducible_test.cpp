// A run is its config: the same bits again, and with any number of threads.
#include "spikenm/core/file.h"
#include "spikenm/core/parallel.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/core/safetensors.h"
#include "spikenm/train/experiment.h"
#include "support/machine_figures.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace spikenm::train {
namespace {

struct RunResult {
  SafetensorsFile model, best;
  Json result;
  std::vector<Json> metrics;
};

// Preset paper, so that draws, straight-through gradients and distillation all run.
RunResult run_once(const std::vector<std::string>& overrides) {
  const int threads_before = threads();
  Config config;
  for (const char* assignment :
       {"data.train_size=120", "data.test_size=40", "model.width=4", "model.T=4", "train.epochs=2",
        "train.search_epochs=1", "train.batch_size=20", "method.preset=paper", "train.lr=0.01"})
    config.override_with(assignment);
  for (const std::string& assignment : overrides) config.override_with(assignment);
  const test::TempDir dir;
  const std::filesystem::path out = dir / "run";
  const Json returned = run_experiment(config, {.out = out});
  set_threads(threads_before);
  RunResult found{.model = read_safetensors(out / RunDir::kModel),
                  .best = read_safetensors(out / RunDir::kBestModel),
                  .result = Json::parse(read_file(out / RunDir::kResult)),
                  .metrics = {}};
  EXPECT_EQ(found.result, returned);
  found.result.erase("phase_seconds");
  found.result.erase("checkpoint_waits");
  found.result.erase("tensorboard_seconds");
  found.result.erase("versions");
  std::istringstream lines(read_file(out / RunDir::kMetrics));
  for (std::string line; std::getline(lines, line);) {
    found.metrics.push_back(Json::parse(line));
    test::erase_machine_figures(found.metrics.back());
  }
  return found;
}

void expect_same_tensors(const SafetensorsFile& a, const SafetensorsFile& b) {
  ASSERT_EQ(a.tensors.size(), b.tensors.size());
  for (size_t i = 0; i < a.tensors.size(); ++i) {
    EXPECT_EQ(a.tensors[i].name, b.tensors[i].name);
    EXPECT_EQ(a.tensors[i].shape, b.tensors[i].shape);
    EXPECT_TRUE(a.tensors[i].bytes == b.tensors[i].bytes) << a.tensors[i].name;
  }
}

void expect_same_run(const RunResult& a, const RunResult& b) {
  expect_same_tensors(a.model, b.model);
  expect_same_tensors(a.best, b.best);
  EXPECT_EQ(a.result, b.result);
  EXPECT_EQ(a.metrics, b.metrics);
}

TEST(Reproducible, ARunGivesTheSameBitsAgainAndWithAnyNumberOfThreads) {
  const RunResult one = run_once({"threads=1"});
  ASSERT_GT(one.metrics.at(0).at("logit_grad_eid").get<double>(), 0);
  expect_same_run(one, run_once({"threads=1"}));
  expect_same_run(one, run_once({"threads=2"}));
  expect_same_run(one, run_once({"threads=5"}));
}

TEST(Reproducible, AnotherSeedIsAnotherRun) {
  const RunResult one = run_once({}), other = run_once({"seed=1"});
  ASSERT_EQ(one.model.tensors.size(), other.model.tensors.size());
  int same = 0;
  for (const char* name : {"conv2.weight", "conv2.mask", "fc1.weight", "fc1.mask"})
    same += one.model.find(name)->bytes == other.model.find(name)->bytes ? 1 : 0;
  EXPECT_EQ(same, 0);
  EXPECT_NE(one.metrics, other.metrics);
}

TEST(Reproducible, TheResultTellsWhatWasMeasured) {
  const Json result = run_once({}).result;
  EXPECT_EQ(result.at("method"), "spikenm");
  EXPECT_EQ(result.at("pattern"), "2:4");
  EXPECT_EQ(result.at("data"), "moving-shapes");
  EXPECT_EQ(result.at("simulated"), true);
  EXPECT_EQ(result.at("nm_valid"), true);
  EXPECT_EQ(result.at("empty_blocks"), 0);
  EXPECT_EQ(result.at("seed"), 0);
  EXPECT_NEAR(result.at("weight_pct").get<double>(), 43.75, 3);
  for (const char* key : {"test_accuracy", "test_accuracy_best_val", "test_loss", "conn_pct"})
    EXPECT_TRUE(result.at(key).is_number()) << key;
  EXPECT_GT(result.at("sops_m").get<double>(), 0);
  EXPECT_GT(result.at("firing_rate").at("mean").get<double>(), 0);
}

}  // namespace
}  // namespace spikenm::train
