// One training step of a network in plain torch operations; our step is timed against it.
#pragma once

#include "spikenm/train/step.h"

namespace spikenm::train {

// PlainPass forward, loss, torch's backward, then the stepper's update. ATen uses as many threads
// for it as our kernels do.
void plain_step(nn::Network& network, int64_t T, Stepper& stepper, const BatchTensors& batch,
                double lr);

}  // namespace spikenm::train
