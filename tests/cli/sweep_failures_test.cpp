// 'spikenm sweep' where a member or the sweep itself is wrong.
#include "spikenm/core/file.h"
#include "spikenm/report/csv.h"
#include "support/sweep_cli.h"

#include <gtest/gtest.h>

namespace spikenm {
namespace {

namespace fs = std::filesystem;
using test::has;
using test::Outcome;
using test::SweepCli;

TEST_F(SweepCli, AMemberThatFailsStopsNobody) {
  write_file_atomically(dir / "list.toml", R"(
    title = "masks"
    base = "base.toml"
    [plot]
    reference = "dense"
    [[member]]
    name = "dense"
    set = ["method.name=dense"]
    [[member]]
    name = "bad"
    set = ["method.name=random"]
    [[member]]
    name = "random"
    set = ["method.name=random", "method.draws=exactly"]
  )");
  // Something in the way of one run that no config can show.
  fs::create_directories(dir / "s/bad/seed0");
  write_file_atomically(dir / "s/bad/seed0/precious.txt", "mine");
  const Outcome found = run({"sweep", "--list", "list.toml", "--out", "s"});
  EXPECT_EQ(found.code, 1);
  EXPECT_TRUE(has(found.err, "/3 bad seed0: failed: exit 1: spikenm: s/bad/seed0")) << found.err;
  EXPECT_TRUE(has(found.err, "\nbad/seed0: exit 1: spikenm: s/bad/seed0: the output folder is not"))
      << found.err;
  EXPECT_TRUE(has(found.err, "spikenm: s: 1 of 3 runs failed\n")) << found.err;
  EXPECT_TRUE(has(found.out, "Δ dense")) << found.out;
  EXPECT_EQ(csv("s/results.csv").rows.size(), 2u);
  EXPECT_TRUE(fs::exists(dir / "s/plot.png"));
  EXPECT_EQ(read_file(dir / "s/bad/seed0/precious.txt"), "mine");
}

// As a full disk would have it.
TEST_F(SweepCli, FailedRunsAreListedEvenWhereTheResultsCannotBeWritten) {
  fs::create_directories(dir / "s/results.csv/x");
  fs::create_directories(dir / "s/lr=0.002/seed0");
  write_file_atomically(dir / "s/lr=0.002/seed0/precious.txt", "mine");
  const Outcome found = run(grid({"--grid", "train.lr=0.001,0.002"}));
  EXPECT_EQ(found.code, 1);
  EXPECT_TRUE(has(found.err, "\nlr=0.002/seed0: exit 1: spikenm: s/lr=0.002/seed0")) << found.err;
  EXPECT_TRUE(has(found.err, "spikenm: s/results.csv: cannot write")) << found.err;
  EXPECT_TRUE(has(found.err, "1 of 2 runs failed\n")) << found.err;
}

TEST_F(SweepCli, AMemberThatDivergesIsToldSo) {
  const Outcome found = run(grid({"--grid", "train.lr=0.001,1e30", "--set", "method.name=dense",
                                  "train.loss=mse", "train.schedule=constant"}));
  EXPECT_EQ(found.code, 1);
  EXPECT_TRUE(has(found.err, "lr=1e30 seed0: failed: diverged: spikenm: train: the loss became"))
      << found.err;
  EXPECT_TRUE(has(found.err, "spikenm: s: 1 of 2 runs failed\n")) << found.err;
  EXPECT_EQ(csv("s/results.csv").rows.size(), 1u);
}

TEST_F(SweepCli, MistakesAreFoundBeforeAnyTraining) {
  expect_failure(grid({"--grid", "method.tau_maxx=1,2"}), 1,
                 {"member 'tau_maxx=1': method.tau_maxx", "nearest is method.tau_max"});
  expect_failure(grid({"--grid", "method.pattern=2:4,5:4"}), 1,
                 {"member 'pattern=5:4': method.pattern", "5:4"});
  expect_failure(grid({"--grid", "train.lr=0.1", "train.lr=0.2"}), 1, {"train.lr twice"});
  expect_failure(grid({"--grid", "train.lr=0.1", "--set", "train.lr=3"}), 1,
                 {"spikenm: --set: found train.lr"});
  expect_failure(grid({"--grid", "train.lr=0.1", "--list", "list.toml"}), 2,
                 {"--list and --grid, which exclude each other"});
  expect_failure(grid({"--grid", "train.lr=0.1", "--plot-x", "train.epochs"}), 1, {"plot.x"});
  expect_failure(grid({"--grid", "seed=1,2"}), 1, {"seed"});
  expect_failure(grid({"--grid", "train.lr"}), 2, {"'train.lr'"});
  expect_failure(grid({}), 2, {"--list FILE", "--grid"});
  expect_failure(grid({"--list", "list.toml"}), 2, {"--base"});
  expect_failure({"sweep", "--list", "none.toml", "--out", "s"}, 1, {"none.toml", "No such file"});
  write_file_atomically(dir / "list.toml", "bass = \"base.toml\"\n");
  expect_failure({"sweep", "--list", "list.toml", "--out", "s"}, 1,
                 {"list.toml", "'bass'", "nearest is base"});
  write_file_atomically(dir / "list.toml", "[[member]]\nname = \"a\"\n[[member]]\nname = \"a\"\n");
  expect_failure({"sweep", "--list", "list.toml", "--out", "s"}, 1,
                 {"list.toml: member 'a'", "two of that name"});
  write_file_atomically(dir / "list.toml",
                        "base = \"base.toml\"\n[[member]]\nname = \"a\"\ndrop = [\"modell\"]\n");
  expect_failure({"sweep", "--list", "list.toml", "--out", "s"}, 1,
                 {"member 'a': drop: found 'modell'", "nearest is model"});
  write_file_atomically(dir / "list.toml", "[[member]]\nname = \"plot.svg\"\n");
  expect_failure({"sweep", "--list", "list.toml", "--out", "s"}, 1,
                 {"list.toml: member 'plot.svg'", "a file that the sweep writes"});
  write_file_atomically(dir / "empty.toml", "extends = \"\"\n");
  expect_failure({"sweep", "--config", "empty.toml", "--grid", "train.lr=1", "--out", "s"}, 1,
                 {"empty.toml: extends: found \"\", wanted the path of a base file"});
  EXPECT_FALSE(fs::exists(dir / "s"));
}

}  // namespace
}  // namespace spikenm
