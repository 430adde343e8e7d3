// Networks of the registry, built from the lines of their [model] section.
#pragma once

#include "spikenm/graph/models/models.h"
#include "spikenm/nn/network.h"

#include <map>
#include <memory>
#include <string>

namespace spikenm::test {

// Every line must be one that the model reads.
inline graph::Graph model_graph(const std::string& name, const std::string& lines,
                                const graph::ModelSpec& spec) {
  const Config config = Config::from_text("[model]\n" + lines, "test");
  graph::Graph graph = graph::models().find(name)(spec, config.section("model"));
  config.reject_unread();
  return graph;
}

inline std::unique_ptr<nn::Network> model_network(const std::string& name, const std::string& lines,
                                                  const graph::ModelSpec& spec, uint64_t seed = 5) {
  return std::make_unique<nn::Network>(model_graph(name, lines, spec), seed);
}

// Frames that five pools fit, and neurons that fire in the deepest and narrowest layer.
inline graph::ModelSpec deep_spec(graph::NeuronKind neuron = graph::NeuronKind::kLif) {
  graph::ModelSpec spec{.frame = {2, 33, 32}, .classes = graph::numbered_classes(3), .neuron = {}};
  spec.neuron.params.neuron = neuron;
  spec.neuron.params.threshold = 0.1;
  return spec;
}

// Any model of the registry, as narrow as it gets where its own width is that of a paper.
inline graph::Graph narrow_model(const std::string& name,
                                 const graph::ModelSpec& spec = deep_spec()) {
  static const std::map<std::string, std::string> kNarrow{{"6conv2fc", "width = 4\nfc = 12"},
                                                          {"vggsnn", "width = 2"},
                                                          {"vgg13", "width = 2"},
                                                          {"sew_resnet18", "width = 4"},
                                                          {"resnet19", "width = 4"}};
  const auto it = kNarrow.find(name);
  return model_graph(name, it == kNarrow.end() ? "" : it->second, spec);
}

}  // namespace spikenm::test
