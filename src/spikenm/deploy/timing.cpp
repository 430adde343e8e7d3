#include "spikenm/deploy/timing.h"

#include "spikenm/core/interrupt.h"
#include "spikenm/core/stopwatch.h"
#include "spikenm/deploy/exporter.h"
#include "spikenm/nn/encoder.h"
#include "spikenm/nn/run_pass.h"
#include "spikenm/runtime/session.h"
#include "spikenm/runtime/snm_file.h"
#include "spikenm/train/batch_tensors.h"
#include "spikenm/train/measure.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace spikenm::deploy {
namespace {

// The first sample of the test part: [frames,1,C,H,W], or [1,C,H,W] of a static image.
at::Tensor first_sample(train::Recipe& recipe) {
  train::prepare_data(*recipe.model.dataset);
  data::Loader loader(data::test_view(recipe.model.dataset), recipe.test_loader());
  loader.start_epoch(0);
  const at::Tensor frames = train::to_tensors(loader.next()).frames;
  return frames.narrow(frames.dim() == 5 ? 1 : 0, 0, 1).contiguous();
}

// Milliseconds of the fastest call; the first, which warms up, does not count.
template <class Call>
double best_ms(double seconds, Call&& call) {
  call();
  double best = 1e30;
  const Stopwatch all;
  do {
    throw_if_interrupted("while timing");
    const Stopwatch one;
    call();
    best = std::min(best, 1e3 * one.seconds());
  } while (all.seconds() < seconds);
  return best;
}

Cost time_session(const runtime::StoredModel& stored, const at::Tensor& sample, double seconds) {
  const std::string bytes = runtime::encode_snm(stored);
  runtime::Session session(std::make_shared<const runtime::Model>(stored));
  const std::span<const float> values(sample.const_data_ptr<float>(),
                                      static_cast<size_t>(sample.numel()));
  return {.bytes = static_cast<int64_t>(bytes.size()),
          .ms = best_ms(seconds, [&] { session.run(values); })};
}

Cost time_trainer(train::Recipe& recipe, const at::Tensor& sample, double seconds) {
  const at::NoGradGuard no_grad;
  nn::Network& network = *recipe.model.network;
  const at::Tensor frames = sample.to(network.device());
  return {.bytes = 0, .ms = best_ms(seconds, [&] {
                        nn::RunPass pass(/*training=*/false, nullptr, recipe.model.T);
                        network.forward(pass, nn::encode(frames, recipe.model.T)).cpu();
                      })};
}

}  // namespace

Timing time_export(train::LoadedModel& trained, const std::filesystem::path& run,
                   const std::filesystem::path& file, double seconds) {
  const auto stored = [&] {
    runtime::StoredModel model = export_model(trained, runtime::WeightType::kInt8);
    add_history(run, model);
    return model;
  };
  const at::Tensor sample = first_sample(trained.recipe);
  Timing timing;
  const runtime::StoredModel packed = stored();
  runtime::write_snm(file, packed);
  timing.packed = time_session(packed, sample, seconds);

  sparsity::apply_to_weights(trained.masks);
  trained.masks.weights.clear();
  timing.dense = time_session(stored(), sample, seconds);
  timing.trainer = time_trainer(trained.recipe, sample, seconds);
  return timing;
}

}  // namespace spikenm::deploy
