// Which kernel runs a layer, and why. A layer that reads spikes has two: one reads a row of every
// input that fires ("events"); the other first finds the rows that the block's outputs keep
// ("packed events"), which pays where 64 neighbouring outputs share their masks and few rows are
// left. The choice is made once, when a model is loaded, from the rates at which the layers below
// fired when they were recorded.
#pragma once

#include "spikenm/runtime/program.h"

#include <string>

namespace spikenm::runtime {

struct LayerPlan {
  std::string kernel;  // "events", "packed events", "values"
  std::string reason;  // one sentence
  bool packs = false;
  double input_rate = 0;  // spikes for each input and step that were expected
};

// The rate of neurons that no file recorded.
constexpr double kUsualRate = 0.1;

// How many spikes an input of the layer receives at a step, by the recorded rates.
double input_rate(const StoredModel& model, const Program& program, const Layer& layer);

// `kept`: the share of rows that some of 64 neighbouring outputs keep.
LayerPlan plan_layer(const SynapseTensor& tensor, const Layer& layer, double kept, double rate,
                     int64_t most_sources);

}  // namespace spikenm::runtime
