// The three files of configs/demo that the demo trains, compiled in.
#pragma once

#include <string>
#include <vector>

namespace spikenm::cli {

struct DemoConfig {
  std::string name;
  std::string toml;
};

const std::vector<DemoConfig>& demo_configs();

}  // namespace spikenm::cli
