// A network computed node by node in plain loops: slow, and the oracle of sessions. Sums of int8
// weights and all neurons are the same bits; sums of float weights may be added in another order.
#pragma once

#include "spikenm/runtime/stored_model.h"

#include <span>

namespace spikenm::runtime {

// The values of every node for one sample, [steps, C, H, W]; empty for nodes that are part of a
// layer (program.h). `input` is [frames, C, H, W].
std::vector<std::vector<float>> run_reference(const StoredModel& model,
                                              std::span<const float> input);

// The mean of the scores over all steps.
std::vector<float> reference_scores(const StoredModel& model, std::span<const float> input);

}  // namespace spikenm::runtime
