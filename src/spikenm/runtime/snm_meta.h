// The META section of a .snm file: all that is neither graph nor array, as JSON.
#pragma once

#include "spikenm/runtime/stored_model.h"

#include <set>

namespace spikenm::runtime {

// How the weight of a synapse is stored.
struct WeightMeta {
  WeightType type = WeightType::kFloat;
  std::optional<WeightRule> rule;
  bool as_bits = false;  // zeros are bits; without a rule
};

struct Meta {
  std::map<graph::NodeId, WeightMeta> weights;  // every synapse
  std::set<graph::NodeId> masked;               // neurons with a mask
};

Json meta_to_json(const StoredModel& model);

// Fills in the model's steps, input, leaks, rates and provenance; its graph is known. Errors begin
// with `source`.
Meta meta_from_json(const Json& json, const std::string& source, StoredModel& model);

}  // namespace spikenm::runtime
