#include "spikenm/graph/models/chain.h"

#include "spikenm/graph/models/unit.h"

namespace spikenm::graph {

void check_n_layers(size_t n, const std::string& key) {
  constexpr size_t kMost = 999;
  SPIKENM_CHECK(n <= kMost, "{}: found {} layers, wanted at most {} (a fixed limit)", key, n,
                kMost);
}

ChainBuilder::ChainBuilder(const std::string& name, const ModelSpec& spec)
    : spec_(spec), graph_(name, spec.frame, spec.classes) {}

ChainBuilder& ChainBuilder::conv(int64_t out_channels) {
  Neuron neuron = spec_.neuron;
  neuron.maskable = n_convs_ > 0;
  last_ = add_unit(graph_,
                   {.name = fmt::format("conv{}", ++n_convs_),
                    .out = out_channels,
                    .kernel = 3,
                    .geometry = {.stride = 1, .padding = 1},
                    .neuron = neuron},
                   last_);
  return *this;
}

ChainBuilder& ChainBuilder::pool(PoolKind kind, int64_t size) {
  last_ = graph_.add(fmt::format("pool{}", ++n_pools_),
                     Pool{.kind = kind, .size = size, .stride = size}, {last_});
  return *this;
}

ChainBuilder& ChainBuilder::linear(int64_t out_features, const LinearOptions& options) {
  if (graph_.node(last_).out.is_map) last_ = graph_.add("flatten", Flatten{}, {last_});
  Unit unit{.name = fmt::format("fc{}", ++n_linears_), .out = out_features, .norm = options.norm};
  if (options.neuron) unit.neuron = spec_.neuron;
  last_ = add_unit(graph_, unit, last_);
  return *this;
}

Graph ChainBuilder::classify(int64_t voters, bool neuron) {
  linear(spec_.n_classes() * voters, {.norm = false, .neuron = neuron});
  last_ = graph_.add("vote", Vote{.voters = voters}, {last_});
  graph_.finish();
  return graph_;
}

}  // namespace spikenm::graph
