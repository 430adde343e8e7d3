// Networks of full width with random weights whose layers fire at given rates.
#pragma once

#include "spikenm/runtime/model.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spikenm::bench {

struct ModelKind {
  std::string network;  // "6conv2fc", "vggsnn"
  std::optional<runtime::WeightRule> rule;
  runtime::WeightType type = runtime::WeightType::kInt8;
  double rate = 0.06;  // of every layer of neurons
};

// A sample for it: an image, or frames of events.
std::vector<float> sample_for(const runtime::StoredModel& model, uint64_t seed);

// The same network before calibration, to be written to a file.
runtime::StoredModel random_model(const ModelKind& kind);

// Shifts the currents of each layer, front to back, until the layer fires at the rate.
std::shared_ptr<const runtime::Model> calibrated_model(const ModelKind& kind);

}  // namespace spikenm::bench
