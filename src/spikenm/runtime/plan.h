// Which kernel runs a layer, and why. A layer that reads spikes can be run in four ways:
//
//   events          a row of 64 outputs for every input that fires
//   packed events   the same without rows that no output of a block keeps: pays where 64 neighbouring
//                   outputs share their masks
//   packed          every weight that an output keeps, whatever fires
//   dense           every weight, whatever fires
//
// The choice is made once, when a model is loaded, from the rates at which the layers below fired when
// they were recorded: the more they fire, the further down.
#pragma once

#include "spikenm/runtime/program.h"

#include <string>

namespace spikenm::runtime {

struct LayerPlan {
  std::string kernel = "events";  // or "packed events", "packed", "dense", "values"
  std::string reason;             // one sentence
  kernels::RowForm form = kernels::RowForm::kEvents;
  bool packs = false;     // packed events
  double input_rate = 0;  // spikes for each input and step that were expected
};

// The rate of neurons that no file recorded.
constexpr double kUsualRate = 0.1;

// How often the bits of each node are set, by the recorded rates: those of neurons, and of max pools over
// them. An average pool has that of what it reads.
std::vector<double> bit_rates(const StoredModel& model);

// How many spikes an input of the layer receives at a step.
double input_rate(const StoredModel& model, const Program& program, const Layer& layer,
                  const std::vector<double>& rates);

// What the choice depends on.
struct PlanFacts {
  double kept = 1;  // share of rows that some of 64 neighbouring outputs keep
  double rate = kUsualRate;
  int64_t most_sources = 1, most_count = 1;  // of an input: maps it is summed from, largest value
  bool byte_products = false;                // kernels::has_byte_products() at the model's level
};

LayerPlan plan_layer(const SynapseTensor& tensor, const Layer& layer, const PlanFacts& facts);

}  // namespace spikenm::runtime
