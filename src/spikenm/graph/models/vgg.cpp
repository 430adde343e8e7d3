#include "spikenm/graph/models/chain.h"

#include <charconv>
#include <sstream>

namespace spikenm::graph {

// layers = "64 64 A 128 128 M": output channels of 3x3 convolutions, A an average and M a max pool.
Graph make_vgg(const ModelSpec& spec, const Config& config) {
  ChainBuilder builder("vgg", spec);
  std::istringstream layers(config.get("layers", "32 A 64 A 64 A"));
  for (std::string word; layers >> word;) {
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
  for (const int64_t features : config.get<std::vector<int64_t>>("fc", {})) {
    SPIKENM_CHECK(features >= 1, "{}: found {}, wanted 1 or more", config.full_key("fc"), features);
    builder.linear(features);
  }
  return builder.classify(config.get_int("voters", 10, 1, 1000));
}

}  // namespace spikenm::graph
