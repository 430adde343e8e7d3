// configs/tables: a member for every row of the paper's two tables, and the controls beside.
#include "spikenm/core/file.h"
#include "spikenm/report/published.h"
#include "spikenm/sweep/spec_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace spikenm::sweep {
namespace {

namespace fs = std::filesystem;

const fs::path kConfigs = fs::path(SPIKENM_SOURCE_DIR) / "configs";

// What a member would be called among published figures, at the density that it aims at.
report::PublishedRow wanted_by(const Spec& spec, const Member& member) {
  Config config = load_member(spec, member);
  Config model = config.section("model"), method = config.section("method");
  report::PublishedRow row;
  row.dataset = config.section("data").get("name", "");
  row.model = model.get("name", "");
  row.T = model.get_int("T", 0, 0);
  row.network = {"name=" + row.model, "layers=" + model.get("layers", "")};
  std::replace(row.network.back().begin(), row.network.back().end(), ' ', '-');
  row.method = method.get("name", "");
  row.pattern = method.get("pattern", "");
  row.granularity =
      row.method == "nsl" || row.method == "sca" ? "channel" : method.get("granularity", "weight");
  const bool by_conn = row.granularity == "weight+neuron";
  const double target = method.get_real(by_conn ? "target_conn" : "target_weight", 0.0, 0.0);
  if (target > 0) row.conn_pct = 100 * target;
  // Channels go from both sides of a layer.
  const double channels = method.get_real("channels", 0.0, 0.0);
  if (channels > 0) row.conn_pct = 100 * channels * channels;
  return row;
}

// Their keys of the network are those of our defaults: all but the name are for tables of runs.
std::vector<report::PublishedRow> figures() {
  const fs::path path = kConfigs / "published/results.csv";
  std::vector<report::PublishedRow> rows = report::parse_published(read_file(path), path.string());
  for (report::PublishedRow& row : rows)
    std::erase_if(row.network, [](const std::string& word) {
      return !word.starts_with("name=") && !word.starts_with("layers=");
    });
  return rows;
}

class PaperTable : public testing::TestWithParam<const char*> {};

TEST_P(PaperTable, HasEveryRowAndTheControls) {
  const std::string file = GetParam();
  const fs::path path = kConfigs / "tables" / (file + ".toml");
  Spec spec = parse_spec(read_file(path), path);
  expand(spec);
  std::vector<report::PublishedRow> rows = figures();
  const std::string table = file.substr(5, 1), dataset = file.substr(7);
  std::erase_if(rows, [&](const report::PublishedRow& row) {
    return row.table != table || !report::same_name(row.dataset, dataset);
  });
  ASSERT_FALSE(rows.empty());

  std::set<size_t> found;
  std::set<std::string> methods;
  for (const Member& member : spec.members) {
    const report::PublishedRow wanted = wanted_by(spec, member);
    methods.insert(wanted.method + " " + wanted.pattern);
    if (const auto row = report::find_published(rows, wanted)) found.insert(row->line);
  }
  EXPECT_TRUE(methods.contains("dense "));
  for (const report::PublishedRow& row : rows) {
    EXPECT_TRUE(found.contains(row.line)) << row.method << " " << row.conn_pct.value_or(0);
    if (row.method != "SpikeNM") continue;
    for (const char* control : {"random ", "gradual ", "rewire "})
      EXPECT_TRUE(methods.contains(control + row.pattern)) << control << row.pattern;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, PaperTable,
                         testing::Values("table1_cifar10", "table1_cifar100", "table1_cifar10_dvs",
                                         "table1_dvs_gesture", "table2_cifar10_dvs"),
                         [](const auto& file) { return std::string(file.param); });

}  // namespace
}  // namespace spikenm::sweep
