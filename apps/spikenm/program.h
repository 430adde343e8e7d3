// What both programs do: subcommands, and the exit codes of their failures. `spikenm` itself needs no
// torch; commands that do are those of `spikenm-train`, which takes its place.
#pragma once

#include <exception>
#include <functional>
#include <string>

namespace spikenm::cli {

// Called with the command line once its command is known, before its options are. It may replace the
// process and not return.
using HandOver = std::function<void(int argc, char** argv)>;

// How to read the exceptions of libraries.
struct LibraryErrors {
  // What to tell the user of memory that ran out, or an empty text if `e` is another failure.
  std::string (*memory)(const std::exception& e);
  // What is reported of a bug.
  std::string (*text)(const std::exception& e);
};

// Returns the exit code.
int run_program(int argc, char** argv, const HandOver& hand_over, const LibraryErrors& errors);

}  // namespace spikenm::cli
