// Files that would crash, fill or hang a program that trusts them: one sentence, and soon.
#include "spikenm/core/safetensors.h"
#include "spikenm/core/stopwatch.h"
#include "support/cli.h"

#include <fmt/format.h>
#include <sys/stat.h>

namespace spikenm {
namespace {

using test::Arguments;
using test::Cli;

class BadFiles : public Cli {
 protected:
  static constexpr double kSoon = 20;  // seconds, on a machine that has other work too

  void expect_soon(const Arguments& arguments, const Arguments& parts) {
    const Stopwatch clock;
    expect_failure(arguments, 1, parts);
    EXPECT_LT(clock.seconds(), kSoon) << arguments.front();
  }

  // A model that names this config and has `n` tensors of one byte.
  void write_model(const std::string& config, int n) {
    SafetensorsFile file;
    file.metadata = {{"format", "spikenm-model"}, {"version", "1"}, {"config", config}};
    for (int i = 0; i < n; ++i) file.tensors.push_back({fmt::format("t{}", i), "U8", {1}, {0}});
    write_safetensors(dir / "m.safetensors", file);
  }

  static std::string dotted(int n) {
    std::string key;
    for (int i = 1; i < n; ++i) key += "a.";
    return key + "a";
  }
};

TEST_F(BadFiles, WhatIsNoFileIsNotRead) {
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  for (const char* file : {"/dev/zero", "pipe"}) {
    expect_soon({"train", "--config", file}, {file, "not a file"});
    expect_soon({"eval", file}, {file, "not a file"});
    expect_soon({"sweep", "--list", file, "--out", "s"}, {file, "not a file"});
    expect_soon({"data", "events", file}, {file, "not a file"});
  }
}

TEST_F(BadFiles, ALargeConfigIsNotRead) {
  write_file_atomically(dir / "c.toml", "");
  std::filesystem::resize_file(dir / "c.toml", uint64_t{1} << 32);
  expect_soon({"train", "--config", "c.toml"}, {"c.toml", "at most 16777216"});
}

TEST_F(BadFiles, DeepTomlIsRefused) {
  const std::string deep = dotted(30'000);
  for (const std::string& text : {deep + " = 1\n", "[" + deep + "]\n", "[[" + deep + "]]\n",
                                  "a = {" + deep + " = 1}\n", "a = " + std::string(30'000, '[')}) {
    write_file_atomically(dir / "c.toml", text);
    expect_soon({"train", "--dry-run", "--config", "c.toml"}, {"c.toml:1", "64 deep"});
    expect_soon({"sweep", "--list", "c.toml", "--out", "s"}, {"c.toml:1", "64 deep"});
    write_model(text, 0);
    for (const char* command : {"eval", "inspect"})
      expect_soon({command, "m.safetensors"}, {"m.safetensors (config):1", "64 deep"});
  }
}

TEST_F(BadFiles, ManyKeysAndManyTensorsTakeLinearTime) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += fmt::format("key{} = {}\n", i, i);
  write_file_atomically(dir / "c.toml", text);
  expect_soon({"train", "--dry-run", "--config", "c.toml"}, {"key0: this run reads no such key"});
  write_model(text, 300'000);
  expect_soon({"eval", "m.safetensors"}, {"m.safetensors: found no tensor 'conv1.weight'"});
}

TEST_F(BadFiles, DeepJsonIsRefused) {
  ASSERT_EQ(run(tiny({"train", "--out", "run"})).code, 0);
  constexpr size_t kMany = 1'000'000;
  write_file_atomically(dir / "run/result.json", "{\"test_accuracy\":" + std::string(kMany, '[') +
                                                     std::string(kMany, ']') + "}");
  expect_soon({"table", "run"}, {"run/result.json: found JSON more than 64"});
}

}  // namespace
}  // namespace spikenm
