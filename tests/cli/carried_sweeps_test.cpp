// Every member of the sweeps that we ship is read whole, on a small set and narrow networks.
#include "support/cli.h"
#include "support/small_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace spikenm::test {
namespace {

namespace fs = std::filesystem;

const fs::path kConfigs = SPIKENM_SOURCE_DIR "/configs";

// A base is no sweep.
std::vector<std::string> sweeps() {
  std::vector<std::string> names;
  for (const char* folder : {"ablations", "studies", "tables"})
    for (const auto& file : fs::directory_iterator(kConfigs / folder))
      if (!file.path().stem().string().ends_with("_base"))
        names.push_back(std::string(folder) + "/" + file.path().stem().string());
  std::ranges::sort(names);
  return names;
}

// What takes the place of CIFAR-10, of whose small copy too few images could be held out.
const Arguments kShapes{"data.name=moving-shapes", "data.augment=[]", "model.width=16",
                        "model.fc=32"};
const Arguments kShapesOfTables{"data.name=moving-shapes", "data.augment=[]", "data.mean=[0, 0]",
                                "data.std=[1, 1]"};
const std::map<std::string, Arguments> kOfTheirOwn{
    {"studies/all_methods_shapes", {"threads=1"}},
    {"studies/table_b",
     {"data.name=moving-shapes", "data.augment=[]", "model.width=16", "model.fc=32",
      "data.mean=[0, 0]", "data.std=[1, 1]"}},
    {"studies/table_c", {"data.name=moving-shapes", "data.train_size=100", "model.width=16"}},
    // A narrower one keeps more connections than the least of these targets.
    {"studies/table_e", {"data.name=moving-shapes", "data.augment=[]", "model.width=96"}}};

class CarriedSweep : public Cli, public testing::WithParamInterface<std::string> {};

TEST_P(CarriedSweep, IsReadWhole) {
  const std::string& name = GetParam();
  Arguments settings = kShapes;
  const SmallSet dvs("cifar10-dvs");
  if (name.starts_with("ablations/"))
    settings = {"data.root='" + dvs.root().string() + "'", "data.cache=off", "train.batch_size=1",
                "model.width=16"};
  if (name.starts_with("tables/")) settings = kShapesOfTables;
  if (kOfTheirOwn.contains(name)) settings = kOfTheirOwn.at(name);
  Arguments arguments{"sweep", "--list",    (kConfigs / (name + ".toml")).string(),
                      "--out", "s",         "--seeds",
                      "1",     "--dry-run", "--set"};
  arguments.insert(arguments.end(), settings.begin(), settings.end());
  const Outcome found = run(arguments);
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_TRUE(has(found.out, "/seed0\n")) << found.out;
}

std::string test_name(const testing::TestParamInfo<std::string>& of) {
  std::string text = of.param;
  std::ranges::replace(text, '/', '_');
  return text;
}

INSTANTIATE_TEST_SUITE_P(Configs, CarriedSweep, testing::ValuesIn(sweeps()), test_name);

}  // namespace
}  // namespace spikenm::test
