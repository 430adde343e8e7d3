// The command line of this process.
#pragma once

#include "spikenm/core/file.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace spikenm::cli {

// The word as a shell takes it: within quotes only a quote is special.
inline std::string shell_word(const std::string& word) {
  const bool is_plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_-+=.,:/@%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (is_plain) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

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
