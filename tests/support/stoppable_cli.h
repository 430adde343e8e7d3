// Runs of the program that are stopped while they train.
#pragma once

#include "spikenm/core/run_dir.h"
#include "support/cli.h"
#include "support/in_memory.h"
#include "support/run_ending.h"

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

namespace spikenm::test {

namespace fs = std::filesystem;

// A checkpoint at almost every step, a mask that is held for several of them.
inline const Arguments kSavesOften{"train.epochs=4",        "train.search_epochs=2",
                                   "data.train_size=100",   "train.batch_size=10",
                                   "method.redraw_every=3", "checkpoints.every_minutes=1e-6"};

class StoppableCli : InMemory, public Cli {
 protected:
  Arguments train(const std::string& out, Arguments more = {}) {
    Arguments all = tiny({"train", "--out", out}, kSavesOften);
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  std::string ending(const std::string& out) { return spikenm::test::ending_of(dir / out); }

  fs::path newest_checkpoint(const std::string& out) {
    fs::path newest;
    int64_t most = -1;
    for (const auto& entry : fs::directory_iterator(dir / out / RunDir::kCheckpoints)) {
      const int64_t step = std::stoll(entry.path().stem().string().substr(5));
      if (step > most) newest = entry.path();
      most = std::max(most, step);
    }
    return newest;
  }

  static void wait_for_file(const fs::path& file) {
    std::error_code error;
    for (int i = 0; i < 600 && !fs::exists(file, error); ++i) std::this_thread::sleep_for(kPause);
  }

  // Waits until the run has written a checkpoint.
  bool has_begun(const std::string& out) {
    for (int i = 0; i < 600; ++i) {
      std::error_code error;
      if (!fs::is_empty(dir / out / RunDir::kCheckpoints, error) && !error) return true;
      std::this_thread::sleep_for(kPause);
    }
    return false;
  }

  // Whether the process has a handler for the signal.
  static bool catches(pid_t process, int signal_number) {
    std::ifstream status(fmt::format("/proc/{}/status", process));
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("SigCgt:"))
        return (std::stoull(line.substr(7), nullptr, 16) >> (signal_number - 1) & 1U) != 0;
    return false;
  }

  // A run that a signal stops after its first checkpoint.
  Outcome stopped(const std::string& out, int signal_number) {
    const pid_t child = start(train(out));
    EXPECT_TRUE(has_begun(out));
    ::kill(child, signal_number);
    return finish(child);
  }

 private:
  static constexpr std::chrono::milliseconds kPause{20};
};

}  // namespace spikenm::test
