// 'spikenm sweep' as a user sees it.
#include "spikenm/core/file.h"
#include "spikenm/core/json.h"
#include "spikenm/report/csv.h"
#include "support/sweep_cli.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

namespace spikenm {
namespace {

namespace fs = std::filesystem;
using test::Arguments;
using test::has;
using test::lines_with;
using test::Outcome;
using test::SweepCli;

TEST_F(SweepCli, AGridRunsEveryPointAndSeedAndSkipsWhatIsFinished) {
  const Arguments command = grid({"--grid", "train.lr=0.001,0.004", "--seeds", "2", "--jobs", "2"});
  const Outcome first = run(command);
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(lines_with(first.err, "/4 lr="), 4) << first.err;
  // Each run has one epoch.
  for (const char* run : {"lr=0.001 seed0", "lr=0.001 seed1", "lr=0.004 seed0", "lr=0.004 seed1"})
    EXPECT_EQ(lines_with(first.err, std::string(run) + ": search 1/1  loss "), 1) << first.err;
  // All four runs say the same of conv1, which has two channels: it is said once.
  EXPECT_TRUE(
      has(first.err, "\nwarning: lr=0.001/seed0 and 3 more: pattern 2:4 finds no whole block"))
      << first.err;
  EXPECT_TRUE(has(first.err, "\n1/4 lr=0.001 seed")) << first.err;
  EXPECT_FALSE(has(first.err, "\r")) << first.err;  // nothing is redrawn in a pipe
  EXPECT_TRUE(has(first.err, "\n4/4 lr=0.00")) << first.err;
  EXPECT_TRUE(has(first.out, "lr=0.004")) << first.out;
  EXPECT_EQ(files_in("s"), (std::set<std::string>{"lr=0.001", "lr=0.004", "results.csv",
                                                  "summary.csv", "plot.png", "plot.svg"}));
  EXPECT_EQ(files_in("s/lr=0.001"),
            (std::set<std::string>{"member.toml", "seed0", "seed0.log", "seed1", "seed1.log"}));
  const report::Csv results = csv("s/results.csv"), summary = csv("s/summary.csv");
  ASSERT_EQ(results.rows.size(), 4u);
  EXPECT_EQ(results.rows[3].cells[0], "lr=0.004");
  EXPECT_EQ(results.rows[3].cells[1], "1");
  EXPECT_EQ(results.rows[3].cells[results.column("train.lr")], "0.004");
  const Json result = Json::parse(read_file(dir / "s/lr=0.004/seed1/result.json"));
  EXPECT_EQ(std::stod(results.rows[3].cells[results.column("test_accuracy")]),
            result.at("test_accuracy").get<double>());
  EXPECT_TRUE(has(first.err, fmt::format("/4 lr=0.004 seed1: {:.2f} %\n",
                                         result.at("test_accuracy").get<double>())))
      << first.err;
  ASSERT_EQ(summary.rows.size(), 2u);
  EXPECT_EQ(summary.rows[0].cells[summary.column("n")], "2");
  EXPECT_NE(summary.rows[0].cells[summary.column("test_accuracy_spread")], "");

  // One run has a spoilt result, one another config: with --force these two are trained again.
  write_file_atomically(dir / "s/lr=0.001/seed1/result.json", "{\"weight_pct\": 50}");
  const fs::path changed = dir / "s/lr=0.004/seed0/config.toml";
  std::string text = read_file(changed);
  text.replace(text.find("epochs = 1"), 10, "epochs = 9");
  write_file_atomically(changed, text);
  const auto time_of = [&](const char* run) {
    return fs::last_write_time(dir / "s" / run / "model.safetensors");
  };
  const auto kept = time_of("lr=0.001/seed0"), redone = time_of("lr=0.004/seed0");
  expect_failure(command, 1, {"s/lr=0.004/seed0", "train.epochs = 9, wanted 1", "--force"});
  EXPECT_EQ(time_of("lr=0.004/seed0"), redone);
  Arguments forced = command;
  forced.emplace_back("--force");
  EXPECT_EQ(run(forced).code, 0);
  EXPECT_EQ(time_of("lr=0.001/seed0"), kept);
  EXPECT_GT(time_of("lr=0.004/seed0"), redone);
  EXPECT_TRUE(has(read_file(dir / "s/lr=0.001/seed1/result.json"), "test_accuracy"));
  EXPECT_EQ(csv("s/results.csv").rows.size(), 4u);
}

TEST_F(SweepCli, RowsAreComparedWithOneOfThemSeedBySeed) {
  const Arguments command =
      grid({"--grid", "train.lr=0.001,0.004", "--seeds", "2", "--against", "lr=0.001"});
  const Outcome found = run(command);
  ASSERT_EQ(found.code, 0) << found.err;
  EXPECT_TRUE(has(found.out, "verdict")) << found.out;
  const report::Csv comparison = csv("s/comparison.csv"), results = csv("s/results.csv");
  ASSERT_EQ(comparison.rows.size(), 1u);
  const auto cell = [&](const char* column) {
    return comparison.rows[0].cells[comparison.column(column)];
  };
  EXPECT_EQ(cell("member"), "lr=0.004");
  EXPECT_EQ(cell("against"), "lr=0.001");
  EXPECT_EQ(cell("seeds"), "2");
  const auto accuracy = [&](size_t row) {
    return std::stod(results.rows[row].cells[results.column("test_accuracy")]);
  };
  EXPECT_NEAR(std::stod(cell("test_difference")),
              (accuracy(2) + accuracy(3) - accuracy(0) - accuracy(1)) / 2, 1e-9);
  EXPECT_NE(results.rows[0].cells[results.column("build")], "");

  // Finished runs are shown again without training; a third seed is not trained for it.
  Arguments report =
      grid({"--grid", "train.lr=0.001,0.004", "--seeds", "3", "--against", "lr=0.004", "--report"});
  const Outcome again = run(report);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(csv("s/comparison.csv").rows[0].cells[0], "lr=0.001");
  EXPECT_FALSE(fs::exists(dir / "s/lr=0.001/seed2"));

  // Any number of the results may stand along x; one that is not there costs the plot alone.
  Arguments along = report;
  along.insert(along.end(), {"--plot-x", "seconds"});
  fs::remove(dir / "s/plot.svg");
  EXPECT_EQ(run(along).code, 0);
  EXPECT_TRUE(has(read_file(dir / "s/plot.svg"), ">seconds of training<"));
  along.back() = "second";
  const Outcome undrawn = run(along);
  EXPECT_EQ(undrawn.code, 1);
  EXPECT_TRUE(has(undrawn.err,
                  "plot.x: found no number 'second' in the results; the nearest is "
                  "seconds"))
      << undrawn.err;
  EXPECT_TRUE(has(undrawn.out, "verdict")) << undrawn.out;

  // Runs of another build are not paired.
  const fs::path file = dir / "s/lr=0.001/seed1/result.json";
  Json result = Json::parse(read_file(file));
  result["versions"]["build"] = "another";
  write_file_atomically(file, result.dump());
  const Outcome refused = run(report);
  EXPECT_EQ(refused.code, 1);
  EXPECT_TRUE(has(refused.err, "--against: lr=0.001 seed 1 is of build another")) << refused.err;
  report[report.size() - 2] = "lr=7";
  expect_failure(report, 1, {"--against: found 'lr=7', which is no member"});
}

TEST_F(SweepCli, HalvingTrainsOnlyTheBetterHalfOnMoreSeeds) {
  const Outcome found = run(grid(
      {"--grid", "train.lr=1e-9,0.001,0.004,0.008", "--seeds", "2", "--halve", "--jobs", "2"}));
  ASSERT_EQ(found.code, 0) << found.err;
  EXPECT_TRUE(has(found.err, "note: dropped by validation after 1 seed: ")) << found.err;
  const report::Csv results = csv("s/results.csv");
  std::map<std::string, int> seeds;
  std::vector<std::pair<double, std::string>> by_validation;
  for (const auto& row : results.rows) {
    ++seeds[row.cells[0]];
    if (row.cells[1] == "0")
      by_validation.emplace_back(-std::stod(row.cells[results.column("val_accuracy")]),
                                 row.cells[0]);
  }
  ASSERT_EQ(results.rows.size(), 6u);
  std::stable_sort(by_validation.begin(), by_validation.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(seeds[by_validation[i].second], i < 2 ? 2 : 1) << i;
}

TEST_F(SweepCli, ADryRunListsTheRunsAndMakesNothing) {
  const Outcome found = run(grid({"--grid", "train.lr=0.1,0.2", "--seeds", "3,5", "--dry-run"}));
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_EQ(found.out, "lr=0.1/seed3\nlr=0.1/seed5\nlr=0.2/seed3\nlr=0.2/seed5\n");
  EXPECT_FALSE(fs::exists(dir / "s"));
}

TEST_F(SweepCli, AGridMaySwapTheMethod) {
  write_file_atomically(dir / "spikenm.toml", R"(
    extends = "base.toml"
    [method]
    preset = "paper"
    pattern = "2:8"
    credit = "net"
  )");
  Arguments command{"sweep",
                    "--config",
                    "spikenm.toml",
                    "--out",
                    "s",
                    "--grid",
                    "method.name=dense,random,spikenm"};
  const Outcome found = run(command);
  ASSERT_EQ(found.code, 0) << found.err;
  const std::string of_the_file = " of the config file are dropped: no effect with method.name = ";
  EXPECT_TRUE(has(found.err, "note: method.preset, method.pattern, method.credit" + of_the_file +
                                 "\"dense\"\n"))
      << found.err;
  EXPECT_TRUE(has(found.err, "note: method.preset, method.credit" + of_the_file + "\"random\"\n"))
      << found.err;
  const auto result = [&](const std::string& member) {
    return Json::parse(read_file(dir / "s" / member / "seed0/result.json"));
  };
  EXPECT_EQ(result("name=dense").at("pattern"), "dense");
  EXPECT_EQ(result("name=random").at("pattern"), "2:8");
  EXPECT_EQ(result("name=spikenm").at("method"), "spikenm");
  for (const char* member : {"name=dense", "name=random", "name=spikenm"})  // nothing to drop there
    EXPECT_FALSE(has(read_file(dir / "s" / member / "seed0.log"), "note:")) << member;
  EXPECT_FALSE(has(run(command).err, "1/3"));  // all are finished
  // A sweep over lambda may have a base with keys of the credit; keys of the command line may not.
  command.back() = "method.lambda_eid=0,5";
  command[4] = "lambda";
  command.insert(command.end(), {"--dry-run"});
  EXPECT_EQ(run(command).err,
            "note: method.credit of the config file is dropped: no effect with "
            "method.lambda_eid = 0\n");
  command.insert(command.end(), {"--set", "method.tau_q=2"});
  expect_failure(command, 1,
                 {"member 'lambda_eid=0': method.tau_q: has no effect with method.lambda_eid = 0"});
}

}  // namespace
}  // namespace spikenm
