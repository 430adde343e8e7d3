#include "commands.h"
#include "path_option.h"

#include "spikenm/core/error.h"
#include "spikenm/core/show.h"
#include "spikenm/nn/encoder.h"
#include "spikenm/nn/run_pass.h"
#include "spikenm/report/spike_record.h"
#include "spikenm/train/batch_tensors.h"
#include "spikenm/train/measure.h"
#include "spikenm/train/model_file.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <memory>

namespace spikenm::cli {
namespace {

// Keeps the spikes of every layer, of the one sample of the pass.
class SpikeKeeper : public nn::Observer {
 public:
  explicit SpikeKeeper(std::vector<report::SpikeLayer>& layers) : layers_(layers) {}

  void on_spikes(const nn::Neuron& layer, const at::Tensor& spikes) override {
    const int64_t steps = spikes.size(0);
    const at::Tensor bytes = spikes.gt(0).to(at::kByte).cpu().contiguous().reshape({steps, -1});
    const uint8_t* const data = bytes.const_data_ptr<uint8_t>();
    layers_.push_back({.name = layer.name,
                       .steps = steps,
                       .neurons = bytes.size(1),
                       .spikes = {data, data + bytes.numel()}});
  }

 private:
  std::vector<report::SpikeLayer>& layers_;
};

std::vector<float> values_of(const at::Tensor& tensor) {
  const at::Tensor plain = tensor.to(at::kFloat).cpu().contiguous();
  const float* const data = plain.const_data_ptr<float>();
  return {data, data + plain.numel()};
}

report::SpikeRecord record_spikes(const std::string& run, int64_t sample,
                                  const std::vector<std::string>& overrides) {
  train::LoadedModel model = train::load_model(run, overrides, train::Purpose::kTrain);
  train::Recipe& recipe = model.recipe;
  const data::View& validation = recipe.views->validation;
  SPIKENM_CHECK(validation.size() > 0, "{}: found no validation set, wanted a run with one", run);
  SPIKENM_CHECK(sample < validation.size(), "--sample: found {}, wanted 0 to {}", sample,
                validation.size() - 1);

  train::prepare_data(*recipe.model.dataset);
  data::LoaderOptions options = recipe.test_loader();
  options.batch_size = 1;
  data::Loader loader(validation.first(sample + 1), options);
  loader.start_epoch(0, /*first=*/sample);
  const train::BatchTensors batch =
      train::to_tensors(loader.next(), recipe.model.network->device());

  const data::DatasetInfo& info = recipe.model.dataset->info();
  report::SpikeRecord record{.sample = fmt::format("{} of validation", sample),
                             .right = info.class_name(validation.label(sample)),
                             .answer = {},
                             .frames = std::max<int64_t>(1, info.frames),
                             .channels = info.channels,
                             .height = info.height,
                             .width = info.width,
                             .input = values_of(batch.frames),
                             .events = info.events,
                             .layers = {}};

  const at::NoGradGuard no_grad;
  const sparsity::FrozenHooks hooks(model.masks);
  SpikeKeeper keeper(record.layers);
  nn::RunPass pass(/*training=*/false, &keeper, recipe.model.T);
  const at::Tensor scores =
      recipe.model.network->forward(pass, nn::encode(batch.frames, recipe.model.T));
  record.answer = info.class_name(scores.mean(0).argmax(1).item<int64_t>());
  return record;
}

struct SpikesArguments {
  std::string run;
  std::vector<std::string> overrides;
  int64_t sample = 0;
};

}  // namespace

std::function<void()> setup_spikes(CLI::App& app) {
  auto a = std::make_shared<SpikesArguments>();
  as_path(app.add_option("run", a->run, "run folder, or a model .safetensors of ours"))->required();
  app.add_option("overrides", a->overrides, "a.b=value, over the stored config");
  app.add_option("--sample", a->sample, "which sample of validation, from 0")
      ->check(CLI::Range(int64_t{0}, INT64_MAX))
      ->capture_default_str();
  app.footer(
      "Prints JSON: the input and, for each layer and step, the numbers of the neurons that "
      "fired.\n"
      "'spikenm plot spikes' draws it.\n\n"
      "Examples:\n"
      "  spikenm spikes runs/a --sample 3 > spikes.json\n"
      "  spikenm spikes runs/a data.root=DIR");
  return [a] {
    show("{}\n", to_json(record_spikes(a->run, a->sample, a->overrides))
                     .dump(-1, ' ', false, Json::error_handler_t::replace));
  };
}

}  // namespace spikenm::cli
