#include "commands.h"

#include "spikenm/core/error.h"
#include "spikenm/core/say.h"
#include "spikenm/core/text.h"

#include <algorithm>
#include <string>

namespace spikenm::cli {

void check_command(const CLI::App& app, int argc, const char* const* argv) {
  const CLI::App* level = &app;
  for (int i = 1; i < argc && argv[i][0] != '-'; ++i) {
    const std::string word = argv[i];
    const std::vector<const CLI::App*> known =
        std::as_const(*level).get_subcommands(std::function<bool(const CLI::App*)>());
    if (known.empty()) return;

    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const CLI::App* sub) { return sub->get_name() == word; });
    if (found == known.end()) {
      std::vector<std::string> names;
      for (const CLI::App* sub : known) names.push_back(sub->get_name());
      throw UsageError(fmt::format("command '{}' is not known; known: {} (nearest: {})",
                                   printable(word), join(names, ", "), nearest(word, names)));
    }
    level = *found;
  }
}

}  // namespace spikenm::cli
