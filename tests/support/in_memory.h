// Temporary folders in memory.
#pragma once

#include <stdlib.h>

#include <filesystem>

namespace spikenm::test {

// Puts later temporary folders into memory, if the machine has /dev/shm. Then a test that writes
// thousands of files does not wait for the disk.
struct InMemory {
  InMemory() {
    if (std::filesystem::is_directory("/dev/shm")) ::setenv("TMPDIR", "/dev/shm", 0);
  }
};

}  // namespace spikenm::test
