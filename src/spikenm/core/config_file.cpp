#include "spikenm/core/config_file.h"

#include "spikenm/core/config_value.h"
#include "spikenm/core/error.h"
#include "spikenm/core/file.h"
#include "spikenm/core/home.h"
#include "spikenm/core/toml.h"

#include <algorithm>

namespace spikenm {
namespace fs = std::filesystem;
namespace {

// Checks the last file of a chain: it must exist and must not be in the chain already.
void check_base(const std::vector<fs::path>& chain) {
  const fs::path &base = chain.back(), &file = chain[chain.size() - 2];
  std::error_code error;
  SPIKENM_CHECK(fs::exists(base, error), "{}: extends \"{}\", which is not there", file.string(),
                base.string());
  for (size_t i = 0; i + 1 < chain.size(); ++i) {
    SPIKENM_CHECK(!fs::equivalent(chain[i], base, error),
                  "{}: extends \"{}\", which comes back to itself", file.string(), base.string());
  }
}

}  // namespace

std::vector<ConfigLayer> read_config_layers(const fs::path& path) {
  // From the file to the last of its bases. A chain that comes back to itself would have no end.
  std::vector<fs::path> chain{path};
  std::vector<ConfigLayer> layers;
  while (true) {
    const fs::path file = chain.back();
    Json& tables =
        layers.emplace_back(ConfigLayer{file, parse_toml(read_file(file), file.string())}).tables;
    const auto extends = tables.find(kExtendsKey);
    if (extends == tables.end()) break;

    SPIKENM_CHECK(extends->is_string() && *extends != "",
                  "{}: extends: found {}, wanted the path of a base file in quotes", file.string(),
                  shown(*extends));
    chain.push_back(file.parent_path() /
                    expand_home(extends->get<std::string>(), file.string() + ": extends"));
    tables.erase(kExtendsKey);
    check_base(chain);
  }

  std::reverse(layers.begin(), layers.end());
  return layers;
}

}  // namespace spikenm
