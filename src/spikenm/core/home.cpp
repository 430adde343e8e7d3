#include "spikenm/core/home.h"

#include "spikenm/core/error.h"

#include <cstdlib>

namespace spikenm {

std::filesystem::path expand_home(const std::string& path, std::string_view key) {
  if (path != "~" && !path.starts_with("~/")) return path;
  const char* const home = std::getenv("HOME");
  SPIKENM_CHECK(home != nullptr && *home != '\0',
                "{}: found '{}' but no HOME in the environment, wanted the whole path", key, path);
  return home + path.substr(1);
}

}  // namespace spikenm
