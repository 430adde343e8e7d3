#include "spikenm/graph/models/chain.h"

namespace spikenm::graph {

Graph make_mlp(const ModelSpec& spec, const Config& config) {
  ChainBuilder builder("mlp", spec);
  const auto hidden = config.get<std::vector<int64_t>>("hidden", {256});
  check_n_layers(hidden.size(), config.full_key("hidden"));
  for (const int64_t features : hidden) {
    SPIKENM_CHECK(features >= 1, "{}: found {}, wanted 1 or more", config.full_key("hidden"),
                  features);
    builder.linear(features);
  }
  return builder.classify(config.get_int("voters", 1, 1, 1000));
}

}  // namespace spikenm::graph
