// Runs a program under the shim that makes calls on files go wrong (tests/faults/shim.cpp).
#pragma once

#include "spikenm/core/file.h"
#include "support/in_memory.h"
#include "support/temp_dir.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <stdexcept>
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

struct FaultyEnd {
  int code = -1;  // when killed: minus the number of the signal
  std::string err;
  std::vector<FileCall> calls;
};

// What a run left: `status` as waitpid() gives it, its standard error and the shim's log.
inline FaultyEnd read_end(int status, const std::filesystem::path& err,
                          const std::filesystem::path& log) {
  FaultyEnd end{.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
                .err = read_file(err),
                .calls = {}};
  if (!std::filesystem::exists(log)) return end;
  std::istringstream lines(read_file(log));
  for (std::string line; std::getline(lines, line);) {
    const size_t space = line.find(' ');
    end.calls.push_back({line.substr(0, space), line.substr(space + 1)});
  }
  return end;
}

// Becomes the command, with these settings beside the environment's.
[[noreturn]] inline void become(std::vector<std::string> words, std::vector<std::string> settings) {
  const auto pointers = [](std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (std::string& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
  };
  settings.emplace_back("LD_PRELOAD=" SPIKENM_FAULT_SHIM);
  for (char** each = environ; *each != nullptr; ++each) settings.emplace_back(*each);
  ::execve(words[0].c_str(), pointers(words).data(), pointers(settings).data());
  ::_exit(99);
}

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
    settings.push_back("SPIKENM_FAULT_FOLDER=" + folder_.string());
    settings.push_back("SPIKENM_FAULT_LOG=" + (scratch / "log").string());
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
      ::dup2(::open((scratch / "err").c_str(), O_WRONLY | O_CREAT, 0644), STDERR_FILENO);
      become(command_, settings);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return read_end(status, scratch / "err", scratch / "log");
  }

  std::vector<std::string> command_;
  std::filesystem::path folder_;
};

// Runs one command many times, and starts its program once (tests/faults/server.cpp): a program
// that loads torch takes longer to start than to train a tiny network.
class FaultServer {
 public:
  FaultServer(const std::vector<std::string>& command, const std::filesystem::path& folder) {
    std::array<int, 2> requests{}, answers{};
    if (::pipe2(requests.data(), O_CLOEXEC) != 0 || ::pipe2(answers.data(), O_CLOEXEC) != 0)
      throw std::runtime_error("no pipes");
    child_ = ::fork();
    if (child_ == 0) {
      for (const int kept : {requests[0], answers[1]}) ::fcntl(kept, F_SETFD, 0);
      become(command, {"SPIKENM_FAULT_FOLDER=" + folder.string(),
                       "SPIKENM_FAULT_SERVER=" + std::to_string(requests[0]) + " " +
                           std::to_string(answers[1])});
    }
    ::close(requests[0]);
    ::close(answers[1]);
    requests_ = requests[1];
    answers_ = answers[0];
  }
  ~FaultServer() {
    ::close(requests_);  // so that the server ends
    ::close(answers_);
    ::waitpid(child_, nullptr, 0);
  }
  FaultServer(const FaultServer&) = delete;
  FaultServer& operator=(const FaultServer&) = delete;

  FaultyEnd run() const { return run_with("- - -"); }
  FaultyEnd run(const Fault& fault) const {
    return run_with(fault.call + " " + fault.kind + " " + std::to_string(fault.at) +
                    (fault.lasts ? "+" : ""));
  }

 private:
  FaultyEnd run_with(const std::string& fault) const {
    const TempDir scratch;
    const std::string request =
        fault + " " + (scratch / "log").string() + " " + (scratch / "err").string() + "\n";
    int status = -1;
    if (::write(requests_, request.data(), request.size()) !=
            static_cast<ssize_t>(request.size()) ||
        ::read(answers_, &status, sizeof status) != sizeof status)
      throw std::runtime_error("the program that is to run many times has ended");
    return read_end(status, scratch / "err", scratch / "log");
  }

  pid_t child_ = -1;
  int requests_ = -1, answers_ = -1;
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
