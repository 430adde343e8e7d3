// The keys of [method] that say which layers are masked and how.
#pragma once

#include "spikenm/core/key.h"
#include "spikenm/nm/pattern.h"

namespace spikenm::sparsity {
inline const IntKey kShare{"share", 1, 1, 65536,
                           "neighbouring output channels that have one mask together"};
inline const BoolKey kShareTaps{"share_taps", false,
                                "one mask for all places (kh,kw) of a kernel; with axis = \"in\""};
inline const TextKey kPattern{
    "pattern", "2:4",
    fmt::format("n:m, n weights kept of every m, m at most {}; or auto:SHARE, an n for each layer "
                "that together keep this share, from what 1:auto_m keeps to 1",
                nm::NmPattern::kMaxM)};
inline const IntKey kAutoM{
    "auto_m", 16, 2, nm::NmPattern::kMaxM, "m of every layer", "with pattern = \"auto:…\""};
inline const ChoiceKey kAutoRule{"auto_rule",
                                 "erk",
                                 {"erk", "uniform"},
                                 "how densities differ between layers: by their shapes, or not",
                                 "with pattern = \"auto:…\""};
inline const TextListKey kLayers{"layers", std::vector<std::string>{"*"},
                                 "globs of the layers that are masked"};
inline const TableKey kLayerPattern{
    "layer_pattern", "patterns by glob, or \"dense\"; the last that fits a layer holds"};
inline const ChoiceKey kFirstLayer{
    "first_layer", "as-others", {"as-others", "dense"}, "whether the first layer is left dense"};
inline const ChoiceKey kLastLayer{
    "last_layer", "as-others", {"as-others", "dense"}, "whether the last layer is left dense"};
inline const TextKey kAxis{
    "axis", "in", "what a block runs along: in, input channels, or flat, the stored order"};

// Which layers are masked, by any rule.
inline KeyList choice_keys() {
  return {&kLayers, &kFirstLayer, &kLastLayer};
}

// All keys except the axis, for which a method may have its own default.
inline KeyList layer_keys() {
  return {&kShare,  &kShareTaps,    &kPattern,    &kAutoM,    &kAutoRule,
          &kLayers, &kLayerPattern, &kFirstLayer, &kLastLayer};
}

}  // namespace spikenm::sparsity
