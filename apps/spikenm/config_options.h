// --config FILE and trailing a.b=value overrides, shared by the commands that take a config.
#pragma once

#include "path_option.h"

#include "spikenm/core/config.h"
#include "spikenm/core/say.h"
#include "spikenm/graph/models/model_keys.h"

#include <CLI/CLI.hpp>

#include <filesystem>
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

// Makes the path of the network's file absolute in the resolved config, which is then valid in
// every folder. Text in TOML is UTF-8, and so must the path be.
inline void resolve_model_file(const Config& config) {
  if (!config.has("model.file")) return;
  const std::string file =
      std::filesystem::absolute(graph::kModelFile.read(config.section("model"))).string();
  SPIKENM_CHECK(printable(file) == file,
                "model.file: found {}, and a config holds no path that is not UTF-8 text; wanted a "
                "folder with another name",
                printable(file));
  config.resolve_as("model.file", file);
}

}  // namespace spikenm::cli
