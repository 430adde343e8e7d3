// Run folders as `spikenm train` leaves them, small and made up.
#pragma once

#include "spikenm/core/file.h"
#include "spikenm/report/runs.h"
#include "support/temp_dir.h"

#include <fmt/format.h>

namespace spikenm::test {

class ReportRuns {
 public:
  // Metrics are lines of JSON; a result is added to what every finished run has.
  report::Run add(const std::string& name, int seed, const std::string& method,
                  const std::string& metrics, const std::string& more = "") {
    const std::filesystem::path folder = dir_ / name;
    make_folders(folder);
    write_file_atomically(folder / "config.toml",
                          fmt::format("seed = {}\n[method]\nname = \"{}\"\n", seed, method));
    write_file_atomically(folder / "metrics.jsonl", metrics);
    write_file_atomically(folder / "result.json",
                          fmt::format(R"({{"method": "{}", "test_accuracy": {}, "seed": {}{}}})",
                                      method, 50 + seed, seed, more));
    return report::read_run(folder);
  }
  [[nodiscard]] const TempDir& dir() const { return dir_; }

 private:
  TempDir dir_;
};

}  // namespace spikenm::test
