// Runs of a program on a folder in which one call on a file goes wrong: every call, in every way, or
// a share of them unless SPIKENM_FAULTS=all.
#pragma once

#include "support/faults.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <map>

namespace spikenm::faults {

namespace fs = std::filesystem;
using test::Fault;
using test::FaultServer;
using test::FaultyEnd;

inline const std::vector<std::string> kCalls{"open",   "write", "fsync",
                                             "rename", "mkdir", "truncate"};
inline const std::vector<const char*> kKinds{"kill",   "torn", "ENOSPC", "EIO",
                                             "EACCES", "full", "EINTR",  "short"};
inline const std::map<std::string, std::string> kReasons{{"ENOSPC", "No space left on device"},
                                                         {"EIO", "Input/output error"},
                                                         {"EACCES", "Permission denied"},
                                                         {"full", "No space left on device"}};

inline bool tries_all() {
  const char* const asked = std::getenv("SPIKENM_FAULTS");
  return asked != nullptr && std::string(asked) == "all";
}

inline std::vector<fs::path> parts_in(const fs::path& folder) {
  std::vector<fs::path> parts;
  std::error_code error;  // there may be no folder
  for (const auto& entry : fs::recursive_directory_iterator(folder, error))
    if (entry.path().filename().string().find(".part") != std::string::npos)
      parts.push_back(entry.path());
  return parts;
}

class FaultyFolder : public testing::Test {
 protected:
  void put(const fs::path& content) {
    fs::remove_all(folder);
    if (!content.empty()) fs::copy(content, folder, fs::copy_options::recursive);
  }

  // The one sentence on standard error that is not there in a run without a fault.
  void expect_sentence(const FaultyEnd& end, const std::string& reason) {
    std::istringstream lines(end.err);
    std::vector<std::string> sentences;
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("spikenm: ")) sentences.push_back(line);
    ASSERT_EQ(sentences.size(), 1u) << end.err;
    EXPECT_TRUE(end.err.ends_with(sentences[0] + "\n")) << end.err;
    EXPECT_NE(sentences[0].find(reason), std::string::npos) << end.err;
    EXPECT_NE(sentences[0].find(folder.string()), std::string::npos) << end.err;
  }

  // `always_comes`: the program makes the same calls in every run.
  void check_end(const Fault& fault, const FaultyEnd& end, bool always_comes = true) {
    if (!always_comes && end.code == 0) return;
    if (fault.kind == "term") {
      // Before the program listens to signals it dies; behind the last step it ends normally.
      EXPECT_TRUE(end.code == 128 + SIGTERM || end.code == -SIGTERM || end.code == 0) << end.err;
    } else if (fault.kind == "kill" || fault.kind == "torn") {
      EXPECT_EQ(end.code, -SIGKILL) << end.err;
    } else if (fault.kind == "EINTR" || fault.kind == "short") {
      EXPECT_EQ(end.code, 0) << end.err;
    } else if (end.code != 0) {  // what is not needed may fail, as the syncing of a folder
      EXPECT_EQ(end.code, 1) << end.err;
      expect_sentence(end, kReasons.at(fault.kind));
    }
  }

  // Every fault, or a share of them, in a run of `server` that finds `content` in its folder.
  template <class Check>
  void for_each_fault(const FaultServer& server, const fs::path& content, size_t share, Check check,
                      const std::vector<const char*>& kinds = kKinds) {
    put(content);
    const std::vector<test::FileCall> calls = server.run().calls;
    size_t n_faults = 0, n_tried = 0;
    for (const char* kind : kinds)
      for (const bool lasts : {false, true})
        for (const std::string& call : kCalls)
          for (int n = 1; n <= count_of(calls, call); ++n) {
            const Fault fault{.call = call, .kind = kind, .at = n, .lasts = lasts};
            if (!makes_sense(fault)) continue;
            if (n_faults++ % share != 0 && !tries_all()) continue;
            ++n_tried;
            SCOPED_TRACE(fault.text());
            put(content);
            check(fault, server.run(fault));
            if (HasFatalFailure() || (HasFailure() && !tries_all())) return;
          }
    RecordProperty("faults", static_cast<int>(n_tried));
    std::printf("%zu of %zu faults\n", n_tried, n_faults);
  }

  static bool makes_sense(const Fault& fault) {
    const bool of_writes = fault.kind == "torn" || fault.kind == "full" || fault.kind == "short";
    const bool can_last =
        fault.kind == "short" || (kReasons.contains(fault.kind) && fault.kind != "full");
    return (!of_writes || fault.call == "write") && (can_last || !fault.lasts);
  }

  const test::InMemory in_memory;
  const test::TempDir dir;
  const fs::path folder = dir / "run";
};

}  // namespace spikenm::faults
