// Runs a program under the shim that makes calls on files go wrong (tests/faults/shim.cpp).
#pragma once

#include "spikenm/core/file.h"
#include "support/temp_dir.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace spikenm::test {

// What goes wrong: names of the call and of the kind as in shim.cpp.
struct Fault {
  std::string call, kind;
  int at = 1;          // the number of the call
  bool lasts = false;  // all later calls go wrong too

  [[nodiscard]] std::string text() const {
    return kind + " at " + call + " " + std::to_string(at) + (lasts ? " and after" : "");
  }
};

// A counted call, and the path of its file.
struct FileCall {
  std::string call, path;
};

// Puts later temporary folders into memory, if the machine has /dev/shm. Then a test that writes
// thousands of files does not wait for the disk.
struct InMemory {
  InMemory() {
    if (std::filesystem::is_directory("/dev/shm")) ::setenv("TMPDIR", "/dev/shm", 0);
  }
};

struct FaultyEnd {
  int code = -1;  // when killed: minus the number of the signal
  std::string err;
  std::vector<FileCall> calls;
};

class FaultyRun {
 public:
  // Only calls on `folder` and on files below it are counted.
  FaultyRun(std::vector<std::string> command, std::filesystem::path folder)
      : command_(std::move(command)), folder_(std::move(folder)) {}

  FaultyEnd run() const { return run_with({}); }
  FaultyEnd run(const Fault& fault) const {
    return run_with({"SPIKENM_FAULT_CALL=" + fault.call, "SPIKENM_FAULT_KIND=" + fault.kind,
                     "SPIKENM_FAULT_AT=" + std::to_string(fault.at) + (fault.lasts ? "+" : "")});
  }

 private:
  FaultyEnd run_with(std::vector<std::string> settings) const {
    const TempDir scratch;
    settings.push_back("LD_PRELOAD=" SPIKENM_FAULT_SHIM);
    settings.push_back("SPIKENM_FAULT_FOLDER=" + folder_.string());
    settings.push_back("SPIKENM_FAULT_LOG=" + (scratch / "log").string());
    for (char** each = environ; *each != nullptr; ++each) settings.emplace_back(*each);
    const pid_t child = ::fork();
    if (child == 0) become(settings, scratch / "err");
    int status = 0;
    ::waitpid(child, &status, 0);
    FaultyEnd end{.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
                  .err = read_file(scratch / "err"),
                  .calls = {}};
    if (!std::filesystem::exists(scratch / "log")) return end;
    std::istringstream log(read_file(scratch / "log"));
    for (std::string line; std::getline(log, line);) {
      const size_t space = line.find(' ');
      end.calls.push_back({line.substr(0, space), line.substr(space + 1)});
    }
    return end;
  }

  [[noreturn]] void become(std::vector<std::string>& settings, const std::string& err) const {
    const auto pointers = [](std::vector<std::string>& words) {
      std::vector<char*> result;
      for (std::string& word : words) result.push_back(word.data());
      result.push_back(nullptr);
      return result;
    };
    std::vector<std::string> words = command_;
    ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
    ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDERR_FILENO);
    ::execve(words[0].c_str(), pointers(words).data(), pointers(settings).data());
    ::_exit(99);
  }

  std::vector<std::string> command_;
  std::filesystem::path folder_;
};

inline int count_of(const std::vector<FileCall>& calls, const std::string& call) {
  return static_cast<int>(std::count_if(calls.begin(), calls.end(),
                                        [&](const FileCall& each) { return each.call == call; }));
}

// The n-th of the calls with this name, from 1.
inline const FileCall& call_at(const std::vector<FileCall>& calls, const std::string& call, int n) {
  return *std::find_if(calls.begin(), calls.end(),
                       [&](const FileCall& each) { return each.call == call && --n == 0; });
}

}  // namespace spikenm::test
