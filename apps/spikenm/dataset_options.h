// NAME, --root and the [data] keys, shared by the commands that open a dataset.
#pragma once

#include "spikenm/core/interrupt.h"
#include "spikenm/core/progress.h"
#include "spikenm/data/dataset.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

namespace spikenm::cli {

struct DatasetOptions {
  std::string name, root;
  int64_t frames = 10;
  uint64_t seed = 0;
  std::vector<std::string> overrides;

  void declare(CLI::App& app) {
    app.add_option("name", name, "a set of 'spikenm data list'")->required();
    app.add_option("--root,-r", root, "folder the set lies in");
    app.add_option("--T", frames, "frames a recording is cut into")
        ->check(CLI::Range(int64_t{1}, int64_t{10'000}))
        ->capture_default_str();
    app.add_option("--seed", seed, "of everything that is drawn at random")
        ->check(CLI::Range(int64_t{0}, INT64_MAX))
        ->capture_default_str();
    app.add_option("overrides", overrides,
                   "key=value of the [data] section; e.g. split=tebn resize=48 frames_by=time");
  }

  [[nodiscard]] Config config() const;
  // The dataset registered under `name`, without a cache.
  [[nodiscard]] std::shared_ptr<const data::Dataset> open(const Config& config) const;
  // The same for a command that reads no other keys.
  [[nodiscard]] std::shared_ptr<const data::Dataset> open() const;
};

// A callback that draws the bar and lets an interrupt end the work. `line` must outlive it.
inline data::ProgressCallback progress_on(ProgressLine& line, const std::string& title) {
  return [&line, title](double fraction, std::string_view what) {
    throw_if_interrupted(fmt::format("at {}", what));
    line.update(title, fraction, what);
  };
}

}  // namespace spikenm::cli
