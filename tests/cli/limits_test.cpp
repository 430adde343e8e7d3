// What the system may refuse: memory, threads, large files, a folder to work in.
#include "support/cli.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace spikenm {
namespace {

namespace fs = std::filesystem;
using test::Arguments;
using test::Cli;
using test::has;
using test::Outcome;

class Limits : public Cli {
 protected:
  // Of a command line in the test's folder; $P is the program.
  Outcome shell(const std::string& command) {
    const int status = std::system(fmt::format("cd '{}' && P='{}' && {{ {}; }} >out 2>err",
                                               dir.path().string(), SPIKENM_PROGRAM, command)
                                       .c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), read_file(dir / "out"),
            read_file(dir / "err")};
  }
  static std::string words(const Arguments& arguments) {
    std::string text;
    for (const std::string& argument : arguments) text += " '" + argument + "'";
    return text;
  }
  static std::string train(const Arguments& more) {
    return "$P" + words(tiny({"train", "threads=1"}, more));
  }
};

// Libraries of half a gigabyte are loaded and begin their own work before ours.
TEST_F(Limits, MemoryThatRunsOutAtAnyPointIsOneSentence) {
  int n_refused = 0;
  for (int mb = 360; mb <= 580; mb += 20) {
    SCOPED_TRACE(mb);
    fs::remove_all(dir / "run");
    const Outcome found =
        shell(fmt::format("ulimit -v {}; exec {}", mb << 10, train({"--out", "run"})));
    if (found.code == 127 || found.code == 0) continue;  // not loaded; enough
    ++n_refused;
    EXPECT_EQ(found.code, 1) << found.err;
    EXPECT_TRUE(has(found.err, "out of memory") || has(found.err, "threads")) << found.err;
    EXPECT_EQ(found.err.rfind("spikenm: "), found.err.find("spikenm: ")) << found.err;
  }
  EXPECT_GT(n_refused, 0);
}

TEST_F(Limits, AFileThatMayNotGrowIsAFailureAndLeavesNoPart) {
  const Outcome found = shell("ulimit -f 8; " + train({"--out", "run"}));
  EXPECT_EQ(found.code, 1) << found.err;
  EXPECT_TRUE(has(found.err, ": cannot write: File too large")) << found.err;
  EXPECT_EQ(files_in("run"),
            (std::set<std::string>{"config.toml", "graph.toml", "metrics.jsonl", "tensorboard"}));
}

TEST_F(Limits, AWorkingFolderThatIsGoneIsSaid) {
  const Outcome found =
      shell("mkdir gone; cd gone; rmdir ../gone; " + train({"--out", (dir / "run").string()}));
  EXPECT_EQ(found.code, 1) << found.err;
  EXPECT_EQ(found.err, "spikenm: the working folder is gone; change to one that is there\n");
}

TEST_F(Limits, ATildeThatTheShellLeavesIsTheHomeFolder) {
  const std::string home = "export HOME='" + dir.path().string() + "'; mkdir -p w; cd w; ";
  write_file_atomically(dir / "c.toml", "seed = 3\n");
  write_file_atomically(dir / "own.toml", "extends = \"~/c.toml\"\n");
  const Outcome trained = shell(home + train({"--config=~/own.toml", "--out=~/run"}));
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_TRUE(has(read_file(dir / "run/config.toml"), "seed = 3\n"));
  for (const char* command : {"eval '~/run'", "inspect '~/run/model.safetensors'", "table '~/run'",
                              "table '~/run' --out=~/t.txt"}) {
    const Outcome found = shell(home + "$P " + command);
    EXPECT_EQ(found.code, 0) << command << ": " << found.err;
  }
  EXPECT_TRUE(fs::exists(dir / "t.txt"));
  EXPECT_TRUE(fs::is_empty(dir / "w"));
  const Outcome none = shell("unset HOME; $P eval '~/run'");
  EXPECT_EQ(none.code, 2) << none.err;
  EXPECT_TRUE(has(none.err, "found '~/run' but no HOME")) << none.err;
}

TEST_F(Limits, PathsThatCannotBeFollowedAreFailures) {
  fs::create_symlink("loop", dir / "loop");
  const std::string name(300, 'n');
  for (const std::string& path : Arguments{"loop", name, "loop/x", name + "/x"}) {
    for (const std::string& command :
         {"eval " + path, "inspect " + path, "table " + path, "data events " + path,
          "train --config " + path, "train --dry-run data.name=cifar10 data.root=" + path,
          "data check cifar10 --root " + path, "sweep --out s --list " + path,
          "data cache moving-shapes train_size=2 test_size=2 --folder " + path,
          "data preview moving-shapes --out " + path, train({"--out", path}).substr(2),
          train({"--out", "run", "data.cache=disk", "data.cache_dir=" + path}).substr(2)}) {
      const Outcome found = shell("$P " + command);
      const bool may_be_noted = has(command, "--dry-run");
      EXPECT_TRUE(found.code == 1 || (may_be_noted && found.code == 0))
          << command << ": " << found.code << " " << found.err;
    }
  }
}

}  // namespace
}  // namespace spikenm
