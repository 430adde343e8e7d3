// What the neurons of a network did with one sample.
#pragma once

#include "spikenm/core/json.h"

#include <cstdint>
#include <string>
#include <vector>

namespace spikenm::report {

struct SpikeLayer {
  std::string name;
  int64_t steps = 0, neurons = 0;
  std::vector<uint8_t> spikes;  // [steps,neurons]: 1 where a neuron fired

  [[nodiscard]] bool fired(int64_t step, int64_t neuron) const {
    return spikes[static_cast<size_t>(step * neurons + neuron)] != 0;
  }
};

struct SpikeRecord {
  std::string sample, right, answer;  // "3 of validation", and the names of two classes
  int64_t frames = 1, channels = 1, height = 1, width = 1;
  std::vector<float> input;  // [frames,channels,height,width], as the network was given it
  bool events = false;       // frames count events
  std::vector<SpikeLayer> layers;
};

// As `spikenm spikes` prints it. Spikes are, for each step, the numbers of the neurons that fired.
Json to_json(const SpikeRecord& record);

// The record of such a text. An Error names `source` and what is missing or out of range.
SpikeRecord read_spike_record(std::string_view text, const std::string& source);

}  // namespace spikenm::report
