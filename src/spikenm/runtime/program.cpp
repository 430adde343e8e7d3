#include "spikenm/runtime/program.h"

#include "spikenm/core/error.h"
#include "spikenm/graph/walks.h"
#include "spikenm/runtime/fold.h"
#include "spikenm/runtime/sources.h"

#include <algorithm>
#include <utility>

namespace spikenm::runtime {
namespace {

using graph::Graph;
using graph::Node;

// More places for one pixel are added up as floats before they are read.
constexpr int64_t kMostSources = 4096;
// Larger average pools are read through, place by place.
constexpr int64_t kLargestCounted = 3;
// Places of all nodes, 12 bytes each; maps of 1280x720 need a few million. A graph of a few bytes can
// ask for any number of them, so beyond the first ones the file's weights must justify them.
constexpr int64_t kMostPlaces = int64_t{1} << 23, kFreePlaces = int64_t{1} << 20;
constexpr int64_t kPlacesOfAByte = 1024;

int64_t pixels_of(const graph::Shape& shape) {
  return shape.height * shape.width;
}

class Compiler {
 public:
  explicit Compiler(const StoredModel& model)
      : model_(model),
        graph_(model.graph),
        readers_(graph::readers(graph_)),
        weight_bytes_(weight_bytes(model)) {
    const size_t n = graph_.nodes().size();
    program_.forms.assign(n, Form::kReal);
    program_.expanded.assign(n, false);
    program_.constant.assign(n, false);
    program_.sources.resize(n);
    done_.assign(n, false);
    const std::vector<graph::Signal> signals = graph::signals(graph_);
    for (NodeId id = 0; id < n; ++id)
      program_.constant[id] = !model.input.events && signals[id] == graph::Signal::kFrame;
  }

  Program make() {
    for (NodeId id = 1; id < graph_.nodes().size(); ++id)
      if (!done_[id]) compile(id);
    // The scores are read as floats.
    const NodeId last = graph_.nodes().size() - 1;
    if (program_.forms[last] != Form::kReal) expand(last);
    return std::move(program_);
  }

 private:
  void compile(NodeId id) {
    const Node& node = graph_.node(id);
    if (node.as<graph::Synapse>() != nullptr) return add_layer(id);
    if (node.as<graph::Neuron>() != nullptr) {
      read_as_floats(node);
      give_bits(id);
      return add(Step::Kind::kNeuron, id);
    }
    if (node.as<graph::Norm>() != nullptr) return add_real(Step::Kind::kNorm, id);
    if (node.as<graph::Vote>() != nullptr) return add_real(Step::Kind::kVote, id);
    if (sums_spikes(id)) return;
    if (const auto* pool = node.as<graph::Pool>()) {
      if (pool->kind != graph::PoolKind::kMax || form_of(node) != Form::kBits)
        return add_real(Step::Kind::kPool, id);
      give_bits(id);
      return add(Step::Kind::kPoolBits, id);
    }
    if (node.as<graph::Sum>() != nullptr) return add_real(Step::Kind::kSum, id);
    if (node.as<graph::Mean>() != nullptr) return add_real(Step::Kind::kMean, id);
    SPIKENM_ASSERT(node.as<graph::Flatten>() != nullptr);
    add_real(Step::Kind::kFlatten, id);
  }

  // Whether the node can be read through, as a sum of spikes.
  bool sums_spikes(NodeId id) {
    const Node& node = graph_.node(id);
    std::vector<const Sources*> inputs;
    for (const NodeId input : node.inputs) {
      if (program_.forms[input] == Form::kReal) return false;
      inputs.push_back(&program_.sources[input]);
    }
    if (const auto* pool = node.as<graph::Pool>()) {
      if (pool->kind == graph::PoolKind::kMax) return false;
      if (form_of(node) == Form::kBits && pool->size <= kLargestCounted) {
        take_places(pixels_of(node.out) * count_planes(pool->size * pool->size));
        program_.sources[id] = counted(id, *pool, node.out);
        program_.forms[id] = Form::kSum;
        add(Step::Kind::kPoolPlanes, id);
        return true;
      }
    }
    if (!fits(node, inputs)) return false;
    program_.sources[id] = summed(node, inputs);
    program_.forms[id] = Form::kSum;
    return true;
  }

  // Whether the places of a sum can be listed; takes them if so.
  bool fits(const Node& node, const std::vector<const Sources*>& inputs) {
    const Sources& in = *inputs[0];
    int64_t each = in.most(), pixels = in.height * in.width;  // places of a pixel, at most
    if (const auto* pool = node.as<graph::Pool>()) {
      each *= std::min(pool->size, in.height) * std::min(pool->size, in.width);
      pixels = pixels_of(node.out);
    } else if (node.as<graph::Mean>() != nullptr) {
      each *= std::exchange(pixels, 1);
    } else if (node.as<graph::Sum>() != nullptr) {
      each = 0;
      for (const Sources* other : inputs) {
        if (other->unit != in.unit || other->flattened != in.flattened) return false;
        each += other->most();
      }
    }
    if (each > kMostSources) return false;
    take_places(each * pixels);
    return true;
  }

  static Sources summed(const Node& node, const std::vector<const Sources*>& inputs) {
    const Sources& in = *inputs[0];
    if (const auto* pool = node.as<graph::Pool>()) return pooled(in, *pool, node.out);
    if (node.as<graph::Sum>() != nullptr) return sum_of(inputs);
    if (node.as<graph::Mean>() != nullptr) return mean_of(in);
    SPIKENM_ASSERT(node.as<graph::Flatten>() != nullptr);
    Sources result = in;
    result.flattened = true;
    return result;
  }

  void take_places(int64_t count) {
    const int64_t most = std::min(kMostPlaces, kFreePlaces + kPlacesOfAByte * weight_bytes_);
    places_ += count;
    SPIKENM_CHECK(places_ <= most,
                  "network '{}': found maps that need lists of {} places of spikes or more, wanted "
                  "at most {} with its {} bytes of weights",
                  graph_.name(), places_, most, weight_bytes_);
  }

  void add_layer(NodeId id) {
    const Node& node = graph_.node(id);
    const auto& spec = *node.as<graph::Synapse>();
    Layer layer{.synapse = id, .input = node.inputs[0], .out = id};
    const graph::Shape& shape = graph_.node(layer.input).out;
    layer.channels = shape.channels;
    layer.height = shape.height;
    layer.width = shape.width;
    layer.window = {.kernel_height = spec.shape.kh,
                    .kernel_width = spec.shape.kw,
                    .stride = spec.geometry.stride,
                    .padding = spec.geometry.padding,
                    .out_height = node.out.height,
                    .out_width = node.out.width};

    if (program_.forms[layer.input] != Form::kReal) read_spikes(layer);
    if (!layer.reads_spikes) read_as_floats(node);

    follow(layer);
    fold_layer(model_, layer, layer.reads_spikes ? program_.sources[layer.input].unit : 1);
    if (layer.neurons) give_bits(layer.out);
    program_.layers.push_back(std::move(layer));
    program_.steps.push_back(
        {Step::Kind::kLayer, program_.layers.back().out, program_.layers.size() - 1});
  }

  // Lets the layer read the bits where they lie, if the kernels can number its rows.
  void read_spikes(Layer& layer) {
    Sources& sources = program_.sources[layer.input];
    kernels::LayerWindow window = layer.window;
    // A linear layer is a kernel as large as the flattened map.
    if (sources.flattened) {
      window.kernel_height = sources.height;
      window.kernel_width = sources.width;
    }
    if (kernels::rows_of_parts(window, sources.channels) > kernels::kMostPartRows) return;
    if (sources.regular.empty()) sources.find_regular();
    layer.reads_spikes = true;
    layer.channels = sources.channels;
    layer.height = sources.height;
    layer.width = sources.width;
    layer.window = window;
  }

  // Adds norms and neurons that alone read what is before them.
  void follow(Layer& layer) {
    NodeId at = layer.synapse;
    while (readers_[at].size() == 1) {
      const NodeId next = readers_[at].front();
      const Node& node = graph_.node(next);
      const auto* const neuron = node.as<graph::Neuron>();
      const bool fits = node.as<graph::Norm>() != nullptr ||
                        (neuron != nullptr && graph::traits_of(neuron->params.neuron).states == 1);
      if (!fits) return;
      done_[next] = true;
      layer.out = at = next;
      if (neuron != nullptr) {
        layer.neurons = next;
        return;
      }
      layer.norms.push_back(next);
    }
  }

  void give_bits(NodeId id) {
    take_places(pixels_of(graph_.node(id).out));
    program_.forms[id] = Form::kBits;
    program_.sources[id] = own_bits(id, graph_.node(id).out);
  }

  [[nodiscard]] Form form_of(const Node& node) const { return program_.forms[node.inputs[0]]; }

  void read_as_floats(const Node& node) {
    for (const NodeId input : node.inputs)
      if (program_.forms[input] != Form::kReal) expand(input);
  }

  void expand(NodeId id) {
    if (program_.expanded[id]) return;
    program_.expanded[id] = true;
    add(Step::Kind::kExpand, id);
  }

  void add_real(Step::Kind kind, NodeId id) {
    read_as_floats(graph_.node(id));
    add(kind, id);
  }

  void add(Step::Kind kind, NodeId id) { program_.steps.push_back({kind, id}); }

  const StoredModel& model_;
  const Graph& graph_;
  graph::Readers readers_;
  std::vector<bool> done_;  // by node: part of a layer already
  int64_t weight_bytes_;
  int64_t places_ = 0;  // listed so far
  Program program_;
};

}  // namespace

Program make_program(const StoredModel& model) {
  return Compiler(model).make();
}

}  // namespace spikenm::runtime
