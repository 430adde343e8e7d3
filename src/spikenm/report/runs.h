// Run folders on disk, and their content.
#pragma once

#include "spikenm/core/json.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spikenm::report {

struct Run {
  std::filesystem::path folder;
  Json config;  // every key of its config.toml
  // Its result.json; of a finished run also val_accuracy of the last epoch from its metrics, and
  // seconds, the sum of its phases.
  Json result;

  // A field of the result. Empty when it is missing (older runs lack newer fields); an Error when
  // it has another type.
  [[nodiscard]] std::optional<double> number(std::string_view key) const;
  [[nodiscard]] std::string text(std::string_view key) const;
};

// A finished run: its result has a number test_accuracy. An Error says what is missing.
Run read_run(const std::filesystem::path& folder);

// A run that has begun: its result is empty until it ends, or says "unfinished".
Run read_begun_run(const std::filesystem::path& folder);

struct FoundRuns {
  std::vector<Run> finished;
  std::vector<std::string> left_out;  // why, for each unfinished, broken or unreadable run
};

// All runs at and under the folders, each once: folders in the given order, those below them by
// name. A folder with a config or a result is a run.
FoundRuns find_runs(const std::vector<std::filesystem::path>& folders);

// The same, with runs that have begun among them.
FoundRuns find_begun_runs(const std::vector<std::filesystem::path>& folders);

// One line of metrics for each epoch that has ended. A last line that is cut short is left out.
std::vector<Json> read_metrics(const std::filesystem::path& folder);

}  // namespace spikenm::report
