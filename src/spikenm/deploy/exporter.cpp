#include "spikenm/deploy/exporter.h"

#include "spikenm/core/crc32c.h"
#include "spikenm/core/error.h"
#include "spikenm/core/file.h"
#include "spikenm/core/json_text.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/core/safetensors.h"
#include "spikenm/data/frames.h"
#include "spikenm/graph/walks.h"
#include "spikenm/train/commit.h"

#include <ATen/ATen.h>

#include <cmath>

namespace spikenm::deploy {
namespace {

using graph::NodeId;
using runtime::StoredModel;
using runtime::WeightRule;
using runtime::WeightType;

std::vector<float> floats(const at::Tensor& tensor) {
  const at::Tensor plain = tensor.detach().to(at::kCPU, at::kFloat).contiguous();
  const float* const data = plain.const_data_ptr<float>();
  return {data, data + plain.numel()};
}

bool same_places(const nm::BlockLayout& a, const nm::BlockLayout& b) {
  return a.n_blocks == b.n_blocks && a.rows == b.rows && a.taps == b.taps &&
         a.blocks_per_row == b.blocks_per_row && a.block_stride == b.block_stride &&
         a.position_stride == b.position_stride && a.channel_stride == b.channel_stride;
}

// Whether all places of a kernel keep the same input channels.
bool shares_taps(const nm::Mask& mask, const nm::WeightShape& shape) {
  const int64_t taps = shape.kh * shape.kw;
  if (taps == 1) return false;
  for (size_t i = 0; i < mask.keep.size(); ++i)
    if (mask.keep[i] != mask.keep[i - i % static_cast<size_t>(taps)]) return false;
  return true;
}

std::optional<WeightRule> rule_of(const sparsity::LayerMask& layer, const nm::WeightShape& shape) {
  const nm::Mask& mask = layer.mask;
  const std::string& name = layer.synapse->name;
  // Without blocks there are no positions to store: zeros are bits.
  if (mask.kind != nm::Mask::Kind::kNm) return std::nullopt;
  const nm::BlockLayout in =
      nm::make_layout(shape, mask.pattern, nm::Axis::kIn, name, mask.layout.taps > 1);
  const bool along_input = same_places(in, mask.layout);
  return WeightRule{.pattern = mask.pattern,
                    .axis = along_input ? nm::Axis::kIn : nm::Axis::kFlat,
                    .share_taps = along_input && shares_taps(mask, shape)};
}

runtime::SynapseTensor pack(const nn::Synapse& synapse, const sparsity::LayerMask* masked,
                            WeightType type) {
  const nm::WeightShape& shape = synapse.spec->shape;
  std::optional<WeightRule> rule;
  std::vector<uint8_t> keep;
  if (masked != nullptr && masked->mask.kind != nm::Mask::Kind::kDense) {
    rule = rule_of(*masked, shape);
    keep = masked->mask.keep;
  }
  runtime::SynapseTensor tensor =
      runtime::pack_synapse(floats(synapse.weight), keep, shape, rule, type, synapse.name);
  if (synapse.bias.defined()) tensor.bias = floats(synapse.bias);
  return tensor;
}

runtime::FoldedNorm fold(const ops::BatchNormState& state) {
  const std::vector<float> gamma = floats(state.gamma), beta = floats(state.beta);
  const std::vector<float> mean = floats(state.running_mean), var = floats(state.running_var);
  runtime::FoldedNorm folded;
  for (size_t c = 0; c < gamma.size(); ++c) {
    const double scale = gamma[c] / std::sqrt(var[c] + state.eps);
    folded.scale.push_back(static_cast<float>(scale));
    folded.shift.push_back(static_cast<float>(beta[c] - mean[c] * scale));
  }
  return folded;
}

void add_synapses(const train::LoadedModel& from, WeightType type, StoredModel& model) {
  const std::vector<graph::Signal> signals = graph::signals(model.graph);
  for (const nn::Synapse& synapse : from.recipe.model.network->synapses()) {
    const sparsity::LayerMask* masked = nullptr;
    for (const sparsity::LayerMask& mask : from.masks.weights)
      if (mask.synapse == &synapse) masked = &mask;
    const NodeId input = model.graph.node(synapse.node).inputs[0];
    const bool reads_spikes = signals[input] == graph::Signal::kSpikes;
    model.synapses.emplace(synapse.node,
                           pack(synapse, masked, reads_spikes ? type : WeightType::kFloat));
  }
}

void add_neurons(const train::LoadedModel& from, StoredModel& model) {
  for (const nn::Neuron& neuron : from.recipe.model.network->neurons())
    if (neuron.leak_logit.defined())
      model.leaks[neuron.node] = 1 / (1 + std::exp(-neuron.leak_logit.item<double>()));
  for (const sparsity::NeuronMask& mask : from.masks.neurons) {
    std::vector<uint8_t>& keep = model.neuron_masks[mask.neuron->node];
    for (const float kept : floats(mask.keep)) keep.push_back(kept != 0);
  }
}

// The config that a model file carries.
std::string stored_config(const std::filesystem::path& file) {
  const SafetensorsInput input(file);
  const auto found = input.header().metadata.find("config");
  return found == input.header().metadata.end() ? std::string() : found->second;
}

void add_result(const Json& result, StoredModel& model) {
  for (const char* key : {"test_accuracy", "seed", "versions", "subset"})
    if (result.contains(key)) model.provenance[key] = result[key];
  if (!result.contains("firing_rate") || !result["firing_rate"].is_object()) return;
  for (const auto& [name, rate] : result["firing_rate"].items()) {
    const std::optional<NodeId> id = model.graph.find(name);
    if (id && model.graph.node(*id).as<graph::Neuron>() != nullptr && rate.is_number() &&
        rate.get<double>() >= 0 && rate.get<double>() <= 1)
      model.rates[*id] = rate.get<double>();
  }
}

}  // namespace

StoredModel export_model(const train::LoadedModel& from, WeightType type) {
  nn::Network& network = *from.recipe.model.network;
  StoredModel model{.graph = network.graph()};
  model.steps = from.recipe.model.T;
  const data::DatasetInfo& info = from.recipe.model.dataset->info();
  model.input.events = info.frames > 0;
  model.input.mean = from.recipe.model.pipelines.test.mean;
  model.input.std = from.recipe.model.pipelines.test.std;

  add_synapses(from, type, model);
  for (NodeId id = 0; id < model.graph.nodes().size(); ++id)
    if (model.graph.node(id).as<graph::Norm>() != nullptr)
      model.norms.emplace(id, fold(network.norm(id).state));
  add_neurons(from, model);
  model.provenance["commit"] = train::commit();
  model.provenance["seed"] = from.recipe.model.seed;
  model.provenance["data"] = from.recipe.model.data_name;
  model.provenance["method"] = from.recipe.model.method_name;
  return model;
}

void add_history(const std::filesystem::path& run, StoredModel& model) {
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(run, error);
  const std::filesystem::path file = is_folder ? run / RunDir::kModel : run;
  const std::string text = stored_config(file);
  model.provenance["config_crc32c"] = fmt::format("{:08x}", crc32c(as_bytes(text)));
  const Config config = Config::from_resolved(text, file.string() + " (config)");
  const data::FrameOptions frames = data::read_frame_options(config.section("data"), {});
  model.input.frames_by_time = frames.rule == data::FrameRule::kTime;
  model.input.binary = frames.binary;
  model.input.resize = frames.resize;

  const std::filesystem::path result = file.parent_path() / RunDir::kResult;
  if (std::filesystem::exists(result, error))
    add_result(parse_json_object(read_file(result), result.string()), model);
}

}  // namespace spikenm::deploy
