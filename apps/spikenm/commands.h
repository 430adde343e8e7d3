// Subcommands of the program: one file and one row each.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <vector>

namespace spikenm::cli {

struct Command {
  const char* name;
  const char* summary;
  // Declares the options and returns the function that runs when the command is chosen.
  std::function<void()> (*setup)(CLI::App& app);
  bool needs_torch = false;
};

// Those of this program; `spikenm` names those of spikenm-train too.
const std::vector<Command>& commands();

// Throws a UsageError that names the nearest command, if the first word (or the second, after a
// command that has commands) is not a command.
void check_command(const CLI::App& app, int argc, const char* const* argv);

}  // namespace spikenm::cli
