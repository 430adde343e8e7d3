// From a trained run to a .snm file that gives the same answers.
#include "spikenm/deploy/exporter.h"

#include "spikenm/deploy/verify.h"
#include "spikenm/runtime/snm_file.h"
#include "spikenm/train/experiment.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>

namespace spikenm::deploy {
namespace {

struct Exported {
  runtime::StoredModel stored;
  Agreement agreement;
};

Exported export_tiny(const std::vector<std::string>& overrides, runtime::WeightType type) {
  const test::TempDir dir;
  Config config;
  for (const char* assignment :
       {"model.T=4", "data.train_size=200", "data.test_size=50", "train.epochs=2",
        "train.search_epochs=1", "train.batch_size=20", "train.lr=0.01", "method.name=random",
        "data.cache=off", "checkpoints.every_minutes=0"})
    config.override_with(assignment);
  for (const std::string& assignment : overrides) config.override_with(assignment);
  train::run_experiment(config, {.out = dir / "run", .display = {.bar = false, .lines = false}});

  train::LoadedModel trained = train::load_model(dir / "run");
  runtime::StoredModel stored = export_model(trained, type);
  add_history(dir / "run", stored);
  runtime::write_snm(dir / "m.snm", stored);
  const Agreement agreement = verify(trained, runtime::Model::load(dir / "m.snm"), 50);
  return {std::move(stored), agreement};
}

const std::vector<std::vector<std::string>> kRuns{
    {"model.name=mlp", "model.hidden=[32]"},
    {"model.name=small_conv", "model.width=4", "method.pattern=2:4"},
    {"model.name=small_conv", "model.width=4", "model.pool=max", "neuron.name=plif",
     "method.share=4"},
    {"model.name=small_conv", "model.width=8", "method.pattern=2:8", "method.share=4",
     "method.share_taps=true"},
    {"model.name=sew_resnet18", "model.width=4", "method.pattern=1:4"},
    {"model.name=mlp", "model.hidden=[32]", "method.pattern=2:8", "neuron.name=cuba-lif"},
};

TEST(Export, FloatsGiveTheTrainersLabels) {
  for (const auto& overrides : kRuns) {
    const Exported found = export_tiny(overrides, runtime::WeightType::kFloat);
    EXPECT_EQ(found.agreement.samples, 50);
    EXPECT_GE(found.agreement.equal_labels, 49);
    EXPECT_GT(found.agreement.spikes, 0);
    // A spike differs only where rounding decides it.
    EXPECT_LE(found.agreement.differing_spikes, found.agreement.spikes / 200);
    EXPECT_LE(found.agreement.farthest, Agreement::kFarthest);
  }
}

TEST(Export, MasksOfSharedTapsAreStoredOnce) {
  const runtime::StoredModel model = export_tiny(kRuns[3], runtime::WeightType::kInt8).stored;
  const graph::NodeId conv = *model.graph.find("conv2");
  EXPECT_TRUE(model.synapses.at(conv).rule->share_taps);
  const runtime::StoredModel apart = export_tiny(kRuns[1], runtime::WeightType::kInt8).stored;
  EXPECT_FALSE(apart.synapses.at(conv).rule->share_taps);
}

TEST(Export, RecordsWhereTheModelComesFrom) {
  const runtime::StoredModel model = export_tiny(kRuns[1], runtime::WeightType::kInt8).stored;
  EXPECT_TRUE(model.provenance.contains("test_accuracy"));
  EXPECT_EQ(model.provenance["seed"], 0);
  EXPECT_EQ(model.rates.size(), 3u);
  EXPECT_TRUE(model.input.events);
}

TEST(Export, Int8KeepsTheAccuracyOfASmallNetwork) {
  const Exported found = export_tiny(kRuns[1], runtime::WeightType::kInt8);
  EXPECT_GE(found.agreement.equal_labels, 40);
  EXPECT_EQ(found.stored.synapses.begin()->second.type, runtime::WeightType::kFloat);
  EXPECT_EQ(found.stored.synapses.rbegin()->second.type, runtime::WeightType::kInt8);
  EXPECT_TRUE(found.stored.synapses.rbegin()->second.rule.has_value());
}

}  // namespace
}  // namespace spikenm::deploy
