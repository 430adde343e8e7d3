#include "spikenm/graph/models/chain.h"

namespace spikenm::graph {
namespace {

const IntRangeListKey kHidden{
    "hidden", std::vector<int64_t>{256}, {1, INT64_MAX}, "features of the hidden layers"};
const IntKey kOneVoter{"voters", 1, 1, 1000, "outputs whose mean is the score of a class"};

}  // namespace

Graph make_mlp(const ModelSpec& spec, const Config& config) {
  ChainBuilder builder("mlp", spec);
  const std::vector<int64_t> hidden = kHidden.read(config);
  check_n_layers(hidden.size(), config.full_key("hidden"));
  for (const int64_t features : hidden) builder.linear(features);
  return builder.classify(kOneVoter.read(config));
}

KeyList mlp_keys() {
  return {&kHidden, &kOneVoter};
}

}  // namespace spikenm::graph
