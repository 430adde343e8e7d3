// libFuzzer's entry: fuzz --target=NAME CORPUS… -max_total_time=60
#include "targets.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

const spikenm::fuzz::Target* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  for (int i = 1; i < *argc; ++i) {
    if (std::strncmp((*argv)[i], "--target=", 9) == 0)
      chosen = &spikenm::fuzz::find_target((*argv)[i] + 9);
  }
  if (chosen == nullptr) {
    std::fprintf(stderr, "fuzz: give --target=NAME\n");
    std::exit(2);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  spikenm::fuzz::run_one(*chosen, {data, size});
  return 0;
}
