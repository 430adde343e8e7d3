// The program `spikenm`: answers what needs no torch, and hands over to spikenm-train for the rest.
#include "out_of_memory.h"
#include "program.h"
#include "training_part.h"

namespace {

std::string text_of(const std::exception& e) {
  return e.what();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace spikenm::cli;
  return run_program(argc, argv, hand_over_to_training,
                     {.memory = memory_complaint, .text = text_of});
}
