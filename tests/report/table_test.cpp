#include "spikenm/report/table.h"

#include "spikenm/core/file.h"
#include "spikenm/core/json.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

#include <algorithm>
#include <sstream>

namespace spikenm::report {
namespace {

using test::TempDir;

Json result(const char* method, const char* pattern, double accuracy) {
  return {{"method", method},
          {"pattern", pattern},
          {"test_accuracy", accuracy},
          {"weight_pct", 50.004},
          {"conn_pct", 25.5},
          {"sops_m", 1.234},
          {"phase_seconds", {{"search", 10.25}, {"finetune", 20.25}}}};
}

std::filesystem::path write_run(const TempDir& dir, const char* name, const std::string& text) {
  std::filesystem::create_directory(dir / name);
  write_file_atomically(dir / name / "result.json", text);
  return dir / name;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Cells of a line, without their padding; columns here hold no blanks.
std::vector<std::string> cells_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> cells;
  for (std::string cell; in >> cell;) cells.push_back(cell);
  return cells;
}

using Cells = std::vector<std::string>;

TEST(FormatTable, AlignsTheFirstColumnLeftAndTheOthersRight) {
  EXPECT_EQ(format_table({"name", "x"}, {{"a", "1.25"}, {"longer", "2"}}),
            "name       x\n"
            "------------\n"
            "a       1.25\n"
            "longer     2\n");
}

TEST(FormatTable, CountsCharactersNotBytes) {
  EXPECT_EQ(format_table({"a", "Δx"}, {{"b", "12"}}),
            "a  Δx\n"
            "-----\n"
            "b  12\n");
}

TEST(RunTable, ShowsEachRunAndItsDifferenceToDense) {
  const TempDir dir;
  const auto sparse = write_run(dir, "sparse", result("spikenm", "2:4", 71.25).dump());
  const auto dense = write_run(dir, "dense", result("dense", "-", 72.5).dump());
  const std::vector<std::string> lines = lines_of(run_table({sparse, dense}));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(cells_of(lines[2]),
            (Cells{"spikenm", "2:4", "71.25", "-1.25", "50.00", "25.50", "1.23", "30"}));
  EXPECT_EQ(cells_of(lines[3]),
            (Cells{"dense", "-", "72.50", "+0.00", "50.00", "25.50", "1.23", "30"}));
}

TEST(RunTable, ADenseNetworkWithPrunedNeuronsIsNoBaseline) {
  const TempDir dir;
  auto pruned = result("dense", "-", 60);
  pruned["granularity"] = "weight+neuron";
  auto dense = result("dense", "-", 72.5);
  dense["granularity"] = "weight";
  const auto lines = lines_of(
      run_table({write_run(dir, "pruned", pruned.dump()), write_run(dir, "dense", dense.dump())}));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(cells_of(lines[2])[3], "-12.50");
  EXPECT_EQ(cells_of(lines[3])[3], "+0.00");
}

TEST(RunTable, LeavesTheDifferenceEmptyWithoutADenseRun) {
  const TempDir dir;
  const auto sparse = write_run(dir, "sparse", result("spikenm", "2:4", 71.25).dump());
  EXPECT_EQ(cells_of(lines_of(run_table({sparse})).at(2)),
            (Cells{"spikenm", "2:4", "71.25", "50.00", "25.50", "1.23", "30"}));
}

TEST(RunTable, NamesTheFolderWithoutAResult) {
  const TempDir dir;
  EXPECT_ERROR(run_table({dir.path() / "absent"}), "absent", "result.json", "No such file");
}

TEST(RunTable, RefusesAFileThatIsNotAJsonObject) {
  const TempDir dir;
  const std::string whole = result("dense", "-", 72.5).dump();
  for (const std::string& text : {std::string(), whole.substr(0, whole.size() / 2),
                                  std::string("[1, 2]"), std::string("\xff\xfe")}) {
    std::filesystem::remove_all(dir / "bad");
    EXPECT_ERROR(run_table({write_run(dir, "bad", text)}), "bad", "wanted a JSON object");
  }
}

TEST(RunTable, NamesTheNumberThatIsMissingOrOfAnotherType) {
  const TempDir dir;
  for (const char* key : {"test_accuracy", "weight_pct", "conn_pct", "sops_m"}) {
    std::filesystem::remove_all(dir / "bad");
    Json bad = result("dense", "-", 72.5);
    bad[key] = nullptr;
    EXPECT_ERROR(run_table({write_run(dir, "bad", bad.dump())}), "bad", key);
    bad.erase(key);
    std::filesystem::remove_all(dir / "bad");
    EXPECT_ERROR(run_table({write_run(dir, "bad", bad.dump())}), "bad", key);
  }
}

TEST(RunTable, RefusesValuesOfAnotherType) {
  const TempDir dir;
  const Json wrong{{"method", 3}, {"pattern", {1, 2}}, {"phase_seconds", {{"search", "long"}}}};
  for (const auto& [key, value] : wrong.items()) {
    std::filesystem::remove_all(dir / "bad");
    Json bad = result("dense", "-", 72.5);
    bad[key] = value;
    EXPECT_ERROR(run_table({write_run(dir, "bad", bad.dump())}), "bad", key.c_str());
  }
}

}  // namespace
}  // namespace spikenm::report
