#include "spikenm/sparsity/methods/spikenm_options.h"

#include "support/expect_error.h"
#include "support/small_network.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

namespace spikenm::sparsity {
namespace {

Config section(const std::string& toml) {
  return Config::from_text("[method]\n" + toml, "test").section("method");
}

SpikenmOptions options(const std::string& toml) {
  return read_spikenm_options(section(toml));
}

// Every key that making the method reads, with its value as the resolved config shows it.
std::map<std::string, std::string> resolved(const std::string& toml) {
  const auto network = test::small_network();
  const Config config = Config::from_text("[method]\n" + toml, "test");
  (void)methods().find("spikenm")(*network, config.section("method"), 0);
  config.reject_unread();
  std::map<std::string, std::string> keys;
  std::istringstream lines(config.resolved_toml());
  for (std::string line; std::getline(lines, line);) {
    const size_t equals = line.find(" = ");
    if (equals != std::string::npos) keys[line.substr(0, equals)] = line.substr(equals + 3);
  }
  return keys;
}

// docs/options.md, "Options": the column `paper`, less what has no effect in it.
const std::map<std::string, std::string> kPaper{{"draws", "\"at-most\""},
                                                {"or_grad", "\"literal\""},
                                                {"axis", "\"flat\""},
                                                {"layers", "[\"*\"]"},
                                                {"first_layer", "\"as-others\""},
                                                {"last_layer", "\"as-others\""},
                                                {"redraw_every", "1"},
                                                {"regrow", "\"keep\""},
                                                {"noise", "[1.0]"},
                                                {"prior_kappa", "0.0"},
                                                {"weight_grad", "\"masked\""},
                                                {"credit", "\"temporal\""},
                                                {"credit_scale", "\"block-mean\""},
                                                {"tau_q", "1.0"},
                                                {"eid_target", "\"credit\""},
                                                {"lambda_eid", "5.0"},
                                                {"eid_reduce", "\"mean\""},
                                                {"tau_max", "1.0"},
                                                {"tau_min", "0.1"},
                                                {"logit_std", "0.01"},
                                                {"logit_lr", "0.001"},
                                                {"logit_eps", "1e-08"},
                                                {"logit_schedule", "true"},
                                                {"freeze", "\"last\""},
                                                {"share", "1"},
                                                {"share_taps", "false"},
                                                {"pattern", "\"2:4\""},
                                                {"preset", "\"paper\""}};

TEST(SpikenmOptions, PresetPaperIsThePaperInEveryKey) {
  EXPECT_EQ(resolved("preset = \"paper\""), kPaper);
}

TEST(SpikenmOptions, PresetDefaultDiffersInTheKeysThatMeasureBetter) {
  std::map<std::string, std::string> wanted = kPaper;
  wanted["preset"] = "\"default\"";
  wanted["axis"] = "\"in\"";
  wanted["redraw_every"] = "\"3%\"";
  wanted["noise"] = "[0.3,0.005]";
  wanted["prior_kappa"] = "1.0";
  wanted["draws"] = "\"exactly\"";
  wanted["draws_start"] = "64";
  wanted.erase("or_grad");
  wanted["lambda_eid"] = "0.2";
  wanted["eid_student"] = "\"prior\"";
  wanted["tau_min"] = "1.0";
  wanted["logit_std"] = "0.0";
  wanted["logit_lr"] = "0.005";
  wanted["freeze"] = "\"top-n\"";
  EXPECT_EQ(resolved("preset = \"default\""), wanted);
  EXPECT_EQ(resolved(""), wanted);
}

TEST(SpikenmOptions, EveryOtherValueOfAKeyIsUnderstood) {
  EXPECT_FALSE(options("draws = \"exactly\"").replace);
  EXPECT_EQ(options("or_grad = \"soft\"").or_gradient, nm::OrGradient::kSoft);
  EXPECT_EQ(options("axis = \"flat\"").axis, nm::Axis::kFlat);
  EXPECT_EQ(options("redraw_every = 7").redraw_every.steps(1000), 7);
  EXPECT_EQ(options("redraw_every = \"2%\"").redraw_every.steps(1000), 20);
  EXPECT_EQ(options("draws_start = 16").draws_start, 16);
  EXPECT_EQ(options("prior_kappa = 2").prior_kappa, 2);
  EXPECT_TRUE(options("weight_grad = \"dense\"").dense_weight_grad);
  EXPECT_EQ(options("credit = \"net\"").credit, ops::CreditKind::kNet);
  using nm::CreditScale;
  EXPECT_EQ(options("credit_scale = \"raw\"").eid.target.credit_scale, CreditScale::kRaw);
  EXPECT_EQ(options("credit_scale = \"layer-mean\"").eid.target.credit_scale,
            CreditScale::kLayerMean);
  EXPECT_EQ(options("credit_scale = \"block-z\"").eid.target.credit_scale, CreditScale::kBlockZ);
  EXPECT_EQ(options("tau_q = 2.4").eid.target.tau_q, 2.4);
  EXPECT_EQ(options("eid_target = \"uniform\"").eid.target.kind, ops::TargetKind::kUniform);
  EXPECT_EQ(options("eid_target = \"credit-weight\"").eid.target.kind,
            ops::TargetKind::kCreditWeight);
  EXPECT_TRUE(options("").eid.pi_has_prior);
  EXPECT_FALSE(options("eid_student = \"logits\"").eid.pi_has_prior);
  EXPECT_FALSE(options("logit_schedule = false").logits_follow_schedule);
  EXPECT_TRUE(options("regrow = \"zero\"").regrow_from_zero);
  EXPECT_FALSE(options("eid_reduce = \"sum\"").eid.mean_over_blocks);
  EXPECT_EQ(options("freeze = \"last\"").freeze, Freeze::kLast);
  EXPECT_EQ(options("freeze = \"resample\"").freeze, Freeze::kResample);
}

TEST(SpikenmOptions, DistillationIsAMeanOrASumOverTheBlocksOfTheNetwork) {
  EXPECT_EQ(options("lambda_eid = 3").eid.scale(6), 0.5);
  EXPECT_EQ(options("lambda_eid = 3\neid_reduce = \"sum\"").eid.scale(6), 3);
}

TEST(SpikenmOptions, AKeyOverridesThePresetAndTheRestStays) {
  const SpikenmOptions o = options("preset = \"paper\"\nlambda_eid = 0\nfreeze = \"top-n\"");
  EXPECT_FALSE(o.distills());
  EXPECT_EQ(o.freeze, Freeze::kTopN);
  EXPECT_EQ(o.axis, nm::Axis::kFlat);
  EXPECT_EQ(o.noise_from, 1);
}

TEST(SpikenmOptions, NoiseIsOneNumberOrFromAndTo) {
  EXPECT_EQ(options("noise = 0.5").noise_from, 0.5);
  EXPECT_EQ(options("noise = 0.5").noise_to, 0.5);
  EXPECT_EQ(options("noise = 0").noise_from, 0);
  EXPECT_EQ(options("noise = [1, 0.25]").noise_to, 0.25);
  EXPECT_ERROR(options("noise = [1, 0.5, 0.2]"), "method.noise", "3 numbers");
  EXPECT_ERROR(options("noise = []"), "method.noise", "0 numbers");
  EXPECT_ERROR(options("noise = -1"), "method.noise", "-1");
  EXPECT_ERROR(options("noise = [0.5, 0]"), "method.noise", "positive");
  EXPECT_ERROR(options("noise = \"loud\""), "method.noise", "loud");
}

TEST(SpikenmOptions, BadValuesAreRefusedByName) {
  EXPECT_ERROR(options("preset = \"best\""), "method.preset", "best", "paper, default");
  EXPECT_ERROR(options("axis = \"out\""), "method.axis", "out", "flat or in");
  EXPECT_ERROR(options("draws_start = 65"), "method.draws_start", "65", "64");
  EXPECT_ERROR(options("redraw_every = 0"), "method.redraw_every", "0");
  EXPECT_ERROR(options("prior_kappa = -1"), "method.prior_kappa", "-1");
  EXPECT_ERROR(options("tau_q = 0"), "method.tau_q");
  EXPECT_ERROR(options("lambda_eid = -5"), "method.lambda_eid", "-5");
  EXPECT_ERROR(options("tau_max = 0.01"), "method.tau_min", "1", "tau_max, 0.01");
  EXPECT_ERROR(options("tau_min = 0"), "method.tau_min");
  EXPECT_ERROR(options("logit_std = -1"), "method.logit_std");
  EXPECT_ERROR(options("logit_lr = -1"), "method.logit_lr");
  EXPECT_ERROR(options("lambda_eid = nan"), "method.lambda_eid", "finite");
  for (const char* key : {"draws", "or_grad", "weight_grad", "credit", "credit_scale", "eid_target",
                          "eid_reduce", "eid_student", "regrow", "freeze"})
    EXPECT_ERROR(options(std::string(key) + " = \"never\""), "method.", key, "never", "one of");
}

TEST(SpikenmOptions, MoreDrawsThanNNeedDistinctPositions) {
  EXPECT_ERROR(resolved("draws_start = 4\ndraws = \"at-most\""),
               "method.draws_start: has no effect with method.draws = \"at-most\"");
  EXPECT_EQ(resolved("draws_start = 4\ndraws = \"exactly\"")["draws_start"], "4");
}

TEST(SpikenmOptions, AFreezeDrawNeedsTheRuleThatDrawsAgain) {
  EXPECT_EQ(options("freeze = \"resample\"\nfreeze_draw = 4").freeze_draw, 4u);
  for (const char* freeze : {"last", "top-n"})
    EXPECT_ERROR(resolved(std::string("freeze_draw = 0\nfreeze = \"") + freeze + "\""),
                 "method.freeze_draw: has no effect with method.freeze = ", freeze);
  EXPECT_ERROR(options("freeze = \"resample\"\nfreeze_draw = 1000001"), "method.freeze_draw",
               "1000001", "1000000");
  EXPECT_ERROR(options("freeze = \"resample\"\nfreeze_draw = -1"), "method.freeze_draw", "-1");
}

TEST(SpikenmOptions, DrawsWithReplacementDoNotAnneal) {
  EXPECT_EQ(options("draws = \"at-most\"").draws_start, 0);
  EXPECT_EQ(options("draws = \"at-most\"\ndraws_start = 4").draws_start, 0);
}

TEST(SpikenmOptions, KeysWithoutEffectAreRefusedAndNotWritten) {
  EXPECT_ERROR(resolved("preset = \"paper\"\ndraws = \"exactly\"\nor_grad = \"literal\""),
               "method.or_grad: has no effect with method.draws = \"exactly\"; leave it out");
  EXPECT_ERROR(resolved("or_grad = \"soft\""), "method.or_grad", "method.draws = \"exactly\"");
  for (const char* line : {"credit = \"net\"", "credit_scale = \"raw\"", "tau_q = 2.4"}) {
    EXPECT_ERROR(resolved(std::string("eid_target = \"uniform\"\n") + line),
                 ": has no effect with method.eid_target = \"uniform\"");
    EXPECT_ERROR(resolved(std::string("lambda_eid = 0\n") + line),
                 ": has no effect with method.lambda_eid = 0");
  }
  for (const char* line :
       {"eid_target = \"uniform\"", "eid_reduce = \"sum\"", "eid_student = \"logits\""})
    EXPECT_ERROR(resolved(std::string("lambda_eid = 0\n") + line),
                 ": has no effect with method.lambda_eid = 0");
  EXPECT_ERROR(resolved("prior_kappa = 0\neid_student = \"logits\""),
               "method.eid_student: has no effect with method.prior_kappa = 0");
  const auto without = resolved("lambda_eid = 0");
  for (const char* key :
       {"or_grad", "credit", "credit_scale", "tau_q", "eid_target", "eid_reduce", "eid_student"})
    EXPECT_FALSE(without.contains(key)) << key;
  EXPECT_EQ(without.at("lambda_eid"), "0.0");
  EXPECT_TRUE(resolved("eid_target = \"uniform\"\neid_reduce = \"sum\"").contains("eid_reduce"));
}

TEST(SpikenmOptions, AKeyNobodyReadsIsRefusedWithTheNearest) {
  EXPECT_ERROR(resolved("lambda_eit = 1"), "method.lambda_eit", "method.lambda_eid");
}

}  // namespace
}  // namespace spikenm::sparsity
