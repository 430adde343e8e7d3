#include "spikenm/deploy/verify.h"

#include "spikenm/core/interrupt.h"
#include "spikenm/nn/encoder.h"
#include "spikenm/nn/run_pass.h"
#include "spikenm/runtime/session.h"
#include "spikenm/train/batch_tensors.h"
#include "spikenm/train/measure.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <map>

namespace spikenm::deploy {
namespace {

// Keeps the spikes of every layer.
class SpikeKeeper : public nn::Observer {
 public:
  void on_spikes(const nn::Neuron& neuron, const at::Tensor& spikes) override {
    seen[neuron.node] = spikes.detach().to(at::kCPU, at::kFloat).contiguous();
  }
  std::map<graph::NodeId, at::Tensor> seen;  // [T,B,C,...]
};

// Spikes of sample b of one layer that are not those of the session.
void compare(const at::Tensor& trained, int64_t b, const std::vector<float>& run,
             Agreement& agreement) {
  const at::Tensor own = trained.select(1, b).contiguous();  // [T,C,...]
  const float* const wanted = own.const_data_ptr<float>();
  for (size_t i = 0; i < run.size(); ++i) {
    agreement.spikes += wanted[i] != 0;
    agreement.differing_spikes += (wanted[i] != 0) != (run[i] != 0);
  }
}

}  // namespace

Json Agreement::to_json() const {
  const auto percent = [](int64_t part, int64_t whole) {
    return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  };
  return {{"samples", samples},
          {"equal_labels_pct", percent(equal_labels, samples)},
          {"samples_with_equal_spikes_pct", percent(equal_spikes, samples)},
          {"spikes", spikes},
          {"differing_spikes", differing_spikes},
          {"trainer_accuracy", percent(trainer_correct, samples)},
          {"runtime_accuracy", percent(runtime_correct, samples)}};
}

Agreement verify(train::LoadedModel& trained, std::shared_ptr<const runtime::Model> model,
                 int64_t samples) {
  const at::NoGradGuard no_grad;
  train::Recipe& recipe = trained.recipe;
  const sparsity::FrozenHooks hooks(trained.masks);
  train::prepare_data(*recipe.model.dataset);
  data::Loader loader(data::test_view(recipe.model.dataset), recipe.test_loader());
  loader.start_epoch(0);
  runtime::Session session(std::move(model));

  Agreement found;
  for (int64_t i = 0; i < loader.batches() && found.samples < samples; ++i) {
    throw_if_interrupted("while verifying");
    const train::BatchTensors batch =
        train::to_tensors(loader.next(), recipe.model.network->device());
    SpikeKeeper keeper;
    nn::RunPass pass(/*training=*/false, &keeper, recipe.model.T);
    const at::Tensor scores =
        recipe.model.network->forward(pass, nn::encode(batch.frames, recipe.model.T));
    const at::Tensor labels = scores.mean(0).argmax(1).cpu();
    const at::Tensor frames = batch.frames.to(at::kCPU, at::kFloat);
    for (int64_t b = 0; b < labels.size(0) && found.samples < samples; ++b) {
      const at::Tensor own =
          (frames.dim() == 5 ? frames.select(1, b) : frames.select(0, b)).contiguous();
      const auto run = session.run({own.const_data_ptr<float>(), static_cast<size_t>(own.numel())});
      const int64_t label = runtime::largest(run), wanted = batch.labels[b].item<int64_t>();
      const int64_t trainer = labels[b].item<int64_t>(), before = found.differing_spikes;
      for (const auto& [node, spikes] : keeper.seen)
        compare(spikes, b, session.values(node), found);
      ++found.samples;
      found.equal_labels += label == trainer;
      found.equal_spikes += found.differing_spikes == before;
      found.trainer_correct += trainer == wanted;
      found.runtime_correct += label == wanted;
    }
  }
  return found;
}

}  // namespace spikenm::deploy
