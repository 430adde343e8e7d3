// 'spikenm table' as a user sees it.
#include "spikenm/core/file.h"
#include "support/cli.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace spikenm {
namespace {

using test::has;
using test::Outcome;

class TableCli : public test::Cli {
 protected:
  void add_run(const std::string& folder, int seed, double accuracy, int width = 256) {
    add_config(folder, seed, width);
    write_file_atomically(dir / (folder + "/result.json"),
                          fmt::format(R"({{"method": "spikenm", "pattern": "2:4", "data": "cifar10",
                         "model": "6conv2fc", "T": 8, "test_accuracy": {}}})",
                                      accuracy));
  }
  void add_config(const std::string& folder, int seed, int width = 256) {
    std::filesystem::create_directories(dir / folder);
    write_file_atomically(dir / (folder + "/config.toml"),
                          fmt::format("seed = {}\n[model]\nname = '6conv2fc'\nT = 8\nwidth = {}\n"
                                      "fc = 2048\nfc_norm = false\nvoters = 10\n",
                                      seed, width));
  }
};

TEST_F(TableCli, SeedsAreOneRowBesideThePublishedFigures) {
  add_run("runs/a", 0, 92);
  add_run("runs/b", 1, 94);
  const Outcome found = run({"table", "runs"});
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_EQ(found.err, "");
  EXPECT_TRUE(has(found.out, "93.00 ± 1.41")) << found.out;
  EXPECT_TRUE(has(found.out, "93.64")) << found.out;  // the paper's
  const Outcome csv = run({"table", "runs/a", "runs/b", "--format", "csv", "--out", "t.csv"});
  EXPECT_EQ(csv.code, 0) << csv.err;
  EXPECT_EQ(csv.out, "");
  EXPECT_TRUE(has(read_file(dir / "t.csv"), "cifar10,spikenm,2:4,,6conv2fc,8,,93,1.414"));
  EXPECT_TRUE(has(run({"table", "runs", "-f", "markdown"}).out, "| cifar10 | spikenm |"));
}

TEST_F(TableCli, OneSeedInTwoFoldersCountsOnceAndIsNamed) {
  add_run("runs/a", 0, 92);
  add_run("runs/b", 0, 92);
  add_run("runs/c", 1, 94);
  const Outcome found = run({"table", "runs"});
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_EQ(found.err, "spikenm: counted once: runs/b: the same settings and seed as runs/a\n");
  EXPECT_TRUE(has(found.out, "93.00 ± 1.41")) << found.out;
}

TEST_F(TableCli, AToyOfTheSameNameIsARowOfItsOwnWithoutPublishedFigures) {
  add_run("runs/toy", 0, 50, 16);
  EXPECT_FALSE(has(run({"table", "runs"}).out, "93.64"));
  add_run("runs/paper", 0, 92);
  const std::string table = run({"table", "runs"}).out;
  EXPECT_TRUE(has(table, "93.64")) << table;
  EXPECT_TRUE(has(table, "  model.width  ")) << table;
  EXPECT_TRUE(has(table, "   16  ") && has(table, "  256  ")) << table;
  const Outcome sorted =
      run({"table", "runs", "-f", "csv", "--columns", "model.width,acc", "--sort", "-model.width"});
  EXPECT_EQ(sorted.out, "model.width,test_accuracy,test_accuracy_spread\n256,92,\n16,50,\n");
}

TEST_F(TableCli, UnfinishedRunsAreNamedAndLeftOut) {
  add_run("runs/a", 0, 92);
  add_config("runs/half", 1);
  const Outcome found = run({"table", "runs"});
  EXPECT_EQ(found.code, 0);
  EXPECT_EQ(found.err, "spikenm: left out: runs/half: found no result.json\n");
  add_run("runs/bare", 1, 92);
  std::filesystem::remove(dir / "runs/bare/config.toml");
  add_run("runs/cut", 1, 92);
  write_file_atomically(dir / "runs/cut/result.json", "{\"test_acc");
  const Outcome more = run({"table", "runs"});
  EXPECT_EQ(more.code, 0);
  EXPECT_TRUE(has(more.out, "92.00")) << more.out;
  EXPECT_EQ(
      more.err,
      "spikenm: left out: runs/bare: found no config.toml; runs/cut/result.json: found broken "
      "JSON, wanted a JSON object; runs/half: found no result.json\n");
  for (const char* folder : {"runs/a", "runs/bare", "runs/cut"})
    std::filesystem::remove_all(dir / folder);
  expect_failure({"table", "runs"}, 1,
                 {"runs: found no finished run (runs/half: found no result.json)"});
}

TEST_F(TableCli, ThePapersTablesNeedNoRun) {
  const Outcome alone = run({"table", "--paper"});
  EXPECT_EQ(alone.code, 0) << alone.err;
  EXPECT_TRUE(has(alone.out, "Table 1 of the paper")) << alone.out;
  EXPECT_TRUE(has(alone.out, "Table 2 of the paper"));
  EXPECT_FALSE(has(alone.out, "our acc %"));
  add_run("runs/a", 0, 92.25);
  for (const char* format : {"text", "markdown", "latex", "csv"}) {
    const Outcome found = run({"table", "--paper", "runs", "--format", format});
    EXPECT_EQ(found.code, 0) << found.err;
    EXPECT_TRUE(has(found.out, "93.64")) << found.out;
    EXPECT_TRUE(has(found.out, "92.25")) << found.out;
    const bool in_letters = std::string(format) == "text";
    EXPECT_TRUE(has(found.out, in_letters ? " n t r " : "no: network, T, recipe")) << found.out;
  }
  EXPECT_TRUE(has(run({"table", "--paper", "--width", "300"}).out, "no: network, T, recipe"));
  EXPECT_EQ(run({"table", "--paper", "--sort", "acc"}).code, 1);
}

TEST_F(TableCli, MistakesAreOneSentence) {
  expect_failure({"table", "none"}, 1, {"none: found no such folder"});
  add_run("runs/a", 0, 92);
  write_file_atomically(dir / "p.csv", "dataset\n\"x\n");
  expect_failure({"table", "runs", "--published", "p.csv"}, 1, {"p.csv:2", "quoted cell"});
  write_file_atomically(dir / "p.csv", "dataset,acc\n");
  expect_failure({"table", "runs", "--published", "p.csv"}, 1,
                 {"p.csv: found the columns dataset, acc, wanted at least dataset, method"});
  EXPECT_EQ(run({"table", "runs", "--format", "pdf"}).code, 2);
  EXPECT_EQ(run({"table"}).code, 2);
}

}  // namespace
}  // namespace spikenm
