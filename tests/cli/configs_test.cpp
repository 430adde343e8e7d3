// The config files we ship: those of smoke/ run, and all others are read whole, against a small
// copy of the set they name.
#include "spikenm/core/config.h"
#include "spikenm/core/json.h"
#include "support/cli.h"
#include "support/small_sets.h"

#include <cmath>
#include <numeric>

namespace spikenm::test {
namespace {

namespace fs = std::filesystem;

const fs::path kConfigs = fs::path(SPIKENM_SOURCE_DIR) / "configs";

// Config files of these folders under configs/, without the bases that others extend and the lists
// that `spikenm sweep` reads.
std::vector<std::string> configs_in(const std::vector<std::string>& folders) {
  std::vector<std::string> files;
  for (const std::string& folder : folders)
    for (const auto& entry : fs::directory_iterator(kConfigs / folder)) {
      const fs::path& path = entry.path();
      if (path.extension() == ".toml" && path.stem() != "base")
        files.push_back((fs::path(folder) / path.filename()).string());
    }
  std::sort(files.begin(), files.end());
  return files;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = fs::path(info.param).replace_extension().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

class SmokeConfig : public Cli, public testing::WithParamInterface<std::string> {};

TEST_P(SmokeConfig, TrainsPrunesAndIsMeasured) {
  const Outcome found =
      run({"train", "--config", (kConfigs / GetParam()).string(), "--out", "run"});
  ASSERT_EQ(found.code, 0) << found.err;
  EXPECT_EQ(without_epochs(found.err), warnings_in("run"));
  const Json result = Json::parse(read_file(dir / "run/result.json"));
  EXPECT_TRUE(result["mask_valid"].get<bool>());
  const bool has_blocks = result["pattern"] != "unstructured" && result["pattern"] != "channel";
  EXPECT_EQ(result["nm_valid"].get<bool>(), has_blocks);
  // A whole number of samples was right, and by class, of which all have as many, the same.
  const double accuracy = result["test_accuracy"], right = accuracy * 20 / 100;
  EXPECT_EQ(result["samples"]["test"], 20);
  EXPECT_NEAR(right, std::round(right), 1e-9);
  const auto by_class = result["test_accuracy_per_class"].get<std::vector<double>>();
  EXPECT_NEAR(std::accumulate(by_class.begin(), by_class.end(), 0.0) / 10, accuracy, 1e-9);
  const bool masked = result["method"] != "dense";
  EXPECT_EQ(result["weight_pct"].get<double>() < 100, masked);
  const Outcome again = run({"eval", "run", "--json"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(Json::parse(again.out)["test_accuracy"], result["test_accuracy"]);
}

INSTANTIATE_TEST_SUITE_P(Configs, SmokeConfig, testing::ValuesIn(configs_in({"smoke"})), test_name);

class PaperConfig : public Cli, public testing::WithParamInterface<std::string> {};

TEST_P(PaperConfig, IsReadWhole) {
  const std::string path = (kConfigs / GetParam()).string();
  Config config = Config::from_file(path);
  const SmallSet set(config.section("data").get("name", ""));
  // Narrow, so that it is made quickly; of vgg the config itself gives the layers.
  const bool has_width = config.section("model").get("name", "") != "vgg";
  const Outcome found =
      run({"train", "--config", path, "--dry-run", "data.root='" + set.root().string() + "'",
           "data.cache=off", "train.batch_size=1", has_width ? "model.width=16" : "threads=1",
           "data.val_fraction=0"});
  ASSERT_EQ(found.code, 0) << found.err;
  EXPECT_NE(found.out.find("[method]"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Configs, PaperConfig,
                         testing::ValuesIn(configs_in({"cifar10", "cifar100", "cifar10_dvs",
                                                       "dvs_gesture", "examples", "methods",
                                                       "short"})),
                         test_name);

}  // namespace
}  // namespace spikenm::test
