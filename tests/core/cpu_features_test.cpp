#include "spikenm/core/cpu_features.h"

#include "support/expect_error.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace spikenm {
namespace {

// SPIKENM_ISA is read once a process, so each asking gets a process of its own, which prints the
// level in use or the error and exits.
void ask_for(const std::string& level) {
  setenv("SPIKENM_ISA", level.c_str(), 1);
  try {
    std::fprintf(stderr, "active: %s.", std::string(isa_name(active_isa())).c_str());
    std::exit(0);
  } catch (const Error& e) {
    std::fprintf(stderr, "%s", e.what());
    std::exit(1);
  }
}

class CpuFeaturesDeathTest : public testing::Test {
 protected:
  CpuFeaturesDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST(CpuFeatures, RefIsAlwaysTheFirstLevel) {
  EXPECT_EQ(supported_isas().at(0), Isa::kRef);
}

TEST(CpuFeatures, LevelsRise) {
  const std::vector<Isa> levels = supported_isas();
  EXPECT_EQ(std::adjacent_find(levels.begin(), levels.end(), std::greater_equal<>()), levels.end());
}

TEST(CpuFeatures, NamesAreThoseOfTheVariable) {
  EXPECT_EQ(isa_name(Isa::kRef), "ref");
  EXPECT_EQ(isa_name(Isa::kAvx2), "avx2");
  EXPECT_EQ(isa_name(Isa::kAvx512), "avx512");
}

TEST_F(CpuFeaturesDeathTest, EverySupportedLevelCanBeAskedFor) {
  for (const Isa isa : supported_isas()) {
    const std::string name(isa_name(isa));
    EXPECT_EXIT(ask_for(name), testing::ExitedWithCode(0), "active: " + name + "\\.");
  }
}

TEST_F(CpuFeaturesDeathTest, HighestLevelIsTheDefault) {
  EXPECT_EXIT(ask_for(""), testing::ExitedWithCode(0),
              "active: " + std::string(isa_name(supported_isas().back())) + "\\.");
}

TEST_F(CpuFeaturesDeathTest, UnknownLevelIsRefused) {
  EXPECT_EXIT(ask_for("sse9"), testing::ExitedWithCode(1), "SPIKENM_ISA: found 'sse9', wanted ref");
}

TEST_F(CpuFeaturesDeathTest, LevelTheProcessorLacksIsRefused) {
  if (supported_isas().back() == Isa::kAvx512) GTEST_SKIP() << "this processor has them all";
  EXPECT_EXIT(ask_for("avx512"), testing::ExitedWithCode(1), "this processor cannot run");
}

}  // namespace
}  // namespace spikenm
