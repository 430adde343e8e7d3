// The program `spikenm-train`: the commands that need torch. `spikenm` starts it in its own place.
#include "out_of_torch_memory.h"
#include "program.h"

#include <c10/util/Exception.h>

namespace {

void stay(int, char**) {}

std::string text_of(const std::exception& e) {
  const auto* const torch = dynamic_cast<const c10::Error*>(&e);
  return torch != nullptr ? torch->what_without_backtrace() : e.what();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace spikenm::cli;
  return run_program(argc, argv, stay, {.memory = torch_memory_complaint, .text = text_of});
}
