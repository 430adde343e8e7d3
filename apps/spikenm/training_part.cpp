#include "training_part.h"

#include "commands.h"

#include "spikenm/core/error.h"
#include "spikenm/core/say.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

namespace spikenm::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "spikenm-train";

bool needs_torch(std::string_view word) {
  return std::any_of(commands().begin(), commands().end(), [&](const Command& command) {
    return command.needs_torch && word == command.name;
  });
}

// Where it may lie: beside this program, as it is built, or where it is installed.
std::array<fs::path, 2> places() {
  std::error_code unknown;
  const fs::path here = fs::read_symlink("/proc/self/exe", unknown).parent_path();
  return {here / kName, (here / SPIKENM_TRAINING_FOLDER / kName).lexically_normal()};
}

}  // namespace

void hand_over_to_training(int argc, char** argv) {
  if (argc < 2 || !needs_torch(argv[1])) return;
  const std::array<fs::path, 2> candidates = places();
  for (const fs::path& program : candidates) {
    ::execv(program.c_str(), argv);
    SPIKENM_CHECK(errno == ENOENT || errno == ENOTDIR, "{}: cannot be started: {}",
                  printable(program.string()), std::strerror(errno));
  }
  fail(
      "{}: needs torch, and found no {} ({}, {}); wanted a build with it: 'make', or cmake with "
      "SPIKENM_TRAIN=ON",
      argv[1], kName, printable(candidates[0].string()), printable(candidates[1].string()));
}

}  // namespace spikenm::cli
