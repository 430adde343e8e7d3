// What a model file says of its masks beside their bits: the rule of each, so that a reader needs
// neither the config nor the method behind it.
//
//   {"conv2": {"rule": "2:4", "axis": "in", "share": 1, "share_taps": false},
//    "fc1": {"rule": "unstructured"}}
#pragma once

#include "spikenm/core/json.h"
#include "spikenm/nm/mask_rule.h"

#include <map>
#include <string>

namespace spikenm::train {

// By the name of the layer, of a synapse or of neurons.
using MaskRules = std::map<std::string, nm::MaskRule>;

// Of neurons, any may be dropped.
inline const nm::MaskRule kNeuronRule{.kind = nm::Mask::Kind::kUnstructured, .pattern = {}};

Json to_json(const nm::MaskRule& rule);

// Anything other than such a table is an Error that begins with `source`.
MaskRules mask_rules_from_json(const Json& json, const std::string& source);

}  // namespace spikenm::train
