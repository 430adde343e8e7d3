#include "spikenm/runtime/reference.h"

#include "spikenm/core/error.h"
#include "spikenm/runtime/fold.h"
#include "spikenm/runtime/node_ops.h"
#include "spikenm/runtime/program.h"

#include <cmath>
#include <cstdlib>

namespace spikenm::runtime {
namespace {

using graph::Node;
using graph::Shape;

// Values of a node, [steps, C, H, W].
using Values = std::vector<float>;

class Reference {
 public:
  Reference(const StoredModel& model, std::span<const float> input)
      : model_(model), program_(make_program(model)), values_(model.graph.nodes().size()) {
    values_[0].assign(input.begin(), input.end());
  }

  std::vector<Values> run() {
    std::vector<const Layer*> layer_of(values_.size(), nullptr);  // by node it gives
    std::vector<bool> inside(values_.size(), false);  // computed by a later node's layer
    for (const Layer& layer : program_.layers) {
      layer_of[layer.out] = &layer;
      for (NodeId id = layer.out; id != layer.synapse; id = input_of(id))
        inside[input_of(id)] = true;
    }
    for (NodeId id = 1; id < values_.size(); ++id) {
      if (layer_of[id] != nullptr)
        run_layer(*layer_of[id]);
      else if (!inside[id])
        run_node(id);
    }
    return std::move(values_);
  }

 private:
  [[nodiscard]] const Node& node(NodeId id) const { return model_.graph.node(id); }
  [[nodiscard]] NodeId input_of(NodeId id) const { return node(id).inputs[0]; }
  [[nodiscard]] int64_t steps_of(NodeId id) const {
    return program_.constant[id] ? 1 : model_.steps;
  }
  // Value i of a step of a node.
  [[nodiscard]] float at(NodeId id, int64_t step, int64_t i) const {
    const int64_t t = program_.constant[id] ? 0 : step;
    return values_[id][static_cast<size_t>(t * node(id).out.values() + i)];
  }

  void run_layer(const Layer& layer) {
    const SynapseTensor& tensor = model_.synapses.at(layer.synapse);
    if (tensor.type == WeightType::kInt8)
      whole_ = unpack_int8(tensor);
    else
      real_ = unpack_floats(tensor);
    const Shape& shape = node(layer.out).out;
    const int64_t pixels = shape.height * shape.width, steps = steps_of(layer.out);
    Values& out = values_[layer.out];
    out.resize(static_cast<size_t>(steps * shape.values()));
    const kernels::LayerNeurons neurons =
        layer.neurons ? folded_neurons(neuron_params(model_, *layer.neurons))
                      : kernels::LayerNeurons{};
    for (int64_t i = 0; i < shape.values(); ++i) {
      const auto channel = static_cast<size_t>(i / pixels);
      float v = neurons.rest;
      for (int64_t t = 0; t < steps; ++t) {
        const float sum = weighted_sum(layer, tensor, t, i);
        float value = std::fmaf(sum, layer.scale[channel], layer.shift[channel]);
        if (layer.neurons) {
          const float h = std::fmaf(neurons.keep, v, value);
          const bool fired = h >= neurons.threshold;
          const float reset =
              neurons.soft == 0 ? neurons.reset : std::fmaf(neurons.soft, h, neurons.reset);
          v = fired ? reset : h;
          value = fired && is_alive(*layer.neurons, i) ? 1 : 0;
        }
        out[static_cast<size_t>(t * shape.values() + i)] = value;
      }
    }
  }

  // What neuron or score i receives at a step, before scale and shift.
  [[nodiscard]] float weighted_sum(const Layer& layer, const SynapseTensor& tensor, int64_t t,
                                   int64_t i) const {
    const auto& spec = *node(layer.synapse).as<graph::Synapse>();
    const Shape& in = node(layer.input).out;
    const Shape& out = node(layer.out).out;
    const int64_t pixels = out.height * out.width, channel = i / pixels;
    const int64_t y = i % pixels / out.width, x = i % out.width;
    const double unit = layer.reads_spikes ? program_.sources[layer.input].unit : 1;
    double whole = 0;
    float real = 0;
    for (int64_t ky = 0; ky < spec.shape.kh; ++ky)
      for (int64_t kx = 0; kx < spec.shape.kw; ++kx) {
        const int64_t iy = y * spec.geometry.stride - spec.geometry.padding + ky;
        const int64_t ix = x * spec.geometry.stride - spec.geometry.padding + kx;
        if (iy < 0 || ix < 0 || iy >= in.height || ix >= in.width) continue;
        for (int64_t c = 0; c < in.channels; ++c) {
          const float value = at(layer.input, t, (c * in.height + iy) * in.width + ix);
          const auto w = static_cast<size_t>(
              ((channel * in.channels + c) * spec.shape.kh + ky) * spec.shape.kw + kx);
          if (tensor.type == WeightType::kInt8 && layer.reads_spikes) {
            whole += whole_[w] * std::nearbyint(value / unit);
            continue;
          }
          const float weight = tensor.type == WeightType::kInt8 ? whole_[w] : real_[w];
          if (!layer.reads_spikes) real = std::fmaf(value, weight, real);
          // A spike is one addition.
          for (auto left = layer.reads_spikes ? std::lround(value / unit) : 0; left > 0; --left)
            real += weight;
        }
      }
    return tensor.type == WeightType::kInt8 && layer.reads_spikes ? static_cast<float>(whole)
                                                                  : real;
  }

  [[nodiscard]] bool is_alive(NodeId neurons, int64_t i) const {
    const auto mask = model_.neuron_masks.find(neurons);
    return mask == model_.neuron_masks.end() || mask->second[static_cast<size_t>(i)] != 0;
  }

  void run_node(NodeId id) {
    const Shape& shape = node(id).out;
    values_[id].resize(static_cast<size_t>(steps_of(id) * shape.values()));
    if (node(id).as<graph::Neuron>() != nullptr) return run_neurons(id);
    for (int64_t t = 0; t < steps_of(id); ++t)
      for (int64_t i = 0; i < shape.values(); ++i)
        values_[id][static_cast<size_t>(t * shape.values() + i)] = value_of(id, t, i);
  }

  void run_neurons(NodeId id) {
    const Shape& shape = node(id).out;
    const graph::NeuronParams params = neuron_params(model_, id);
    const int64_t steps = steps_of(id);
    for (int64_t i = 0; i < shape.values(); ++i) {
      Values current;
      for (int64_t t = 0; t < steps; ++t) current.push_back(at(input_of(id), t, i));
      std::vector<float> state(static_cast<size_t>(graph::traits_of(params.neuron).states));
      begin_neurons(params, state);
      std::vector<uint64_t> spikes(static_cast<size_t>(steps));
      apply_neurons(params, {current.data(), steps}, nullptr, state.data(), {spikes.data(), steps});
      for (int64_t t = 0; t < steps; ++t)
        values_[id][static_cast<size_t>(t * shape.values() + i)] =
            spikes[static_cast<size_t>(t)] != 0 && is_alive(id, i) ? 1 : 0;
    }
  }

  // Value i of a node that computes each step alone.
  [[nodiscard]] float value_of(NodeId id, int64_t t, int64_t i) const {
    const Node& at_node = node(id);
    const NodeId input = input_of(id);
    const Shape &in = node(input).out, &out = at_node.out;
    if (at_node.as<graph::Norm>() != nullptr) {
      const auto c = static_cast<size_t>(i / (out.height * out.width));
      return model_.norms.at(id).scale[c] * at(input, t, i) + model_.norms.at(id).shift[c];
    }
    if (at_node.as<graph::Sum>() != nullptr) {
      float total = 0;
      for (const NodeId each : at_node.inputs) total += at(each, t, i);
      return total;
    }
    if (at_node.as<graph::Flatten>() != nullptr) return at(input, t, i);
    if (const auto* pool = at_node.as<graph::Pool>()) return pooled(*pool, in, out, input, t, i);

    const auto* const vote = at_node.as<graph::Vote>();
    const int64_t n = vote != nullptr ? vote->voters : in.height * in.width;
    double total = 0;
    for (int64_t k = 0; k < n; ++k) total += at(input, t, i * n + k);
    return static_cast<float>(total / static_cast<double>(n));
  }

  [[nodiscard]] float pooled(const graph::Pool& pool, const Shape& in, const Shape& out,
                             NodeId input, int64_t t, int64_t i) const {
    const int64_t x = i % out.width, y = i / out.width % out.height,
                  c = i / (out.width * out.height);
    const graph::AxisRange rows = pool.inputs(y, in.height), columns = pool.inputs(x, in.width);
    const bool is_max = pool.kind == graph::PoolKind::kMax;
    float found = is_max ? -INFINITY : 0;
    for (int64_t iy = rows.begin; iy < rows.end; ++iy)
      for (int64_t ix = columns.begin; ix < columns.end; ++ix) {
        const float value = at(input, t, (c * in.height + iy) * in.width + ix);
        found = is_max ? std::max(found, value) : found + value;
      }
    return is_max ? found : found * (1.0f / static_cast<float>(pool.size * pool.size));
  }

  const StoredModel& model_;
  Program program_;
  std::vector<Values> values_;
  std::vector<int8_t> whole_;  // the weight of the layer at work
  std::vector<float> real_;
};

}  // namespace

std::vector<std::vector<float>> run_reference(const StoredModel& model,
                                              std::span<const float> input) {
  const auto frames = static_cast<size_t>(model.input.events ? model.steps : 1);
  SPIKENM_CHECK(input.size() == frames * static_cast<size_t>(model.graph.node(0).out.values()),
                "reference: found an input of {} values, wanted {} frames of {}", input.size(),
                frames, model.graph.node(0).out.values());
  return Reference(model, input).run();
}

std::vector<float> reference_scores(const StoredModel& model, std::span<const float> input) {
  const std::vector<float> scores = run_reference(model, input).back();
  const auto classes = static_cast<size_t>(model.graph.nodes().back().out.channels);
  const size_t steps = scores.size() / classes;
  std::vector<float> mean(classes);
  for (size_t k = 0; k < classes; ++k) {
    double total = 0;
    for (size_t i = k; i < scores.size(); i += classes) total += scores[i];
    mean[k] = static_cast<float>(total / static_cast<double>(steps));
  }
  return mean;
}

}  // namespace spikenm::runtime
