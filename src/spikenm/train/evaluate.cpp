#include "spikenm/train/evaluate.h"

#include "spikenm/core/interrupt.h"
#include "spikenm/metrics/accuracy.h"
#include "spikenm/nn/encoder.h"
#include "spikenm/train/batch_tensors.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace spikenm::train {

Evaluation evaluate(nn::Network& network, data::Loader& loader, int64_t T, const Loss& loss,
                    nn::Observer* observer) {
  const at::NoGradGuard no_grad;
  nn::RunPass pass(/*training=*/false, observer);
  int64_t correct = 0, samples = 0;
  double loss_sum = 0;
  loader.start_epoch(0);
  for (int64_t i = 0; i < loader.batches(); ++i) {
    throw_if_interrupted("while evaluating");
    const BatchTensors batch = to_tensors(loader.next());
    const at::Tensor scores = network.forward(pass, nn::encode(batch.frames, T));
    const int64_t B = batch.labels.size(0);
    correct += metrics::count_correct(scores, batch.labels);
    loss_sum += loss(scores, batch.labels).item<double>() * static_cast<double>(B);
    samples += B;
  }
  const auto n = static_cast<double>(samples);
  return {.accuracy = 100.0 * static_cast<double>(correct) / n, .loss = loss_sum / n};
}

}  // namespace spikenm::train
