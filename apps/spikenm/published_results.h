// configs/published/results.csv, compiled in.
#pragma once

#include <string_view>

namespace spikenm::cli {

std::string_view published_results();

}  // namespace spikenm::cli
