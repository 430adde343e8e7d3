// Runs child processes, several at a time. A crash of one does not affect the others; all of them
// end when this process ends. Several processes may run the same jobs: each job runs in one of them
// at a time.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace spikenm::sweep {

struct Job {
  std::vector<std::string> command;  // the program, then its arguments
  std::filesystem::path log;         // receives its output and errors
  bool keeps_log = false;            // adds to the log instead of replacing it
};

// The code of a job that was not started: may_start refused it, or another process runs it.
inline constexpr int kNotStarted = -1;

// Functions that run_jobs calls; any of them may be null. Jobs are named by their index.
struct JobCalls {
  // Called many times per second with the number of jobs that are done and the running ones. When
  // it throws, all jobs get SIGTERM and time to end.
  std::function<void(size_t done, const std::vector<size_t>& running)> watch;
  // Called when a job has ended, with its exit code. Returns whether to start it again, after those
  // that still wait.
  std::function<bool(size_t job, int code)> ended;
  // Called before a job is started. Returns whether to start it, and may change it. No other
  // process starts the job between this call and the job's end.
  std::function<bool(size_t index, Job& job)> may_start;
};

// Runs the jobs in order, `at_once` at a time, and returns their exit codes; 128 + s for a job that
// signal s ended.
std::vector<int> run_jobs(std::vector<Job> jobs, size_t at_once, const JobCalls& calls = {});

}  // namespace spikenm::sweep
