// What is known of a trained model beside its network.
#pragma once

#include "spikenm/runtime/stored_model.h"
#include "spikenm/train/model_input.h"

#include <filesystem>

namespace spikenm::deploy {

// Adds what lies beside and in the model file: how frames are made (from its config), rates,
// accuracy, seed and versions (from result.json, if it is there), and a hash of the config.
void add_history(const train::ModelInput& file, runtime::StoredModel& model);
// `run`: a model file or a run folder.
void add_history(const std::filesystem::path& run, runtime::StoredModel& model);

}  // namespace spikenm::deploy
