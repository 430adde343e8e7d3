// From a trained run to a .snm file that gives the same answers.
#include "spikenm/deploy/exporter.h"

#include "spikenm/core/crc32c.h"
#include "spikenm/core/safetensors.h"
#include "spikenm/deploy/verify.h"
#include "spikenm/runtime/snm_file.h"
#include "spikenm/train/commit.h"
#include "spikenm/train/experiment.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>

namespace spikenm::deploy {
namespace {

struct Exported {
  runtime::StoredModel stored;
  Agreement agreement;
};

void train_tiny(const std::vector<std::string>& overrides, const std::filesystem::path& out) {
  Config config;
  for (const char* assignment :
       {"model.T=4", "data.train_size=200", "data.test_size=50", "train.epochs=2",
        "train.search_epochs=1", "train.batch_size=20", "train.lr=0.01", "method.name=random",
        "data.cache=off", "checkpoints.every_minutes=0"})
    config.override_with(assignment);
  for (const std::string& assignment : overrides) config.override_with(assignment);
  train::run_experiment(config, {.out = out, .display = {.bar = false, .lines = false}});
}

Exported export_tiny(const std::vector<std::string>& overrides, runtime::WeightType type,
                     int64_t samples = 50) {
  const test::TempDir dir;
  train_tiny(overrides, dir / "run");
  train::LoadedModel trained = train::load_model(dir / "run");
  runtime::StoredModel stored = export_model(trained, type);
  add_history(dir / "run", stored);
  runtime::write_snm(dir / "m.snm", stored);
  const Agreement agreement = verify(trained, runtime::Model::load(dir / "m.snm"), samples);
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

// Any weight may be dropped, or whole channels: zeros are bits, and the answers are the same.
TEST(Export, MasksWithoutBlocksAreStoredAsBits) {
  const std::vector<std::string> network{"model.name=small_conv", "model.width=8"};
  for (const std::vector<std::string>& method :
       {std::vector<std::string>{"method.name=esl", "method.target_weight=0.125"},
        {"method.name=nsl", "method.channels=0.5"}}) {
    std::vector<std::string> overrides = network;
    overrides.insert(overrides.end(), method.begin(), method.end());
    const Exported found = export_tiny(overrides, runtime::WeightType::kFloat);
    EXPECT_GE(found.agreement.equal_labels, 49) << method[0];
    int64_t stored = 0, all = 0;
    for (const auto& [id, tensor] : found.stored.synapses) {
      EXPECT_TRUE(tensor.as_bits) << method[0];
      stored += runtime::stored_weights(tensor);
      all += tensor.shape.numel();
    }
    EXPECT_LT(4 * stored, 3 * all) << method[0];
    // A bit for each weight, four bytes for each that is kept, and what is no weight.
    runtime::StoredModel whole = found.stored;
    for (auto& [id, tensor] : whole.synapses) tensor.as_bits = false;
    const auto saved = static_cast<int64_t>(runtime::encode_snm(whole).size()) -
                       static_cast<int64_t>(runtime::encode_snm(found.stored).size());
    EXPECT_NEAR(static_cast<double>(saved), 4.0 * (all - stored) - all / 8.0, 1000) << method[0];
  }
}

TEST(Export, RecordsWhereTheModelComesFrom) {
  const test::TempDir dir;
  std::vector<std::string> overrides = kRuns[1];
  overrides.emplace_back("seed=7");
  train_tiny(overrides, dir / "run");
  const std::string config =
      SafetensorsInput(dir / "run/model.safetensors").header().metadata.at("config");
  // Also of a model that was taken out of its run.
  std::filesystem::create_directory(dir / "away");
  std::filesystem::copy_file(dir / "run/model.safetensors", dir / "away/model.safetensors");
  for (const std::filesystem::path& from : {dir / "run", dir / "away/model.safetensors"}) {
    runtime::StoredModel model = export_model(train::load_model(from), runtime::WeightType::kInt8);
    add_history(from, model);
    EXPECT_EQ(model.provenance["seed"], 7);
    EXPECT_EQ(model.provenance["commit"], train::commit());
    EXPECT_EQ(model.provenance["config_crc32c"], fmt::format("{:08x}", crc32c(as_bytes(config))));
    EXPECT_TRUE(model.input.events);
    const bool in_run = from == dir / "run";
    EXPECT_EQ(model.provenance.contains("test_accuracy"), in_run);
    EXPECT_EQ(model.rates.size(), in_run ? 3u : 0u);
    if (in_run) {
      EXPECT_EQ(model.provenance["versions"]["commit"], train::commit());
    }
  }
}

TEST(Export, TheCommitIsThatOfTheSources) {
  const std::string commit = train::commit();
  if (!std::filesystem::exists(SPIKENM_SOURCE_DIR "/.git")) {
    EXPECT_EQ(commit, "unknown");
  } else {
    EXPECT_GE(commit.size(), 40u);
    EXPECT_EQ(commit.find_first_not_of("0123456789abcdef"),
              commit.ends_with('+') ? commit.size() - 1 : std::string::npos);
  }
}

// 0.3 points of 2,000 samples are 6. A network that is trained well is sure of most samples, so few
// labels change: 5 here, and another processor's sums change few more.
TEST(Export, Int8KeepsTheAccuracyOfATrainedNetwork) {
  std::vector<std::string> overrides = kRuns[1];
  for (const char* assignment : {"model.width=8", "model.T=6", "data.train_size=3000",
                                 "data.test_size=2000", "train.epochs=4", "train.lr=0.02"})
    overrides.emplace_back(assignment);
  const Exported found = export_tiny(overrides, runtime::WeightType::kInt8, 2000);
  EXPECT_GE(found.agreement.trainer_correct, 1880);
  EXPECT_GE(found.agreement.equal_labels, 1984);
  EXPECT_LE(std::abs(found.agreement.trainer_correct - found.agreement.runtime_correct), 6);
  EXPECT_EQ(found.stored.synapses.begin()->second.type, runtime::WeightType::kFloat);
  EXPECT_EQ(found.stored.synapses.rbegin()->second.type, runtime::WeightType::kInt8);
  EXPECT_TRUE(found.stored.synapses.rbegin()->second.rule.has_value());
}

}  // namespace
}  // namespace spikenm::deploy
