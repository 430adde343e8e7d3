#include "spikenm/train/evaluate.h"

#include "spikenm/core/interrupt.h"
#include "spikenm/metrics/accuracy.h"
#include "spikenm/nn/encoder.h"
#include "spikenm/train/batch_feed.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace spikenm::train {

Evaluation evaluate(nn::Network& network, data::Loader& loader, int64_t T, const Loss& loss,
                    nn::Observer* observer, int64_t observed, const ScoreSink& sink) {
  const at::NoGradGuard no_grad;
  nn::RunPass watched(/*training=*/false, observer, T), plain(/*training=*/false, nullptr, T);
  metrics::AccuracyCounter accuracy;
  double loss_sum = 0;

  loader.start_epoch(0);
  BatchFeed feed(loader, network.device());
  for (int64_t i = 0; i < loader.batches(); ++i) {
    throw_if_interrupted("while evaluating");
    const BatchTensors batch = feed.next();
    const at::Tensor scores =
        network.forward(i < observed ? watched : plain, nn::encode(batch.frames, T));
    accuracy.add(scores, batch.labels);
    if (sink) sink(scores, batch.labels);
    loss_sum += loss(scores, batch.labels).item<double>() * static_cast<double>(scores.size(1));
  }

  return {.accuracy = accuracy.percent(),
          .top5 = accuracy.top5_percent(),
          .by_class = accuracy.class_percent(),
          .loss = loss_sum / static_cast<double>(accuracy.samples()),
          .confusion = accuracy.confusion()};
}

}  // namespace spikenm::train
