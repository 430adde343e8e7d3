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
};

// Called many times per second with the number of ended jobs and the indices of the running ones.
// An exception from it stops all jobs.
using WatchJobs = std::function<void(size_t ended, const std::vector<size_t>& running)>;

// Called once for each job that ended, with its index and its exit code.
using JobEnded = std::function<void(size_t job, int code)>;

// Called before each job, with its index; returns whether to start it. No other process starts the
// job between this call and the job's end.
using MayStart = std::function<bool(size_t job)>;

// The code of a job that was not started: MayStart refused it, or another process runs it.
inline constexpr int kNotStarted = -1;

// Runs the jobs in order, `at_once` at a time, and returns their exit codes; 128 + s for a job that
// signal s ended.
std::vector<int> run_jobs(
    const std::vector<Job>& jobs, size_t at_once, const WatchJobs& watch,
    const JobEnded& job_ended = [](size_t, int) {},
    const MayStart& may_start = [](size_t) { return true; });

}  // namespace spikenm::sweep
