#include "spikenm/deploy/verify.h"

#include "spikenm/core/error.h"
#include "spikenm/core/interrupt.h"
#include "spikenm/deploy/first_difference.h"
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

double percent(int64_t part, int64_t whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// Adds the spikes of one layer that are not those of the session.
void count(const at::Tensor& trained, const std::vector<float>& run, Agreement& agreement) {
  const float* const wanted = trained.const_data_ptr<float>();
  SPIKENM_ASSERT(static_cast<int64_t>(run.size()) == trained.numel());
  for (size_t i = 0; i < run.size(); ++i) {
    agreement.spikes += wanted[i] != 0;
    agreement.differing_spikes += (wanted[i] != 0) != (run[i] != 0);
  }
}

// Compares one sample, which the session has just run. `input` is [frames,1,C,H,W].
void compare(nn::Network& network, const at::Tensor& input, int64_t b, const SpikeKeeper& keeper,
             const runtime::Session& session, Agreement& agreement) {
  TrainedSpikes trained;
  RunSpikes run;
  const int64_t before = agreement.differing_spikes;
  for (const auto& [node, spikes] : keeper.seen) {
    trained[node] = spikes.select(1, b).contiguous();
    run[node] = session.values(node);
    count(trained[node], run[node], agreement);
  }
  if (agreement.differing_spikes == before) {
    ++agreement.equal_spikes;
  } else if (const auto first = first_difference(network, input, trained, run)) {
    agreement.farthest = std::max(agreement.farthest, first->distance);
    agreement.far_samples += !(first->distance <= Agreement::kFarthest);
  }
}

}  // namespace

Json Agreement::to_json() const {
  return {{"samples", samples},
          {"equal_labels_pct", percent(equal_labels, samples)},
          {"samples_with_equal_spikes_pct", percent(equal_spikes, samples)},
          {"spikes", spikes},
          {"differing_spikes", differing_spikes},
          {"farthest_first_difference", farthest},
          {"samples_far_from_threshold", far_samples},
          {"trainer_accuracy", percent(trainer_correct, samples)},
          {"runtime_accuracy", percent(runtime_correct, samples)}};
}

void Agreement::check_floats(const std::string& what) const {
  SPIKENM_CHECK(far_samples == 0,
                "{}: found {} samples whose first differing spike is farther than {:g} from its "
                "threshold (up to {:.3g}), wanted none: more than rounding parts it from training",
                what, far_samples, kFarthest, farthest);
  const double equal = percent(equal_labels, samples);
  SPIKENM_CHECK(equal >= kEqualLabelsPct,
                "{}: found {:.2f} % of the labels equal to those of training, wanted at least {} %",
                what, equal, kEqualLabelsPct);
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
      const int64_t trainer = labels[b].item<int64_t>();
      const at::Tensor one = frames.dim() == 5 ? own.unsqueeze(1) : own.unsqueeze(0).unsqueeze(0);
      compare(*recipe.model.network, one, b, keeper, session, found);
      ++found.samples;
      found.equal_labels += label == trainer;
      found.trainer_correct += trainer == wanted;
      found.runtime_correct += label == wanted;
    }
  }
  return found;
}

}  // namespace spikenm::deploy
