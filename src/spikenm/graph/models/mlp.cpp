#include "spikenm/graph/models/chain.h"

namespace spikenm::graph {
namespace {

const IntListKey kHidden{"hidden", std::vector<int64_t>{256}, "features of the hidden layers"};
const IntKey kOneVoter{"voters", 1, 1, 1000, "outputs whose mean is the score of a class"};

}  // namespace

Graph make_mlp(const ModelSpec& spec, const Config& config) {
  ChainBuilder builder("mlp", spec);
  const std::vector<int64_t> hidden = kHidden.read(config);
  check_n_layers(hidden.size(), config.full_key("hidden"));
  for (const int64_t features : hidden) {
    SPIKENM_CHECK(features >= 1, "{}: found {}, wanted 1 or more", config.full_key("hidden"),
                  features);
    builder.linear(features);
  }
  return builder.classify(kOneVoter.read(config));
}

KeyList mlp_keys() {
  return {&kHidden, &kOneVoter};
}

}  // namespace spikenm::graph
