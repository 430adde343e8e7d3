#include "spikenm/core/processor.h"

#include <gtest/gtest.h>

#include <fstream>

namespace spikenm {
namespace {

// Linux asks the processor too.
TEST(Processor, HasTheNameThatTheSystemShows) {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line) && !line.starts_with("model name")) {
  }
  if (!file) GTEST_SKIP() << "the system shows no name";
  EXPECT_EQ(processor_name(), line.substr(line.find(": ") + 2));
}

}  // namespace
}  // namespace spikenm
