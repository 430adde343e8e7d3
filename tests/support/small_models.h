// Every model of the registry at a size that a test can train.
#pragma once

#include "support/graphs.h"

#include <map>
#include <string>

namespace spikenm::test {

// The lines of [model], one row per model. The conformance tests check that none is missing.
inline const std::map<std::string, std::string>& small_model_keys() {
  static const std::map<std::string, std::string> rows{
      {"6conv2fc", "width = 4\nfc = 12"},
      {"mlp", "hidden = [12]"},
      {"resnet19", "width = 4"},
      {"sew_resnet18", "width = 4"},
      {"small_conv", "width = 4"},
      {"vgg", "layers = '4 M 5 A'"},
      {"vgg13", "width = 2"},
      {"vggsnn", "width = 2"},
  };
  return rows;
}

// Frames that five pools fit, and neurons that fire in the deepest and narrowest layer.
inline graph::ModelSpec deep_spec(graph::NeuronKind neuron = graph::NeuronKind::kLif) {
  graph::ModelSpec spec{.frame = {2, 33, 32}, .classes = graph::numbered_classes(3), .neuron = {}};
  spec.neuron.params.neuron = neuron;
  spec.neuron.params.threshold = 0.1;
  return spec;
}

inline graph::Graph small_model(const std::string& name,
                                const graph::ModelSpec& spec = deep_spec()) {
  const auto row = small_model_keys().find(name);
  if (row == small_model_keys().end())
    fail("model '{}' has no small size: add its row to tests/support/small_models.h", name);
  return build_graph(name, row->second, spec);
}

}  // namespace spikenm::test
