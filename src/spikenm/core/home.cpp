#include "spikenm/core/home.h"

#include "spikenm/core/error.h"

#include <cstdlib>

namespace spikenm {

std::filesystem::path expand_home(const std::string& path) {
  if (path != "~" && !path.starts_with("~/")) return path;
  const char* const home = std::getenv("HOME");
  SPIKENM_CHECK(home != nullptr && *home != '\0',
                "'{}': HOME is not set, so ~ has no meaning; give the whole path", path);
  return home + path.substr(1);
}

}  // namespace spikenm
