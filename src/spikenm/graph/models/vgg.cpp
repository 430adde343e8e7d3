#include "spikenm/graph/models/chain.h"

#include <charconv>
#include <iterator>
#include <sstream>

namespace spikenm::graph {

// layers = "64 64 A 128 128 M": output channels of 3x3 convolutions, A an average and M a max pool.
Graph make_vgg(const ModelSpec& spec, const Config& config) {
  ChainBuilder builder("vgg", spec);
  std::istringstream text(config.get("layers", "32 A 64 A 64 A"));
  const std::vector<std::string> layers{std::istream_iterator<std::string>(text), {}};
  check_n_layers(layers.size(), config.full_key("layers"));
  for (const std::string& word : layers) {
    if (word == "A" || word == "M") {
      builder.pool(word == "A" ? PoolKind::kAverage : PoolKind::kMax);
      continue;
    }
    int64_t channels = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), channels);
    SPIKENM_CHECK(error == std::errc() && end == word.data() + word.size() && channels >= 1,
                  "{}: found '{}', wanted a number of channels, A or M", config.full_key("layers"),
                  word);
    builder.conv(channels);
  }
  const auto fc = config.get<std::vector<int64_t>>("fc", {});
  check_n_layers(fc.size(), config.full_key("fc"));
  for (const int64_t features : fc) {
    SPIKENM_CHECK(features >= 1, "{}: found {}, wanted 1 or more", config.full_key("fc"), features);
    builder.linear(features);
  }
  return builder.classify(config.get_int("voters", 10, 1, 1000));
}

}  // namespace spikenm::graph
