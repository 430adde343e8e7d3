// Measures a network on a whole loader.
#pragma once

#include "spikenm/data/loader.h"
#include "spikenm/nn/network.h"
#include "spikenm/nn/run_pass.h"
#include "spikenm/train/loss.h"

#include <functional>
#include <optional>
#include <vector>

namespace spikenm::train {

// Accuracies in percent.
struct Evaluation {
  double accuracy = 0;
  std::optional<double> top5;                   // none with five classes or fewer
  std::vector<double> by_class;                 // NaN for a class without samples
  double loss = 0;                              // mean over samples
  std::vector<std::vector<int64_t>> confusion;  // [class, class taken for it], counts
};

// Sees the scores [T,B,K] and the labels [B] of each batch, in the loader's order.
using ScoreSink = std::function<void(const at::Tensor& scores, const at::Tensor& labels)>;

// Evaluation mode, no gradient; installed hooks stay installed. The observer sees the first
// `observed` batches.
Evaluation evaluate(nn::Network& network, data::Loader& loader, int64_t T, const Loss& loss,
                    nn::Observer* observer = nullptr, int64_t observed = INT64_MAX,
                    const ScoreSink& sink = {});

}  // namespace spikenm::train
