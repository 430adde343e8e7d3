// The runs of a sweep: which are finished, and the processes that train the others.
#pragma once

#include "spikenm/core/json.h"
#include "spikenm/report/runs.h"
#include "spikenm/sweep/spec.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace spikenm::cli {

// A member as it would be trained.
struct Resolved {
  std::string config;
  std::string graph;  // of the network, if a file gives it; else empty
};

// One member with one seed.
struct Planned {
  size_t member;
  int64_t seed;
  std::string name;
  std::filesystem::path folder;
  Json config;                         // as its run would record it
  std::string graph;                   // as in Resolved
  std::optional<report::Run> found{};  // empty: not finished
};

// All runs of the sweep, with the results of those that are finished.
std::vector<Planned> plan(const sweep::Spec& spec, const std::vector<Resolved>& resolved,
                          const std::filesystem::path& out);

struct TrainAllOptions {
  int64_t at_once = 1;
  bool take_over = false;  // folders of processes on other hosts
};

// Trains what is not finished; returns one line per run that failed. A run that another process
// trains is left to it, and its result is read at the end if there is one by then.
std::vector<std::string> train_all(std::vector<Planned>& planned,
                                   const std::vector<Resolved>& resolved,
                                   const TrainAllOptions& options);

}  // namespace spikenm::cli
