#include "runtime_models.h"

#include "spikenm/core/bytes.h"
#include "spikenm/core/config.h"
#include "spikenm/core/input_file.h"
#include "spikenm/core/json_text.h"
#include "spikenm/core/random.h"
#include "spikenm/graph/models/models.h"
#include "spikenm/graph/walks.h"
#include "spikenm/runtime/session.h"

#include <algorithm>
#include <cmath>

namespace spikenm::bench {
namespace {

using graph::NodeId;
using runtime::StoredModel;
using runtime::WeightRule;

// Exactly n of every block; masks are shared as the rule says.
std::vector<uint8_t> random_keep(const nm::WeightShape& shape, const WeightRule& rule,
                                 uint64_t seed) {
  const nm::BlockLayout layout = nm::make_layout(shape, rule.pattern, rule.axis, "bench");
  std::vector<uint8_t> keep(static_cast<size_t>(shape.numel()), 1);
  const RandomAddress random(seed, 7);
  const int64_t per_group = layout.rows * layout.blocks_per_row;
  for (int64_t b = 0; b < layout.n_blocks; ++b) {
    const int64_t row = b % per_group / layout.blocks_per_row;
    const auto mask = static_cast<uint64_t>(rule.share_taps ? b - row * layout.blocks_per_row : b);
    const auto words = random.words(mask);
    uint64_t chosen = 0;
    for (int k = 0; k < rule.pattern.n; ++k) {
      uint64_t s = words.word[k % 4] % static_cast<uint64_t>(layout.m);
      while ((chosen >> s & 1) != 0) s = (s + 1) % static_cast<uint64_t>(layout.m);
      chosen |= uint64_t{1} << s;
    }
    for (int32_t c = 0; c < layout.channels_of(b); ++c)
      for (int s = 0; s < layout.m; ++s)
        keep[static_cast<size_t>(layout.start(b) + c * layout.channel_stride +
                                 s * layout.position_stride)] = chosen >> s & 1;
  }
  return keep;
}

runtime::SynapseTensor random_synapse(const graph::Synapse& spec, const ModelKind& kind,
                                      bool reads_spikes, uint64_t seed) {
  const nm::WeightShape& shape = spec.shape;
  std::vector<float> weight(static_cast<size_t>(shape.numel()));
  const RandomAddress random(seed, 1);
  for (size_t i = 0; i < weight.size(); i += 4) {  // sums of bytes: nearly normal, and fast
    const auto words = random.words(i);
    for (size_t k = 0; k < 4 && i + k < weight.size(); ++k) {
      int sum = -510;
      for (int byte = 0; byte < 4; ++byte) sum += static_cast<int>(words.word[k] >> 8 * byte & 255);
      weight[i + k] = static_cast<float>(sum) / 148;
    }
  }
  const bool packs = kind.rule && reads_spikes;
  return runtime::pack_synapse(
      weight, packs ? random_keep(shape, *kind.rule, seed) : std::vector<uint8_t>(), shape,
      packs ? kind.rule : std::nullopt, reads_spikes ? kind.type : runtime::WeightType::kFloat,
      "bench");
}

// The max pool that reads these neurons, if there is one.
std::optional<NodeId> max_pool_behind(const graph::Graph& graph, NodeId neurons) {
  const graph::Readers readers = graph::readers(graph);
  for (const NodeId reader : readers[neurons]) {
    const auto* const pool = graph.node(reader).as<graph::Pool>();
    if (pool != nullptr && pool->kind == graph::PoolKind::kMax) return reader;
  }
  return {};
}

// How often neurons fire for their pool to fire at `rate`, if they do so one independently of the other.
double rate_before(const graph::Pool& pool, double rate) {
  return 1 - std::pow(1 - rate, 1 / static_cast<double>(pool.size * pool.size));
}

void set_rates(StoredModel& model, const Rates& rates) {
  for (NodeId id = 0; id < model.graph.nodes().size(); ++id) {
    const graph::Node& node = model.graph.node(id);
    if (node.as<graph::Neuron>() == nullptr) continue;
    model.rates[id] = rates.of(node.name);
    if (!rates.behind_pools) continue;
    if (const auto pool = max_pool_behind(model.graph, id))
      model.rates[id] = rate_before(*model.graph.node(*pool).as<graph::Pool>(), model.rates[id]);
  }
}

}  // namespace

StoredModel random_model(const ModelKind& kind) {
  const bool image = kind.network == "6conv2fc";
  const graph::ModelSpec spec{.frame = image ? graph::FrameShape{3, 32, 32}
                                             : graph::FrameShape{2, 48, 48}};
  const Config config = Config::from_text("[model]\nfc_norm = true\n", "bench");
  StoredModel model{.graph = graph::models().find(kind.network)(
                        spec, image ? config.section("model")
                                    : Config::from_text("[model]\n", "bench").section("model"))};
  model.steps = image ? 8 : 10;
  model.input.events = !image;
  bool reads_spikes = false;
  for (NodeId id = 1; id < model.graph.nodes().size(); ++id) {
    const graph::Node& node = model.graph.node(id);
    if (const auto* synapse = node.as<graph::Synapse>())
      model.synapses.emplace(id, random_synapse(*synapse, kind, reads_spikes, id));
    if (node.as<graph::Norm>() != nullptr) {
      const auto channels = static_cast<size_t>(node.out.channels);
      const auto& shape = model.graph.input_of(node).as<graph::Synapse>()->shape;
      const double kept = kind.rule && reads_spikes
                              ? static_cast<double>(kind.rule->pattern.n) / kind.rule->pattern.m
                              : 1;
      const double inputs = kept * (reads_spikes ? kind.rates.usual : 1) *
                            static_cast<double>(shape.numel() / shape.cout);
      model.norms[id] = {
          .scale = std::vector<float>(channels, static_cast<float>(1 / std::sqrt(inputs))),
          .shift = std::vector<float>(channels, 0)};
    }
    reads_spikes = reads_spikes || node.as<graph::Neuron>() != nullptr;
  }
  return model;
}

std::vector<float> sample_for(const StoredModel& model, uint64_t seed) {
  const int64_t frames = model.input.events ? model.steps : 1;
  std::vector<float> sample(static_cast<size_t>(frames * model.graph.node(0).out.values()));
  const RandomAddress random(seed, 5);
  for (size_t i = 0; i < sample.size(); ++i)
    sample[i] = model.input.events ? (random.uniform(i) < 0.1 ? 1.0f : 0.0f)
                                   : static_cast<float>(random.normal(i));
  return sample;
}

double Rates::of(const std::string& layer) const {
  const auto found = by_layer.find(layer);
  return found == by_layer.end() ? usual : found->second;
}

Rates read_rates(const std::string& file) {
  std::vector<uint8_t> bytes;
  read_bytes(file, bytes);
  const Json all = parse_json_object(as_text(bytes), file);
  const Json& found = all.contains("firing_rate") ? all["firing_rate"] : all;
  Rates rates;
  for (const auto& [name, rate] : found.items())
    if (rate.is_number()) rates.by_layer[name] = rate.get<double>();
  return rates;
}

std::shared_ptr<const runtime::Model> calibrated_model(const ModelKind& kind) {
  StoredModel stored = random_model(kind);
  set_rates(stored, kind.planned);
  const std::vector<float> sample = sample_for(stored, 1);
  const auto model = std::make_shared<runtime::Model>(std::move(stored));
  runtime::Session session(model);
  for (size_t i = 0; i < model->program().layers.size(); ++i) {
    const runtime::Layer& layer = model->program().layers[i];
    if (!layer.neurons) continue;
    const double rate = kind.rates.of(model->graph().node(*layer.neurons).name);
    const auto pool = max_pool_behind(model->graph(), *layer.neurons);
    const NodeId measured = kind.rates.behind_pools && pool ? *pool : layer.out;
    double low = -8, high = 8;
    for (int round = 0; round < 14; ++round) {
      const double middle = (low + high) / 2;
      model->set_layer_shift(i, static_cast<float>(middle));
      session.run(sample);
      (session.firing_rate(measured) < rate ? low : high) = middle;
    }
  }
  return model;
}

std::shared_ptr<const runtime::Model> unmasked_model(const ModelKind& kind,
                                                     const runtime::Model& like) {
  StoredModel stored = random_model(kind);
  set_rates(stored, kind.planned);
  for (auto& [id, tensor] : stored.synapses) {
    if (!tensor.rule || tensor.type != runtime::WeightType::kInt8) continue;
    const std::vector<int8_t> whole = runtime::unpack_int8(tensor);
    tensor.values = std::vector<uint8_t>(whole.begin(), whole.end());
    tensor.positions = {};
    tensor.rule.reset();
  }
  const auto model = std::make_shared<runtime::Model>(std::move(stored));
  for (size_t i = 0; i < model->program().layers.size(); ++i)
    if (model->program().layers[i].neurons)
      model->set_layer_shift(i, like.program().layers[i].shift[0]);
  return model;
}

}  // namespace spikenm::bench
