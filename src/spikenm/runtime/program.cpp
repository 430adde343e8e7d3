#include "spikenm/runtime/program.h"

#include "spikenm/core/error.h"
#include "spikenm/graph/walks.h"
#include "spikenm/runtime/fold.h"

#include <algorithm>

namespace spikenm::runtime {
namespace {

using graph::Graph;
using graph::Node;

// More places for one pixel are added up as floats before they are read.
constexpr int64_t kMostSources = 4096;
// Larger average pools are read through, place by place.
constexpr int64_t kLargestCounted = 3;

Sources own_bits(NodeId id, const graph::Shape& shape) {
  Sources own{
      .height = shape.height, .width = shape.width, .channels = shape.channels, .maps = {{id, 0}}};
  for (int64_t p = 0; p < shape.height * shape.width; ++p) {
    own.list.push_back({0, static_cast<int32_t>(p)});
    own.begin.push_back(static_cast<int32_t>(own.list.size()));
  }
  return own;
}

// An average pool of bits, counted at its own places.
Sources counted(NodeId id, const graph::Pool& pool, const graph::Shape& shape) {
  const int64_t levels = pool.size * pool.size;
  Sources own{.height = shape.height, .width = shape.width, .channels = shape.channels};
  own.unit = 1.0 / static_cast<double>(levels);
  for (int64_t level = 0; level < levels; ++level) own.maps.push_back({id, level});
  for (int64_t p = 0; p < shape.height * shape.width; ++p) {
    for (int64_t level = 0; level < levels; ++level)
      own.list.push_back({static_cast<int32_t>(level), static_cast<int32_t>(p)});
    own.begin.push_back(static_cast<int32_t>(own.list.size()));
  }
  return own;
}

void add_pixel(const Sources& from, int64_t pixel, const std::vector<int32_t>& map_of,
               Sources& to) {
  const auto p = static_cast<size_t>(pixel);
  for (int32_t s = from.begin[p]; s < from.begin[p + 1]; ++s) {
    const kernels::SpikeSource& source = from.list[static_cast<size_t>(s)];
    to.list.push_back({map_of[static_cast<size_t>(source.map)], source.pixel});
  }
}

// Adds the maps of `from` to those of `to`; returns their places there.
std::vector<int32_t> add_maps(const Sources& from, Sources& to) {
  std::vector<int32_t> places;
  for (const MapLevel& map : from.maps) {
    const auto found = std::find(to.maps.begin(), to.maps.end(), map);
    places.push_back(static_cast<int32_t>(found - to.maps.begin()));
    if (found == to.maps.end()) to.maps.push_back(map);
  }
  return places;
}

void end_pixel(Sources& sources) {
  sources.begin.push_back(static_cast<int32_t>(sources.list.size()));
}

Sources pooled(const Sources& in, const graph::Pool& pool, const graph::Shape& out) {
  Sources result{.height = out.height, .width = out.width, .channels = in.channels};
  result.unit = in.unit / static_cast<double>(pool.size * pool.size);
  const std::vector<int32_t> map_of = add_maps(in, result);
  for (int64_t y = 0; y < out.height; ++y)
    for (int64_t x = 0; x < out.width; ++x) {
      const graph::AxisRange rows = pool.inputs(y, in.height), columns = pool.inputs(x, in.width);
      for (int64_t iy = rows.begin; iy < rows.end; ++iy)
        for (int64_t ix = columns.begin; ix < columns.end; ++ix)
          add_pixel(in, iy * in.width + ix, map_of, result);
      end_pixel(result);
    }
  return result;
}

Sources mean_of(const Sources& in) {
  Sources result{.channels = in.channels};
  result.unit = in.unit / static_cast<double>(in.height * in.width);
  const std::vector<int32_t> map_of = add_maps(in, result);
  for (int64_t p = 0; p < in.height * in.width; ++p) add_pixel(in, p, map_of, result);
  end_pixel(result);
  return result;
}

Sources sum_of(const std::vector<const Sources*>& inputs) {
  const Sources& first = *inputs[0];
  Sources result{.height = first.height,
                 .width = first.width,
                 .channels = first.channels,
                 .flattened = first.flattened,
                 .unit = first.unit};
  std::vector<std::vector<int32_t>> map_of;
  for (const Sources* in : inputs) map_of.push_back(add_maps(*in, result));
  for (int64_t p = 0; p < first.height * first.width; ++p) {
    for (size_t i = 0; i < inputs.size(); ++i) add_pixel(*inputs[i], p, map_of[i], result);
    end_pixel(result);
  }
  return result;
}

class Compiler {
 public:
  explicit Compiler(const StoredModel& model)
      : model_(model), graph_(model.graph), readers_(graph::readers(graph_)) {
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
    const Sources& in = *inputs[0];
    Sources result;
    if (const auto* pool = node.as<graph::Pool>()) {
      if (pool->kind == graph::PoolKind::kMax) return false;
      if (form_of(node) == Form::kBits && pool->size <= kLargestCounted) {
        program_.sources[id] = counted(id, *pool, node.out);
        program_.forms[id] = Form::kSum;
        add(Step::Kind::kPoolLevels, id);
        return true;
      }
      result = pooled(in, *pool, node.out);
    } else if (node.as<graph::Sum>() != nullptr) {
      for (const Sources* other : inputs)
        if (other->unit != in.unit || other->flattened != in.flattened) return false;
      result = sum_of(inputs);
    } else if (node.as<graph::Mean>() != nullptr) {
      result = mean_of(in);
    } else {
      result = in;
      result.flattened = in.flattened || node.as<graph::Flatten>() != nullptr;
    }
    if (result.most() > kMostSources) return false;
    program_.sources[id] = std::move(result);
    program_.forms[id] = Form::kSum;
    return true;
  }

  void add_layer(NodeId id) {
    const Node& node = graph_.node(id);
    const auto& spec = *node.as<graph::Synapse>();
    Layer layer{.synapse = id, .input = node.inputs[0], .out = id};
    const Sources& sources = program_.sources[layer.input];
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

    layer.reads_spikes = program_.forms[layer.input] != Form::kReal &&
                         spec.shape.numel() / spec.shape.cout <= kernels::kMostListedRows;
    if (layer.reads_spikes) {
      if (program_.sources[layer.input].regular.empty())
        program_.sources[layer.input].find_regular();
      layer.channels = sources.channels;
      layer.height = sources.height;
      layer.width = sources.width;
      // A flattened map is read where it lies: a linear layer is a kernel as large as the map.
      if (sources.flattened) {
        layer.window.kernel_height = sources.height;
        layer.window.kernel_width = sources.width;
      }
    } else {
      read_as_floats(node);
    }

    follow(layer);
    fold_layer(model_, layer, layer.reads_spikes ? sources.unit : 1);
    if (layer.neurons) give_bits(layer.out);
    program_.layers.push_back(std::move(layer));
    program_.steps.push_back(
        {Step::Kind::kLayer, program_.layers.back().out, program_.layers.size() - 1});
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
  Program program_;
};

}  // namespace

int64_t Sources::most() const {
  int32_t most = 0;
  for (size_t p = 0; p + 1 < begin.size(); ++p) most = std::max(most, begin[p + 1] - begin[p]);
  return most;
}

void Sources::find_regular() {
  const auto each = static_cast<size_t>(most());
  if (list.size() != each * static_cast<size_t>(height * width)) return;
  const auto at = [&](int64_t pixel, size_t s) -> const kernels::SpikeSource& {
    return list[static_cast<size_t>(pixel) * each + s];
  };
  const auto pixel_of = [&](int64_t pixel, size_t s) { return int64_t{at(pixel, s).pixel}; };
  regular_column = width > 1 ? pixel_of(1, 0) - pixel_of(0, 0) : 0;
  regular_row = height > 1 ? pixel_of(width, 0) - pixel_of(0, 0) : 0;
  for (int64_t p = 0; p < height * width; ++p)
    for (size_t s = 0; s < each; ++s) {
      const int64_t rule = pixel_of(0, s) + p / width * regular_row + p % width * regular_column;
      if (at(p, s).map != at(0, s).map || pixel_of(p, s) != rule) return;
    }
  for (size_t s = 0; s < each; ++s) regular.push_back({at(0, s).map, pixel_of(0, s)});
}

Program make_program(const StoredModel& model) {
  return Compiler(model).make();
}

}  // namespace spikenm::runtime
