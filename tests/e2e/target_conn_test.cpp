// Weight and neuron pruning together, from config to result: the target connectivity is met, and
// what is silenced stays silent.
#include "spikenm/core/file.h"
#include "spikenm/core/parallel.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/core/safetensors.h"
#include "spikenm/train/experiment.h"
#include "spikenm/train/measure.h"
#include "spikenm/train/model_file.h"
#include "support/expect_error.h"
#include "support/method_targets.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

namespace spikenm::train {
namespace {

// Few, small steps: 2 x 24 of them in search. All but 4 % of the connections can be pruned.
Config small_config(const std::vector<std::string>& overrides) {
  Config config;
  for (const char* assignment :
       {"model.name=vgg", "model.layers=4 8 A 8 8 A 8 A", "model.T=2", "data.train_size=200",
        "data.test_size=40", "train.epochs=3", "train.search_epochs=2", "train.batch_size=15",
        "train.lr=0.01", "method.axis=flat", "method.granularity=weight+neuron"})
    config.override_with(assignment);
  for (const std::string& assignment : overrides) config.override_with(assignment);
  return config;
}

std::vector<Json> metrics_of(const std::filesystem::path& run) {
  std::vector<Json> lines;
  std::istringstream text(read_file(run / RunDir::kMetrics));
  for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line));
  return lines;
}

TEST(TargetConn, IsMetByEveryMethodOnASmallNetwork) {
  for (const char* method : {"spikenm", "random", "gradual"})
    for (const double target : {0.1, 0.3}) {
      const test::TempDir dir;
      const Json result =
          run_experiment(small_config({std::string("method.name=") + method, "method.pattern=2:4",
                                       fmt::format("method.target_conn={}", target)}),
                         {.out = dir / "run"});
      EXPECT_NEAR(result.at("conn_pct").get<double>() / (100 * target), 1, 0.1)
          << method << " " << target;
      EXPECT_EQ(result.at("target_conn"), target);
      EXPECT_TRUE(result.at("neuron_threshold").is_number());
      EXPECT_LT(result.at("neuron_pct").get<double>(), 100);
      const auto lines = metrics_of(dir / "run");
      ASSERT_EQ(lines.size(), 3u);
      for (size_t i = 0; i < 2; ++i) {
        EXPECT_TRUE(lines[i].at("lambda_neuron").is_number());
        EXPECT_TRUE(lines[i].at("conn_pct").is_number());
      }
    }
}

// The threshold on m moves to where the target is met, as near as a neuron more or less allows. Methods of
// channels mask neurons themselves.
TEST(TargetConn, IsMetWithinTwoPercentOnSmallConv) {
  for (const std::string& name : sparsity::methods().names())
    for (const double target : {0.3, 0.45}) {
      if (name == "nsl" || name == "sca") continue;
      const test::TempDir dir;
      Config config;
      for (const char* assignment :
           {"model.name=small_conv", "model.width=8", "model.T=2", "data.train_size=100",
            "data.test_size=20", "train.epochs=3", "train.search_epochs=2", "train.batch_size=10",
            "train.lr=0.01", "method.granularity=weight+neuron"})
        config.override_with(assignment);
      config.override_with("method.name=" + name);
      for (const std::string& assignment : test::asks_for_weights(name, 0.5))
        config.override_with(assignment);
      config.override_with(fmt::format("method.target_conn={}", target));
      const Json result = run_experiment(config, {.out = dir / "run"});
      EXPECT_NEAR(result.at("conn_pct").get<double>() / (100 * target), 1, 0.02)
          << name << " " << target;
    }
}

// The search itself gets there: with time enough the threshold needs no help.
TEST(TargetConn, IsFoundByTheSearchGivenTime) {
  const test::TempDir dir;
  const Json result = run_experiment(small_config({"method.name=random", "method.target_conn=0.15",
                                                   "train.epochs=9", "train.search_epochs=8"}),
                                     {.out = dir / "run"});
  const auto lines = metrics_of(dir / "run");
  EXPECT_NEAR(lines[5].at("conn_pct").get<double>(), 15, 1.5);  // three quarters through
  EXPECT_NEAR(result.at("conn_pct").get<double>(), 15, 0.3);
  EXPECT_LT(std::abs(result.at("neuron_threshold").get<double>()), 0.01);
}

TEST(TargetConn, IsTheSameRunWithAnyNumberOfThreads) {
  std::vector<std::string> runs;
  const int before = threads();
  for (const char* threads : {"threads=1", "threads=2", "threads=5"}) {
    const test::TempDir dir;
    run_experiment(small_config({"method.target_conn=0.2", threads}), {.out = dir / "run"});
    const SafetensorsFile model = read_safetensors(dir / "run" / RunDir::kModel);
    std::string& bytes = runs.emplace_back();
    for (const StoredTensor& t : model.tensors) bytes.append(t.bytes.begin(), t.bytes.end());
  }
  set_threads(before);
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_EQ(runs[0], runs[2]);
}

// With the penalty fixed; the saved model evaluates to the same.
TEST(TargetConn, ANeuronPrunedModelComesBackFromItsFile) {
  const test::TempDir dir;
  const Json result = run_experiment(
      small_config({"method.name=magnitude", "method.lambda_neuron=1e-7"}), {.out = dir / "run"});
  LoadedModel loaded = load_model(dir / "run");
  ASSERT_EQ(loaded.masks.neurons.size(), 4u);
  const Json again = measure(loaded.recipe, loaded.masks);
  for (const char* key : {"test_accuracy", "conn_pct", "neuron_pct", "sops_m"})
    EXPECT_EQ(again.at(key), result.at(key)) << key;
  EXPECT_LT(again.at("neuron_pct").get<double>(), 100);
}

TEST(TargetConn, WhatCannotWorkIsRefusedBeforeTraining) {
  EXPECT_ERROR(read_recipe(small_config({"method.target_conn=0.9"})), "method.target_conn", "0.9",
               "to 0.");
  EXPECT_ERROR(read_recipe(small_config({"train.search_epochs=0"})), "train.search_epochs",
               "no neuron would be kept");
  EXPECT_ERROR(read_recipe(small_config({"train.phases=[\"prune\", \"finetune\"]"})),
               "train.phases", "no neuron would be kept");
  EXPECT_ERROR(read_recipe(small_config({"method.name=dense", "train.phases=[\"search\"]"})),
               "train.phases", "prune");
  EXPECT_ERROR(read_recipe(small_config({"model.name=mlp", "model.layers=1"})), "no neurons");
}

}  // namespace
}  // namespace spikenm::train
