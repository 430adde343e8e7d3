// The runs of a sweep, and what their folders hold already.
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
  Json config;        // as its run would record it
  std::string graph;  // as in Resolved

  // What the folder holds; look_into() sets these.
  std::optional<report::Run> found{};  // the run, if it is finished
  bool goes_on = false;                // a run that is not finished
  bool is_spoilt = false;              // the result of a finished run cannot be read
  std::string difference{};            // a run that differs from the plan, and in what; else empty
};

// All runs of the sweep, with what their folders hold.
std::vector<Planned> plan(const sweep::Spec& spec, const std::vector<Resolved>& resolved,
                          const std::filesystem::path& out);

// Looks into the run's folder again: another process may have changed it.
void look_into(Planned& run);

// Throws an Error that names the first run whose folder holds a run that differs from the plan. A
// folder that another process uses is not refused.
void refuse_other_runs(const std::vector<Planned>& planned);

}  // namespace spikenm::cli
