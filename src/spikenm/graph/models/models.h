// Networks by name: each is a function from a config to a graph.
#pragma once

#include "spikenm/core/config.h"
#include "spikenm/core/registry.h"
#include "spikenm/graph/graph.h"

#include <functional>

namespace spikenm::graph {

// What a model must fit: the data's frames and classes, and the neuron.
struct ModelSpec {
  FrameShape frame{2, 34, 34};
  std::vector<std::string> classes = numbered_classes(10);
  Neuron neuron;

  [[nodiscard]] int64_t n_classes() const { return static_cast<int64_t>(classes.size()); }
};

// `config` is the [model] section.
using ModelFactory = std::function<Graph(const ModelSpec&, const Config& config)>;

const Registry<ModelFactory>& models();

// Throws an Error that begins with `source` when the network does not fit such data.
void check_fits(const Graph& graph, const FrameShape& frame, size_t n_classes,
                const std::string& source);

// Throws an Error that begins with `source` when both the network and the data name their classes,
// and not the same: an answer would mean another class. As many names as classes, or none.
void check_class_names(const Graph& graph, const std::vector<std::string>& names,
                       const std::string& source);

// The network of [model] file, or the one that [model] and [neuron] of a config describe, for these
// frames and classes. [model] T does not belong to the graph and must have been read before.
Graph make_model(const FrameShape& frame, std::vector<std::string> classes, const Config& config);

}  // namespace spikenm::graph
