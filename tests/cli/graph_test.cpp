// Networks written to files, drawn, and trained from them.
#include "spikenm/core/json.h"
#include "support/cli.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace spikenm {
namespace {

namespace fs = std::filesystem;
using test::Arguments;
using test::Cli;
using test::has;
using test::Outcome;

class GraphCli : public Cli {
 protected:
  // The network of the tiny runs, as a file.
  void write_network(const std::string& file) {
    ASSERT_EQ(run(tiny({"train", "--out", "first"})).code, 0);
    ASSERT_EQ(run({"inspect", "first", "--graph", file}).code, 0);
  }
};

// Both ways to the same weights, masks and statistics.
TEST_F(GraphCli, ANetworkTrainsFromItsFileToTheSameModel) {
  write_network("net.toml");
  ASSERT_EQ(run({"inspect", "first", "--graph", "net.json"}).code, 0);
  for (const char* file : {"net.toml", "net.json"}) {
    Arguments arguments{"train", "--out", std::string("from ") + file};
    for (const std::string& argument : tiny({}))
      if (!argument.starts_with("model.") || argument.starts_with("model.T="))
        arguments.push_back(argument);
    arguments.push_back(std::string("model.file=") + file);
    const Outcome found = run(arguments);
    ASSERT_EQ(found.code, 0) << found.err;
    const fs::path second = dir / arguments[2];
    // Beside the config, the bytes are the same.
    const std::string a = read_file(dir / "first/model.safetensors"),
                      b = read_file(second / "model.safetensors");
    EXPECT_EQ(a.substr(a.size() / 2), b.substr(b.size() - (a.size() - a.size() / 2)));
    EXPECT_EQ(read_file(second / "graph.toml"), read_file(dir / "first/graph.toml"));
    EXPECT_TRUE(has(read_file(second / "config.toml"), "file = \"graph.toml\""));
    // The run can be had again from its own folder.
    EXPECT_EQ(run({"train", "--config", (second / "config.toml").string(), "--dry-run"}).code, 0);
    EXPECT_EQ(run({"eval", second.string()}).code, 0);
  }
}

// What a dry run prints is a config wherever it is put.
TEST_F(GraphCli, ADryRunNamesTheNetworksFileFromTheRoot) {
  write_network("net.toml");
  const Outcome printed = run({"train", "model.file=net.toml", "model.T=2", "--dry-run"});
  ASSERT_EQ(printed.code, 0) << printed.err;
  EXPECT_TRUE(has(printed.out, "file = \"" + (dir / "net.toml").string() + "\"")) << printed.out;
  fs::create_directory(dir / "elsewhere");
  write_file_atomically(dir / "elsewhere/config.toml", printed.out);
  EXPECT_EQ(run({"train", "--config", "elsewhere/config.toml", "--dry-run"}).code, 0);

  const std::string odd = "a\xff";
  fs::create_directory(dir / odd);
  fs::copy_file(dir / "net.toml", dir / odd / "net.toml");
  expect_failure({"train", "model.file=" + odd + "/net.toml", "--dry-run"}, 1, {"UTF-8"});
}

TEST_F(GraphCli, InspectPrintsAndDraws) {
  const Outcome printed = run({"inspect", "--frame", "2x34x34x10", "--graph", "-"});
  EXPECT_EQ(printed.code, 0) << printed.err;
  EXPECT_TRUE(has(printed.out, "format = \"spikenm-graph\"") && !has(printed.out, "weights"));
  write_network("net.svg");
  const std::string svg = read_file(dir / "net.svg");
  for (const char* part : {"<svg", "conv2", "2:4", "% kept", "rate ", "</svg>"})
    EXPECT_TRUE(has(svg, part)) << part;
  // The rates are those of the last epoch's model; the mean of all is no layer's.
  ASSERT_EQ(run({"inspect", "first/model_best_val.safetensors", "--graph", "best.svg"}).code, 0);
  EXPECT_FALSE(has(read_file(dir / "best.svg"), "rate "));
  expect_failure({"inspect", "first", "--graph", "net.png"}, 1,
                 {"net.png", ".toml, .json or .svg"});
}

TEST_F(GraphCli, AFileThatIsNoNetworkIsAnErrorOfItsNode) {
  const auto refused = [&](const std::string& nodes, const Arguments& parts) {
    write_file_atomically(dir / "bad.toml",
                          "format = 'spikenm-graph'\nversion = 1\nname = 'bad'\n"
                          "frame = [2, 34, 34]\nclasses = ['a', 'b']\n" +
                              nodes);
    Arguments all{"bad.toml"};
    all.insert(all.end(), parts.begin(), parts.end());
    expect_failure({"train", "--out", "run", "model.file=bad.toml"}, 1, all);
  };
  refused(
      "[[node]]\nname = 'x'\nop = 'synapse'\nout = 2\ninputs = ['y']\n"
      "[[node]]\nname = 'y'\nop = 'norm'\n",
      {"x: inputs", "'y'", "cycles"});
  refused("[[node]]\nname = 'x'\nop = 'synapse'\nout = 2\ninputs = ['z']\n", {"x: inputs", "'z'"});
  refused("[[node]]\nname = 'x'\nop = 'conv'\nout = 2\n", {"x", "'conv'", "synapse"});
  refused("[[node]]\nname = 'x'\nop = 'vote'\nvoters = 2\n", {"x", "2x34x34"});
  refused("[[node]]\nname = 'x'\nop = 'norm'\n[[node]]\nname = 'x'\nop = 'norm'\n",
          {"x", "two nodes"});
  std::string many;
  for (int i = 0; i < 9000; ++i) many += fmt::format("[[node]]\nname = 'n{}'\nop = 'norm'\n", i);
  refused(many, {"n4999", "at most 5000"});
  expect_failure({"train", "--out", "run", "model.file=none.toml"}, 1, {"none.toml"});
  EXPECT_FALSE(fs::exists(dir / "run"));
}

}  // namespace
}  // namespace spikenm
