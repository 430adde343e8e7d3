#include "spikenm/graph/models/residual.h"

namespace spikenm::graph {

ResidualBuilder::ResidualBuilder(const std::string& name, const ModelSpec& spec)
    : n_classes_(spec.n_classes()), graph_(name, spec.frame, spec.classes) {}

NodeId ResidualBuilder::conv(const std::string& name, int64_t out, int64_t kernel, int64_t stride,
                             const Neuron& neuron, NodeId input) {
  return add_unit(graph_,
                  {.name = name,
                   .out = out,
                   .kernel = kernel,
                   .geometry = {.stride = stride, .padding = kernel / 2},
                   .neuron = neuron},
                  input);
}

void ResidualBuilder::stem(int64_t channels, int64_t kernel, int64_t stride, const Neuron& neuron) {
  last_ = conv("stem", channels, kernel, stride, neuron, last_);
}

void ResidualBuilder::stem_pool(const PoolGeometry& geometry) {
  last_ = graph_.add("stem_pool", geometry, {last_});
}

void ResidualBuilder::stage(int64_t channels, int64_t blocks, int64_t stride, const Neuron& given) {
  Neuron neuron = given;
  neuron.maskable = true;
  ++n_stages_;
  for (int64_t i = 0; i < blocks; ++i) {
    const std::string name = fmt::format("layer{}.{}.", n_stages_, i);
    const int64_t step = i == 0 ? stride : 1;

    const NodeId x = last_;
    const NodeId y = conv(name + "conv2", channels, 3, 1, neuron,
                          conv(name + "conv1", channels, 3, step, neuron, x));
    const bool changes = step != 1 || graph_.node(x).out.channels != channels;
    const NodeId shortcut = changes ? conv(name + "shortcut", channels, 1, step, neuron, x) : x;
    last_ = graph_.add(name + "sum", Sum{}, {y, shortcut});
  }
}

void ResidualBuilder::hidden(const std::string& name, int64_t features, const Neuron& neuron) {
  linear(name, features, neuron, /*maskable=*/true);
}

Graph ResidualBuilder::classify(const std::string& name, int64_t voters, bool maskable) {
  linear(name, n_classes_ * voters, std::nullopt, maskable);
  last_ = graph_.add("vote", Vote{.voters = voters}, {last_});
  graph_.finish();
  return graph_;
}

void ResidualBuilder::linear(const std::string& name, int64_t features,
                             const std::optional<Neuron>& neuron, bool maskable) {
  if (graph_.node(last_).out.is_map) last_ = graph_.add("mean", Mean{}, {last_});
  last_ = add_unit(graph_,
                   {.name = name,
                    .out = features,
                    .norm = false,
                    .bias = true,
                    .neuron = neuron,
                    .maskable = maskable},
                   last_);
}

int64_t read_voters(const Config& config, int64_t classes, int64_t features) {
  return kFewerVoters.read(config, 10 * classes < features ? 10 : 1);
}

}  // namespace spikenm::graph
