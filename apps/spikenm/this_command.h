// The command line of this process.
#pragma once

#include "spikenm/core/file.h"
#include "spikenm/core/shell_word.h"

#include <string>

namespace spikenm::cli {

// The command that started this process, as a shell takes it.
inline std::string this_command() {
  const std::string words = read_file("/proc/self/cmdline");  // each word ends with a zero
  std::string command;
  for (size_t begin = 0; begin < words.size();) {
    const std::string word = words.c_str() + begin;
    command += (begin == 0 ? "" : " ") + shell_word(word);
    begin += word.size() + 1;
  }
  return command;
}

}  // namespace spikenm::cli
