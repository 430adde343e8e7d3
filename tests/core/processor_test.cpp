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

// The first number behind `key` in /proc/cpuinfo.
std::string cpuinfo(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line))
    if (line.starts_with(key) && line.find_first_not_of(" \t", key.size()) == line.find(':'))
      return line.substr(line.find(": ") + 2);
  return {};
}

TEST(Processor, HasTheFamilyAndModelThatTheSystemShows) {
  const std::string family = cpuinfo("cpu family"), model = cpuinfo("model");
  if (family.empty() || model.empty()) GTEST_SKIP() << "the system shows no family";
  EXPECT_TRUE(processor_details().starts_with("family " + family + ", model " + model + ","))
      << processor_details();
}

}  // namespace
}  // namespace spikenm
