// Subcommands of the program: one file and one row each.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <vector>

namespace spikenm::cli {

struct Command {
  const char* name;
  const char* summary;
  // Declares the options and gives what runs when the command is chosen.
  std::function<void()> (*setup)(CLI::App& app);
};

const std::vector<Command>& commands();

}  // namespace spikenm::cli
