// How soon the program answers a signal, and what it leaves behind.
#include "spikenm/core/file.h"
#include "spikenm/core/stopwatch.h"
#include "support/cli.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <utility>

namespace spikenm {
namespace {

namespace fs = std::filesystem;
using test::Arguments;
using test::Cli;
using test::Outcome;

// A machine that has other work too may be late once; it is not always.
TEST_F(Cli, ASignalIsAnsweredWithinASecond) {
  write_file_atomically(dir / "large.bin", "");
  fs::resize_file(dir / "large.bin", uint64_t{1} << 32);
  const auto reads_large = [&](pid_t child) {
    std::error_code gone;
    for (const auto& fd : fs::directory_iterator(fmt::format("/proc/{}/fd", child), gone))
      if (fs::read_symlink(fd, gone).filename() == "large.bin") return true;
    return false;
  };
  const auto trains = [&](pid_t) { return fs::exists(dir / "run/metrics.jsonl"); };
  const auto answer = [&](const Arguments& arguments, const auto& is_at_it) {
    fs::remove_all(dir / "run");
    const pid_t child = start(arguments);
    for (int i = 0; i < 10'000 && !is_at_it(child); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const Stopwatch clock;
    ::kill(child, SIGTERM);
    const Outcome found = finish(child);
    EXPECT_EQ(found.code, 143) << found.err;
    return clock.seconds();
  };
  const auto expect_soon = [&](const Arguments& arguments, const auto& is_at_it) {
    double fastest = 1e9;
    for (int i = 0; i < 5 && fastest >= 1; ++i)
      fastest = std::min(fastest, answer(arguments, is_at_it));
    EXPECT_LT(fastest, 1) << arguments[0];
  };
  expect_soon({"data", "events", "large.bin"}, reads_large);
  expect_soon(tiny({"train", "--out", "run"}, {"train.epochs=100000"}), trains);
  // Samples of a second each, and a set of ten million.
  const auto has_begun = [&](pid_t child) {
    const std::string status = read_file(fmt::format("/proc/{}/status", child));
    const uint64_t caught = std::stoull(status.substr(status.find("SigCgt:") + 7), nullptr, 16);
    if ((caught >> (SIGTERM - 1) & 1) == 0) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    return true;
  };
  expect_soon({"data", "stats", "moving-shapes", "--T", "10000", "train_size=60", "test_size=10"},
              has_begun);
  expect_soon({"train", "--out", "run", "data.train_size=10000000"}, has_begun);
}

TEST_F(Cli, ASignalEndsARunWithItsCodeAndLeavesNoPartOfAFile) {
  for (const auto& [signal_number, code] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}}) {
    const std::string out = "run" + std::to_string(code);
    const pid_t child = start(tiny({"train", "--out", out}, {"train.epochs=100000"}));
    for (int i = 0; i < 1000 && !fs::exists(dir / (out + "/metrics.jsonl")); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ::kill(child, signal_number);
    const Outcome found = finish(child);
    EXPECT_EQ(found.code, code) << found.err;
    EXPECT_NE(found.err.find("spikenm: interrupted "), std::string::npos) << found.err;
    std::set<std::string> files = files_in(out);
    files.erase("model_best_val.safetensors");  // found or not yet
    EXPECT_EQ(files, (std::set<std::string>{"checkpoints", "config.toml", "graph.toml",
                                            "metrics.jsonl", "tensorboard"}));
    EXPECT_EQ(files_in(out + "/checkpoints").size(), 1u);
  }
}

}  // namespace
}  // namespace spikenm
