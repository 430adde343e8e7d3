// A network measured on a whole loader.
#pragma once

#include "spikenm/data/loader.h"
#include "spikenm/nn/network.h"
#include "spikenm/nn/run_pass.h"
#include "spikenm/train/loss.h"

namespace spikenm::train {

struct Evaluation {
  double accuracy = 0;  // percent
  double loss = 0;      // mean over samples
};

// Evaluation mode, no gradient; hooks stay as they are installed.
Evaluation evaluate(nn::Network& network, data::Loader& loader, int64_t T, const Loss& loss,
                    nn::Observer* observer = nullptr);

}  // namespace spikenm::train
