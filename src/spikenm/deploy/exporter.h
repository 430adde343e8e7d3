// A trained model as a .snm file: the one layer that sees both the train stack and the run stack.
#pragma once

#include "spikenm/runtime/stored_model.h"
#include "spikenm/train/model_file.h"

#include <filesystem>

namespace spikenm::deploy {

// What is stored: graph, masked weights, folded norms, leaks, neuron masks, and the encoding of the
// data. Layers that read spikes have weights of `type`; those that read real values stay floats.
runtime::StoredModel export_model(const train::LoadedModel& model, runtime::WeightType type);

// Adds what lies beside and in the model file: how frames are made (from its config), rates,
// accuracy, seed and versions (from result.json, if it is there), and a hash of the config.
void add_history(const std::filesystem::path& run, runtime::StoredModel& model);

}  // namespace spikenm::deploy
