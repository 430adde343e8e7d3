#include "command_rows.h"
#include "commands.h"

namespace spikenm::cli {

#define SPIKENM_DECLARE(name, setup, summary) std::function<void()> setup(CLI::App& app);
#define SPIKENM_SKIP(name, setup, summary)
SPIKENM_COMMANDS(SPIKENM_SKIP, SPIKENM_DECLARE)
#undef SPIKENM_DECLARE

const std::vector<Command>& commands() {
#define SPIKENM_ROW(name, setup, summary) {name, summary, setup, true},
  static const std::vector<Command> rows{SPIKENM_COMMANDS(SPIKENM_SKIP, SPIKENM_ROW)};
#undef SPIKENM_ROW
  return rows;
}
#undef SPIKENM_SKIP

}  // namespace spikenm::cli
