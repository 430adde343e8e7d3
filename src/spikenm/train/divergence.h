// Checks the values that training made. If one is not finite, it throws Diverged, which says what
// the value was and where in training it appeared; a model with such a value could not be loaded.
#pragma once

#include "spikenm/nn/network.h"
#include "spikenm/sparsity/pruning.h"
#include "spikenm/train/step_watch.h"

#include <string>
#include <vector>

namespace spikenm::train {

// `what` is "the loss", `where` "in search epoch 1 of 3, batch 2 of 9".
void check_finite(double value, const std::string& what, const std::string& where);

// Throws Diverged for a row of steps; `where` is the place of the first one.
[[noreturn]] void throw_diverged(const BadSteps& bad, const std::string& where);

// "samples 12, 55, 3": the samples of a batch; only the first ones of many.
std::string samples_text(const std::vector<int64_t>& samples);

// Names the first tensor with a value that is not finite. Waits for the GPU once.
void check_finite(const std::vector<nn::NamedTensor>& tensors, const std::string& where);

// Weights, running statistics, and what the method keeps from step to step.
std::vector<nn::NamedTensor> trained_tensors(const nn::Network& network,
                                             const sparsity::Pruning& method);

}  // namespace spikenm::train
