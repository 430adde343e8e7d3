// Networks of the registry, built from the lines of their [model] section.
#pragma once

#include "spikenm/nn/network.h"
#include "support/small_models.h"

#include <memory>
#include <string>

namespace spikenm::test {

inline std::unique_ptr<nn::Network> model_network(const std::string& name, const std::string& lines,
                                                  const graph::ModelSpec& spec, uint64_t seed = 5) {
  return std::make_unique<nn::Network>(build_graph(name, lines, spec), seed);
}

}  // namespace spikenm::test
