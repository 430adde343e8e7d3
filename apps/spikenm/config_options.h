// --config FILE and trailing a.b=value overrides, shared by the commands that take a config.
#pragma once

#include "path_option.h"

#include "spikenm/core/config.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace spikenm::cli {

struct ConfigOptions {
  std::string file;
  std::vector<std::string> overrides;

  void declare(CLI::App& app) {
    as_path(app.add_option("--config,-c", file,
                           "TOML file, which may extend another (extends = \"base.toml\"); "
                           "without it every key has its default"));
    app.add_option("overrides", overrides, "a.b=value, over the file's; e.g. train.lr=0.01 seed=3");
  }

  [[nodiscard]] Config load() const {
    Config config = file.empty() ? Config() : Config::from_file(file);
    for (const std::string& assignment : overrides) config.override_with(assignment);
    return config;
  }
};

}  // namespace spikenm::cli
