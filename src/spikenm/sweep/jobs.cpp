#include "spikenm/sweep/jobs.h"

#include "spikenm/core/descriptor.h"
#include "spikenm/core/error.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <numeric>
#include <thread>

namespace spikenm::sweep {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPause{20};
// Pauses before a job is killed: ten minutes. A run that is stopped finishes its step and writes a
// checkpoint.
constexpr int kPatience = 30'000;

int exit_code(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Runs in the child, between fork and exec: it must not allocate memory.
[[noreturn]] void become(char* const* arguments, int log, int nothing, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() == parent) {  // else the parent has already ended
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(log, STDOUT_FILENO);
    ::dup2(log, STDERR_FILENO);
    ::execv(arguments[0], arguments);
  }
  ::_exit(127);
}

// Opens the log and locks it. The child inherits the lock with the log, so that it lasts until the
// job ends. Returns no descriptor if another process runs the job. On a file system without locks
// every process may run it.
Descriptor claim_log(const Job& job) {
  Descriptor log(::open(job.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  SPIKENM_CHECK(log.get() >= 0, "{}: cannot write: {}", job.log.string(), std::strerror(errno));
  if (::flock(log.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return Descriptor(-1);
  return log;
}

pid_t start(const Job& job, const Descriptor& log) {
  std::vector<std::string> words = job.command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  // A device has nothing to remove.
  SPIKENM_CHECK(job.keeps_log || ::ftruncate(log.get(), 0) == 0 || errno == EINVAL,
                "{}: cannot write: {}", job.log.string(), std::strerror(errno));
  const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));

  const pid_t parent = ::getpid(), child = ::fork();
  if (child == 0) become(arguments.data(), log.get(), nothing.get(), parent);
  SPIKENM_CHECK(child > 0, "{}: cannot start: {}", job.command.front(), std::strerror(errno));
  return child;
}

// The jobs that run now. The destructor ends them: with SIGTERM, and after a while with SIGKILL.
class Running {
 public:
  Running() = default;
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    for (const pid_t pid : pids_) ::kill(pid, SIGTERM);
    for (int waited = 0; !pids_.empty() && waited < kPatience; ++waited) {
      collect([](size_t, int) {});
      if (!pids_.empty()) std::this_thread::sleep_for(kPause);
    }
    for (const pid_t pid : pids_) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }

  void add(size_t job, pid_t pid) {
    jobs_.push_back(job);
    pids_.push_back(pid);
  }

  // Calls `ended` for each job that has ended.
  template <class Ended>
  void collect(const Ended& ended) {
    for (size_t i = 0; i < pids_.size();) {
      int status = 0;
      if (::waitpid(pids_[i], &status, WNOHANG) != pids_[i]) {
        ++i;
        continue;
      }
      const size_t job = jobs_[i];
      jobs_.erase(jobs_.begin() + static_cast<ptrdiff_t>(i));
      pids_.erase(pids_.begin() + static_cast<ptrdiff_t>(i));
      ended(job, exit_code(status));  // last: it may throw, and the job is already removed
    }
  }

  [[nodiscard]] const std::vector<size_t>& jobs() const { return jobs_; }

 private:
  std::vector<size_t> jobs_;  // indices in the list of jobs
  std::vector<pid_t> pids_;
};

}  // namespace

std::vector<int> run_jobs(std::vector<Job> jobs, size_t at_once, const JobCalls& calls) {
  SPIKENM_ASSERT(at_once >= 1);
  std::vector<int> codes(jobs.size());
  std::deque<size_t> waiting(jobs.size());
  std::iota(waiting.begin(), waiting.end(), size_t{0});
  Running running;
  size_t done = 0;

  const auto end = [&](size_t job, int code) {
    codes[job] = code;
    if (calls.ended && calls.ended(job, code)) {
      waiting.push_back(job);
    } else {
      ++done;
    }
  };

  while (done < jobs.size()) {
    while (!waiting.empty() && running.jobs().size() < at_once) {
      const size_t next = waiting.front();
      waiting.pop_front();
      const Descriptor log = claim_log(jobs[next]);
      if (log.get() >= 0 && (!calls.may_start || calls.may_start(next, jobs[next]))) {
        running.add(next, start(jobs[next], log));
      } else {
        end(next, kNotStarted);
      }
    }

    if (calls.watch) calls.watch(done, running.jobs());
    std::this_thread::sleep_for(kPause);
    running.collect(end);
  }

  return codes;
}

}  // namespace spikenm::sweep
