// What a visitor can do with a state (nn/state.h): copy it, load it, hash it.
#pragma once

#include "spikenm/core/json.h"
#include "spikenm/core/safetensors.h"
#include "spikenm/nn/network.h"
#include "spikenm/nn/state.h"

#include <functional>
#include <string>
#include <vector>

namespace spikenm::train {

// Whatever shows its state to a visitor.
using ShowState = std::function<void(nn::StateVisitor&)>;

// A state at one moment, in memory of its own: what goes on changing does not change it.
struct StateCopy {
  std::vector<nn::NamedTensor> tensors;  // where the originals are
  Json values = Json::object();
};

StateCopy copy_state(const ShowState& show);

// Gives back what was saved. Every tensor and value must be there in its type and shape, and no
// other; an Error names `source` and the tensor.
void load_state(const ShowState& show, const SafetensorsInput& file, const Json& values,
                const std::string& source);

// An md5 over names, types, shapes and bytes; values whose name holds "seconds" are left out.
std::string hash_state(const ShowState& show);

}  // namespace spikenm::train
