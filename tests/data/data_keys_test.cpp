// What the datasets of the registry read is what their declarations say.
#include "spikenm/data/data_keys.h"

#include "spikenm/data/open.h"
#include "support/declared_keys.h"

namespace spikenm::data {
namespace {

void expect_declared(const std::string& text, std::set<std::string> owners) {
  const Config config = Config::from_text("[data]\n" + text, "test");
  const auto set =
      open_dataset(config.section("data"), {.frames = 5, .extent = Extent::kNothing}, nullptr);
  static_cast<void>(read_pipelines(config.section("data"), set->info()));
  // A set made of another reads the keys of both.
  const Json data = parse_toml(config.resolved_toml(), text).at("data");
  if (data.contains("source")) owners.insert(data["source"].get<std::string>());
  test::expect_declared(config, data_keys(), {{"data", owners}}, text);
}

TEST(DataKeys, EveryDatasetReadsWhatItDeclares) {
  for (const std::string& name : datasets().names())
    expect_declared("name = '" + name + "'", {name});
}

TEST(DataKeys, ASetOfImagesAsEventsReadsThoseOfItsSourceToo) {
  expect_declared("name = 'image-events'\nsource = 'cifar100'", {"image-events", "cifar100"});
}

TEST(DataKeys, OptionsThatChangeWhatIsReadAreDeclaredToo) {
  for (const char* text : {"cache = 'off'", "normalize = false", "train_size = 20"})
    expect_declared(text, {"moving-shapes"});
}

TEST(DataKeys, DeclarationsAreWhole) {
  test::expect_whole(data_keys());
}

}  // namespace
}  // namespace spikenm::data
