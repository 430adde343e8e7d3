#include "spikenm/train/mask_rules.h"

#include "spikenm/core/error.h"
#include "spikenm/graph/file_table.h"

namespace spikenm::train {
namespace {

using nm::Mask;

nm::MaskRule rule_from_json(const Json& json, const std::string& where) {
  graph::FileTable table(json, where);
  const auto text = table.need<std::string>("rule", "dense, n:m, unstructured or channel");
  nm::MaskRule rule;
  for (const Mask::Kind kind :
       {Mask::Kind::kDense, Mask::Kind::kUnstructured, Mask::Kind::kChannel})
    if (text == nm::rule_text(kind, {})) {
      table.reject_unread();
      rule.kind = kind;
      return rule;
    }

  const auto share = table.need<int64_t>("share", "output channels that share a mask");
  SPIKENM_CHECK(1 <= share && share <= INT32_MAX, "{}: share: found {}, wanted 1 to {}", where,
                share, INT32_MAX);
  rule.kind = Mask::Kind::kNm;
  rule.pattern =
      nm::NmPattern::parse(graph::brief(text), where + ": rule", static_cast<int>(share));
  rule.axis =
      nm::parse_axis(graph::brief(table.need<std::string>("axis", "flat or in")), where + ": axis");
  rule.share_taps = table.need<bool>("share_taps", "true or false");
  table.reject_unread();
  return rule;
}

}  // namespace

Json to_json(const nm::MaskRule& rule) {
  Json json{{"rule", nm::rule_text(rule.kind, rule.pattern)}};
  if (rule.kind == Mask::Kind::kNm)
    json.update(Json{{"axis", nm::axis_name(rule.axis)},
                     {"share", rule.pattern.share},
                     {"share_taps", rule.share_taps}});
  return json;
}

MaskRules mask_rules_from_json(const Json& json, const std::string& source) {
  MaskRules rules;
  for (const auto& [layer, rule] : json.items())
    rules.emplace(layer, rule_from_json(rule, fmt::format("{}: {}", source, graph::brief(layer))));
  return rules;
}

}  // namespace spikenm::train
