// One training step of a network written with plain torch operations: what ours is timed beside.
#pragma once

#include "spikenm/train/step.h"

namespace spikenm::train {

// PlainPass forward, loss, torch's own backward, then the stepper's update. ATen runs it on as many
// threads as our kernels have.
void plain_step(nn::Network& network, int64_t T, Stepper& stepper, const BatchTensors& batch,
                double lr);

}  // namespace spikenm::train
