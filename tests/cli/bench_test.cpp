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

// A method without blocks has no pattern, and is told so only if it is given one.
TEST_F(BenchCommand, AMethodOfAnyRuleHasItsSearchStepTimed) {
  const Outcome found = run(with({"--method", "stds"}));
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_NE(found.out.find("small_conv stds unstructured"), std::string::npos) << found.out;
  EXPECT_NE(run(with({"--method", "gradual"})).out.find("gradual 2:4"), std::string::npos);
  const Outcome refused = run(with({"--method", "stds", "--pattern", "2:4"}));
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("pattern"), std::string::npos) << refused.err;
}

TEST_F(BenchCommand, EveryMethodIsTimedBesideTheDenseStep) {
  Arguments arguments = kSmallStep;
  arguments[1] = "methods";
  const Outcome table = run(arguments);
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("over dense"), std::string::npos) << table.out;
  arguments.emplace_back("--json");
  const Json methods = Json::parse(run(arguments).out).at("methods");
  double dense = 0;
  for (const Json& m : methods)
    if (m.at("method") == "dense") dense = m.at("step").at("median_ms").get<double>();
  ASSERT_GT(dense, 0);
  for (const Json& m : methods) {
    const auto name = m.at("method").get<std::string>();
    EXPECT_NE(table.out.find("\n" + name + " "), std::string::npos) << name;
    EXPECT_NEAR(m.at("over_dense").get<double>(),
                m.at("step").at("median_ms").get<double>() / dense - 1, 1e-9)
        << name;
  }
  EXPECT_GE(methods.size(), 15u);
}

}  // namespace
}  // namespace spikenm
