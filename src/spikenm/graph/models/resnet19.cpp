#include "spikenm/graph/models/residual.h"

namespace spikenm::graph {
namespace {

const IntKey kWidth{"width", 64, 1, 4096,
                    "channels of the stem; the stages have 2, 4 and 8 times as many"};

}  // namespace

// Stages of three, three and two blocks, and two linear layers, all masked and counted.
Graph make_resnet19(const ModelSpec& spec, const Config& config) {
  const int64_t width = kWidth.read(config);
  ResidualBuilder builder("resnet19", spec);
  builder.stem(width, 3, 1, spec.neuron);
  builder.stage(2 * width, 3, 1, spec.neuron);
  builder.stage(4 * width, 3, 2, spec.neuron);
  builder.stage(8 * width, 2, 2, spec.neuron);
  builder.hidden("fc1", 4 * width, spec.neuron);
  return builder.classify("fc2", read_voters(config, spec.n_classes(), 4 * width),
                          /*maskable=*/true);
}

KeyList resnet19_keys() {
  return {&kWidth, &kFewerVoters};
}

}  // namespace spikenm::graph
