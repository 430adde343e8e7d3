// Networks of full width with random weights whose layers fire at given rates.
#pragma once

#include "spikenm/runtime/model.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spikenm::bench {

// How often the neurons of a layer fire, by its name; `usual` for those that are not named.
struct Rates {
  std::map<std::string, double> by_layer;
  double usual = 0.06;
  bool behind_pools = false;  // of a layer before a max pool: how often the pool's outputs fire

  [[nodiscard]] double of(const std::string& layer) const;
};
// Reads the "firing_rate" of a run's result.json, or a JSON object of names and rates.
Rates read_rates(const std::string& file);

struct ModelKind {
  std::string network;  // "6conv2fc", "vggsnn"
  std::optional<runtime::WeightRule> rule;
  runtime::WeightType type = runtime::WeightType::kInt8;
  Rates rates;
  Rates planned;  // those that kernels are chosen for
};

// A sample for it: an image, or frames of events.
std::vector<float> sample_for(const runtime::StoredModel& model, uint64_t seed);

// The same network before calibration, to be written to a file.
runtime::StoredModel random_model(const ModelKind& kind);

// Shifts the currents of each layer, front to back, until the layer, or the pool behind it, fires at its
// rate.
std::shared_ptr<const runtime::Model> calibrated_model(const ModelKind& kind);

// The same weights, shifts and spikes as `like`, which is of this kind, stored as if no weight were
// masked.
std::shared_ptr<const runtime::Model> unmasked_model(const ModelKind& kind,
                                                     const runtime::Model& like);

}  // namespace spikenm::bench
