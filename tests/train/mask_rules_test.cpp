#include "spikenm/train/mask_rules.h"

#include "support/expect_error.h"

namespace spikenm::train {
namespace {

using nm::Mask;

MaskRules parse(const std::string& text) {
  return mask_rules_from_json(Json::parse(text), "m (masks)");
}

TEST(MaskRules, ComeBackAsTheyWereWritten) {
  const MaskRules rules{
      {"conv1", {.kind = Mask::Kind::kNm, .pattern = {.n = 2, .m = 4}}},
      {"conv2",
       {.kind = Mask::Kind::kNm, .pattern = {.n = 1, .m = 16, .share = 8}, .share_taps = true}},
      {"fc1", {.kind = Mask::Kind::kNm, .pattern = {.n = 3, .m = 8}, .axis = nm::Axis::kFlat}},
      {"fc2", {.kind = Mask::Kind::kChannel, .pattern = {}}},
      {"fc3", {.kind = Mask::Kind::kDense, .pattern = {}}},
      {"lif_conv1", kNeuronRule}};
  Json json = Json::object();
  for (const auto& [layer, rule] : rules) json[layer] = to_json(rule);
  EXPECT_EQ(json["conv2"].dump(), R"({"rule":"1:16","axis":"in","share":8,"share_taps":true})");
  EXPECT_EQ(json["fc2"].dump(), R"({"rule":"channel"})");
  EXPECT_TRUE(mask_rules_from_json(json, "m") == rules);
}

TEST(MaskRules, AnythingElseIsRefusedByTheNameOfTheLayer) {
  const char* const kBroken[][3] = {
      {R"({"c": 3})", "m (masks): c", "wanted a table"},
      {R"({"c": {}})", "m (masks): c", "found no rule"},
      {R"({"c": {"rule": 24}})", "m (masks): c: rule", "found 24"},
      {R"({"c": {"rule": "channel", "share": 1}})", "m (masks): c", "share"},
      {R"({"c": {"rule": "2:4", "axis": "in", "share": 1}})", "m (masks): c", "share_taps"},
      {R"({"c": {"rule": "2:4", "axis": "in", "share_taps": false}})", "m (masks): c", "share"},
      {R"({"c": {"rule": "2:4", "axis": "up", "share": 1, "share_taps": false}})",
       "m (masks): c: axis", "found 'up'"},
      {R"({"c": {"rule": "4:2", "axis": "in", "share": 1, "share_taps": false}})",
       "m (masks): c: rule", "4:2"},
      {R"({"c": {"rule": "2:65", "axis": "in", "share": 1, "share_taps": false}})",
       "m (masks): c: rule", "2:65"},
      {R"({"c": {"rule": "2:4", "axis": "in", "share": 0, "share_taps": false}})",
       "m (masks): c: share", "found 0"},
      {R"({"c": {"rule": "2:4", "axis": "in", "share": 4294967297, "share_taps": false}})",
       "m (masks): c: share", "4294967297"},
      {R"({"c": {"rule": "2:4", "axis": "in", "share": 1, "share_taps": 1}})",
       "m (masks): c: share_taps", "found 1"},
      {R"({"c": {"rule": "2:4", "axis": "in", "share": 1, "share_taps": false, "x": 1}})",
       "m (masks): c", "'x'"}};
  for (const auto& [text, where, what] : kBroken) EXPECT_ERROR(parse(text), where, what);
}

}  // namespace
}  // namespace spikenm::train
