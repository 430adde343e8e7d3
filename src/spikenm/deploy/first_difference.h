// Where the spikes of the trainer and of the runtime part first, and how far the neuron is from its
// threshold there: rounding decides a spike only where the membrane all but meets the threshold.
#pragma once

#include "spikenm/nn/network.h"

#include <map>
#include <optional>
#include <vector>

namespace spikenm::deploy {

// The spikes of one sample, by neuron node.
using TrainedSpikes = std::map<graph::NodeId, at::Tensor>;      // [T,C,...]
using RunSpikes = std::map<graph::NodeId, std::vector<float>>;  // the same, in order

struct Difference {
  graph::NodeId neurons = 0;
  int64_t step = 0;
  // |membrane - threshold|, computed in double from the spikes before; the largest of all neurons of
  // the layer that differ at this step.
  double distance = 0;
};

// The first layer whose spikes differ, and its first step; none if all are equal. `input` is
// [frames,1,C,H,W].
std::optional<Difference> first_difference(nn::Network& network, const at::Tensor& input,
                                           const TrainedSpikes& trained, const RunSpikes& run);

}  // namespace spikenm::deploy
