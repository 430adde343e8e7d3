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

// A function that shows the state of something to a visitor.
using ShowState = std::function<void(nn::StateVisitor&)>;

// A copy of a state at one moment. It stays the same while the original changes: it shares memory
// with nothing but constants.
struct StateCopy {
  // On the device of the original, or on the CPU if a GPU has no room.
  std::vector<nn::NamedTensor> tensors;
  Json values = Json::object();
};

StateCopy copy_state(const ShowState& show);

// Sets the state to what was saved. The file must have every tensor and value of the state, with
// the same type and shape, and no others. An Error names `source` and the tensor.
void load_state(const ShowState& show, const SafetensorsInput& file, const Json& values,
                const std::string& source);

// The same for some of the state in the file: it may have more.
void load_part_of_state(const ShowState& show, const SafetensorsInput& file, const Json& values,
                        const std::string& source);

// An md5 over names, types, shapes and bytes; values whose name holds "seconds" are left out.
std::string hash_state(const ShowState& show);

}  // namespace spikenm::train
