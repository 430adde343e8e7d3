// spikenm bench, as a user sees it.
#include "spikenm/core/json.h"
#include "support/cli.h"

namespace spikenm {
namespace {

using test::Arguments;
using test::Cli;
using test::Outcome;

const Arguments kSmallStep{
    "bench",    "step", "--model", "small_conv", "--device", "cpu",
    "--T",      "2",    "--batch", "3",          "--steps",  "2",
    "--warmup", "1",    "--frame", "2x8x8x4",    "--set",    "model.width=4"};

Arguments with(const Arguments& more) {
  Arguments all = kSmallStep;
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

class BenchCommand : public Cli {};

TEST_F(BenchCommand, StepPrintsItsPartsInTime) {
  const Outcome found = run(kSmallStep);
  EXPECT_EQ(found.code, 0) << found.err;
  for (const char* part : {"small_conv dense dense, T 2, batch 3, cpu fp32", "\nstep ",
                           "\nforward ", "\nbackward ", "\noptimiser ", "samples/s"})
    EXPECT_NE(found.out.find(part), std::string::npos) << found.out << "lacks: " << part;
  EXPECT_EQ(found.out.find("plain"), std::string::npos);
}

TEST_F(BenchCommand, ThePlainStepIsTimedBesideOursWhenAskedFor) {
  const Outcome found = run(with({"--plain", "--json"}));
  ASSERT_EQ(found.code, 0) << found.err;
  const Json result = Json::parse(found.out);
  EXPECT_GT(result["plain"]["median_ms"].get<double>(), 0);
  EXPECT_GE(result["threads"].get<int>(), 1);
  EXPECT_NEAR(
      result["speedup"].get<double>(),
      result["plain"]["median_ms"].get<double>() / result["step"]["median_ms"].get<double>(), 1e-9);
  EXPECT_NE(run(with({"--plain"})).out.find("times as fast as the plain step"), std::string::npos);
}

}  // namespace
}  // namespace spikenm
