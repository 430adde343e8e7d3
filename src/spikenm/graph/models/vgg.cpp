#include "spikenm/graph/models/chain.h"

#include <charconv>
#include <iterator>
#include <sstream>

namespace spikenm::graph {
namespace {

const TextKey kLayers{
    "layers", "32 A 64 A 64 A",
    "channels of 3x3 convolutions, A for an average and M for a max pool, in order"};
const IntRangeListKey kFc{"fc",
                          std::vector<int64_t>{},
                          {1, INT64_MAX},
                          "features of linear layers before the classifier"};

}  // namespace

// layers = "64 64 A 128 128 M": output channels of 3x3 convolutions, A an average and M a max pool.
Graph make_vgg(const ModelSpec& spec, const Config& config) {
  ChainBuilder builder("vgg", spec);
  std::istringstream text(kLayers.read(config));
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

  const std::vector<int64_t> fc = kFc.read(config);
  check_n_layers(fc.size(), config.full_key("fc"));
  for (const int64_t features : fc) builder.linear(features);
  return builder.classify(kVoters.read(config));
}

KeyList vgg_keys() {
  return {&kLayers, &kFc, &kVoters};
}

}  // namespace spikenm::graph
