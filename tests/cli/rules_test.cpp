// Runs whose masks have no blocks, from training to the last command: inspect, table, export,
// compact and sweep.
#include "support/cli.h"

#include <algorithm>

namespace spikenm::test {
namespace {

const Arguments kUnstructured{"method.name=esl", "method.target_weight=0.25"};
const Arguments kChannels{"method.name=nsl", "method.channels=0.5"};

class RulesCli : public Cli {
 protected:
  void train(const std::string& folder, const Arguments& method) {
    Arguments arguments{"train",
                        "--quiet",
                        "--out",
                        folder,
                        "threads=1",
                        "data.train_size=60",
                        "data.test_size=20",
                        "model.width=8",
                        "model.T=2",
                        "train.epochs=2",
                        "train.search_epochs=1",
                        "train.batch_size=20"};
    arguments.insert(arguments.end(), method.begin(), method.end());
    const Outcome found = run(arguments);
    ASSERT_EQ(found.code, 0) << found.err;
  }

  Json result(const std::string& folder) {
    return Json::parse(read_file(dir / folder / "result.json"));
  }
};

TEST_F(RulesCli, InspectNamesTheRuleOfEachLayer) {
  train("esl", kUnstructured);
  train("nsl", kChannels);
  const Outcome any = run({"inspect", "esl"}), channels = run({"inspect", "nsl"});
  EXPECT_EQ(any.code, 0) << any.err;
  EXPECT_EQ(channels.code, 0) << channels.err;
  EXPECT_TRUE(has(any.out, "  unstructured  ")) << any.out;
  EXPECT_TRUE(has(any.out, "weight 25.00 %")) << any.out;
  EXPECT_TRUE(has(any.out, "masks valid")) << any.out;
  EXPECT_TRUE(has(channels.out, "  channel  ")) << channels.out;
  EXPECT_TRUE(has(channels.out, "neurons 50.00 %")) << channels.out;
  const std::string table = run({"table", "esl", "nsl"}).out;
  EXPECT_TRUE(has(table, "unstructured")) << table;
  EXPECT_TRUE(has(table, "channel")) << table;
}

TEST_F(RulesCli, NeuronsMayBePrunedAlone) {
  train("upr", {"method.name=upr", "method.granularity=neuron", "method.target_conn=0.5"});
  const Json found = result("upr");
  EXPECT_EQ(found["method"], "upr");
  EXPECT_EQ(found["granularity"], "neuron");
  EXPECT_EQ(found["weight_pct"], 100);
  EXPECT_NEAR(found["conn_pct"].get<double>(), 50, 1);
  expect_failure({"train", "--dry-run", "method.name=upr", "method.granularity=neuron",
                  "method.target_weight=0.5"},
                 1, {"method.target_weight", "granularity"});
}

TEST_F(RulesCli, ExportIsSmallerAndGivesTheSameLabels) {
  train("dense", {"method.name=dense"});
  train("esl", kUnstructured);
  train("nsl", kChannels);
  for (const std::string name : {"dense", "esl", "nsl"}) {
    const Outcome found =
        run({"export", name, "-o", name + ".snm", "--dtype", "fp32", "--verify", "20"});
    EXPECT_EQ(found.code, 0) << found.err;
  }
  const auto size = [&](const char* file) {
    return static_cast<double>(std::filesystem::file_size(dir / file));
  };
  EXPECT_LT(size("esl.snm"), 0.45 * size("dense.snm"));
  EXPECT_LT(size("nsl.snm"), 0.65 * size("dense.snm"));
}

TEST_F(RulesCli, CompactIsARunOfItsOwn) {
  train("runs/nsl", kChannels);
  const Outcome found = run({"compact", "runs/nsl", "-o", "runs/small"});
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_TRUE(has(found.out, "runs/small: ")) << found.out;
  const Json before = result("runs/nsl"), after = result("runs/small");
  EXPECT_EQ(after["test_accuracy"], before["test_accuracy"]);
  EXPECT_NEAR(after["sops_m"].get<double>(), before["sops_m"].get<double>(),
              1e-4 * before["sops_m"].get<double>());
  EXPECT_EQ(after["conn_pct"], 100);
  const Outcome table = run({"table", "runs"});
  EXPECT_EQ(table.err, "");
  EXPECT_EQ(std::count(table.out.begin(), table.out.end(), '\n') > 3, true);
  EXPECT_TRUE(has(table.out, "dense")) << table.out;
  expect_failure({"compact", "runs/nsl", "-o", "runs/small"}, 1, {"runs/small"});
  train("esl", kUnstructured);
  expect_failure({"compact", "esl", "-o", "none"}, 1, {"unstructured", "wanted channel"});
}

TEST_F(RulesCli, ASweepMayHaveEveryRule) {
  write_file_atomically(dir / "base.toml", R"(
    threads = 1
    [data]
    train_size = 60
    test_size = 20
    [model]
    T = 2
    width = 8
    [train]
    epochs = 2
    search_epochs = 1
    batch_size = 20
  )");
  const Outcome found = run({"sweep", "--config", "base.toml", "--grid",
                             "method.name=esl,nsl,stds,random", "--out", "s"});
  EXPECT_EQ(found.code, 0) << found.err;
  const std::string csv = read_file(dir / "s/results.csv");
  for (const char* name : {"esl", "nsl", "stds", "random"})
    EXPECT_TRUE(result("s/" + std::string("name=") + name + "/seed0")["mask_valid"].get<bool>());
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5) << csv;
}

}  // namespace
}  // namespace spikenm::test
