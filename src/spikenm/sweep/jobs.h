// Child processes, several at a time. One that crashes takes nobody with it; none outlives us.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace spikenm::sweep {

struct Job {
  std::vector<std::string> command;  // the program, then its arguments
  std::filesystem::path log;         // gets its output and errors
};

// Called many times a second with the number of ended jobs and the places of those that run. What
// it throws stops them all.
using WatchJobs = std::function<void(size_t ended, const std::vector<size_t>& running)>;

// Called once for each job that ended, with its place and its exit code.
using JobEnded = std::function<void(size_t job, int code)>;

// Runs the jobs in order, `at_once` at a time, and gives their exit codes; 128 + s for one that
// signal s ended.
std::vector<int> run_jobs(
    const std::vector<Job>& jobs, size_t at_once, const WatchJobs& watch,
    const JobEnded& job_ended = [](size_t, int) {});

}  // namespace spikenm::sweep
