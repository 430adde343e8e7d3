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

// A UsageError for a first word (or a second, where commands have commands) that names no command;
// it names the nearest.
void check_command(const CLI::App& app, int argc, const char* const* argv);

}  // namespace spikenm::cli
