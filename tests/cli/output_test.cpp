// What the program does with a terminal, and with streams that cannot be written.
#include "spikenm/core/file.h"
#include "support/cli.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace spikenm {
namespace {

namespace fs = std::filesystem;
using test::Arguments;
using test::Cli;
using test::Outcome;

class Output : public Cli {
 protected:
  // The exit code of a command line in the test's folder; $P is the program.
  int shell(const std::string& command) {
    const int status = std::system(
        ("cd '" + dir.path().string() + "' && P='" SPIKENM_PROGRAM "' && " + command).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  static std::string words(const Arguments& arguments) {
    std::string text;
    for (const std::string& argument : arguments) text += " '" + argument + "'";
    return text;
  }
};

TEST_F(Output, AnUnwritableStderrLeavesTheExitCodeAsItIs) {
  for (const char* sink : {"2>/dev/full", "2>&-", "2>&- 1>&- 0<&-"}) {
    SCOPED_TRACE(sink);
    const std::string to = std::string(" ") + sink;
    EXPECT_EQ(shell("$P train --config none.toml" + to), 1);
    EXPECT_EQ(shell("$P fly" + to), 2);
    EXPECT_EQ(shell("$P train seed" + to), 2);
    EXPECT_EQ(shell("$P table . >nothing" + to), 1);
  }
  EXPECT_EQ(shell("$P train" + words(tiny({"--out", "run"})) + " >out 2>/dev/full"), 0);
  EXPECT_EQ(shell("$P train" + words(tiny({"--out", "closed"})) + " >out 2>&-"), 0);
}

TEST_F(Output, WhatIsSaidToAClosedStderrGoesIntoNoFile) {
  ASSERT_EQ(shell("$P train" + words(tiny({"--out", "run"})) + " >out"), 0);
  fs::create_directory(dir / "runs");
  fs::rename(dir / "run", dir / "runs/whole");
  fs::create_directory(dir / "runs/bare");  // is left out, which is said
  write_file_atomically(dir / "runs/bare/config.toml", "seed = 1\n");
  EXPECT_EQ(shell("$P table runs --out table.txt >out 2>&-"), 0);
  EXPECT_EQ(read_file(dir / "table.txt").find("spikenm: "), std::string::npos);
}

TEST_F(Output, AStderrThatNobodyReadsLeavesTheExitCodeAsItIs) {
  // The reader is gone before anything is said.
  EXPECT_EQ(shell("{ sleep 0.2; $P train --config none.toml 2>&1 >nothing; echo $? >code; } | "
                  "true; exit $(cat code)"),
            1);
}

TEST_F(Output, AFullStandardOutputFailsWithOneSentence) {
  EXPECT_EQ(shell("$P --help >/dev/full 2>err"), 1);
  EXPECT_EQ(read_file(dir / "err"),
            "spikenm: standard output: cannot write: No space left on device\n");
}

TEST_F(Output, ControlCharactersOfFilesNeverReachTheTerminalRaw) {
  const std::string nasty =
      "\x1b]0;title\x07\xc2\x9b"
      "2J";
  const auto expect_clean = [](const Outcome& found) {
    for (const std::string& text : {found.out, found.err}) {
      EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
      EXPECT_EQ(text.find('\x07'), std::string::npos) << text;
      EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos) << text;
    }
  };
  // A key of a config, the name of a file, and a text of a result.
  write_file_atomically(dir / "c.toml", "\"\\u001b]0;title\\u0007\\u009b2J\" = 1\n");
  const Outcome key = run({"train", "--dry-run", "--config", "c.toml"});
  EXPECT_EQ(key.code, 1);
  EXPECT_NE(key.err.find("\\x1B]0;title\\x07\\xC2\\x9B2J: this run reads no such key"),
            std::string::npos)
      << key.err;
  expect_clean(key);
  const Outcome file = run({"data", "events", nasty});
  EXPECT_EQ(file.code, 1);
  expect_clean(file);
  ASSERT_EQ(run(tiny({"train", "--out", "run"})).code, 0);
  std::string result = read_file(dir / "run/result.json");
  const size_t at = result.find("\"method\": \"spikenm\"");
  ASSERT_NE(at, std::string::npos);
  result.replace(at, 19, "\"method\": \"\\u001b[2J\\u009b\\n\"");
  write_file_atomically(dir / "run/result.json", result);
  for (const char* format : {"text", "markdown", "csv"}) {
    const Outcome table = run({"table", "run", "--format", format});
    EXPECT_EQ(table.code, 0) << table.err;
    EXPECT_NE(table.out.find("\\x1B[2J\\xC2\\x9B"), std::string::npos) << table.out;
    expect_clean(table);
  }
}

}  // namespace
}  // namespace spikenm
