// Runs another program to its end, without a shell: its input and output are bytes in memory.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spikenm {

struct ProgramResult {
  int exit_code = 0;  // 128 + the signal when one ended it
  std::string output, errors;
};

// The program is looked for in PATH. Empty when there is none of this name.
std::optional<ProgramResult> run_program(const std::vector<std::string>& words,
                                         std::string_view input);

}  // namespace spikenm
