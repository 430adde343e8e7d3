// A share of the weights, from config to result: every method that can be asked for one meets it.
#include "spikenm/core/run_dir.h"
#include "spikenm/sparsity/method.h"
#include "spikenm/train/experiment.h"
#include "support/method_targets.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>

#include <set>

namespace spikenm::train {
namespace {

// Ten steps an epoch. A channel of a narrow network may be more than 2 % of what is kept.
Json run_of(const std::string& method, const std::vector<std::string>& overrides) {
  const test::TempDir dir;
  Config config;
  for (const char* assignment : {"model.name=small_conv", "model.width=16", "model.T=2",
                                 "data.train_size=100", "data.test_size=20", "train.epochs=3",
                                 "train.search_epochs=2", "train.batch_size=10", "train.lr=0.01"})
    config.override_with(assignment);
  config.override_with("method.name=" + method);
  for (const std::string& assignment : overrides) config.override_with(assignment);
  return run_experiment(config, {.out = dir / "run"});
}

TEST(TargetWeight, IsMetWithinTwoPercentByEveryMethodThatHasOne) {
  std::set<std::string> seen;
  for (const std::string& method : sparsity::methods().names())
    for (const double target : {0.5, 0.125}) {
      std::vector<std::string> overrides = test::asks_for_weights(method, target);
      if (overrides.empty()) continue;
      if (method == "nsl" || method == "sca") overrides.emplace_back("model.width=64");
      seen.insert(method);
      const Json result = run_of(method, overrides);
      EXPECT_NEAR(result.at("weight_pct").get<double>() / (100 * target), 1, 0.02)
          << method << " " << target;
      for (const Json& warning : result.at("warnings"))
        EXPECT_EQ(warning.get<std::string>().find("target"), std::string::npos) << warning;
    }
  EXPECT_EQ(seen, (std::set<std::string>{"esl", "grad-r", "nsl", "sca", "stds", "upr"}));
}

// What is not active then is kept at 0.
TEST(TargetWeight, IsMetByGradRWithAPullTooWeakOrTooStrong) {
  const auto run = [](const char* alpha) {
    return run_of("grad-r", {"method.sparsity=0.875", std::string("method.alpha=") + alpha});
  };
  const Json weak = run("1e-3"), strong = run("2");
  for (const Json& result : {weak, strong})
    EXPECT_NEAR(result.at("weight_pct").get<double>(), 12.5, 0.02 * 12.5);
  EXPECT_NEAR(weak.at("active_pct").get<double>(), 12.5, 0.02 * 12.5);
  EXPECT_LT(strong.at("active_pct").get<double>(), 10);
}

}  // namespace
}  // namespace spikenm::train
