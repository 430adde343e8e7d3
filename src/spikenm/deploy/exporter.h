// A trained model as a .snm file: the one layer that sees both the train stack and the run stack.
#pragma once

#include "spikenm/deploy/history.h"
#include "spikenm/runtime/stored_model.h"
#include "spikenm/train/model_file.h"

namespace spikenm::deploy {

// The model as the trainer has loaded it, with its overrides, packed (pack.h).
runtime::StoredModel export_model(const train::LoadedModel& model, runtime::WeightType type);

}  // namespace spikenm::deploy
