#include "command_rows.h"
#include "commands.h"

#include "spikenm/core/error.h"

namespace spikenm::cli {

#define SPIKENM_DECLARE(name, setup, summary) std::function<void()> setup(CLI::App& app);
#define SPIKENM_SKIP(name, setup, summary)
SPIKENM_COMMANDS(SPIKENM_DECLARE, SPIKENM_SKIP)
#undef SPIKENM_SKIP
#undef SPIKENM_DECLARE

namespace {

// Help names the commands that need torch; their options are known to spikenm-train alone.
std::function<void()> setup_elsewhere(CLI::App&) {
  return [] { throw UsageError("wanted the command as the first word"); };
}

}  // namespace

const std::vector<Command>& commands() {
#define SPIKENM_PLAIN(name, setup, summary) {name, summary, setup, false},
#define SPIKENM_TORCH(name, setup, summary) {name, summary, setup_elsewhere, true},
  static const std::vector<Command> rows{SPIKENM_COMMANDS(SPIKENM_PLAIN, SPIKENM_TORCH)};
#undef SPIKENM_TORCH
#undef SPIKENM_PLAIN
  return rows;
}

}  // namespace spikenm::cli
