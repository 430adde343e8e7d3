// The network that a config describes, and the data that it is for. Nothing here opens data.
#pragma once

#include "spikenm/core/config.h"
#include "spikenm/data/dataset.h"
#include "spikenm/graph/graph.h"

#include <memory>

namespace spikenm::train {

// For the frames and classes of this data.
graph::Graph describe_graph(const Config& config, const data::DatasetInfo& info);

// For the data of the config.
graph::Graph graph_from_config(const Config& config);

// What is known of the data without its files: shape, classes, usual transforms.
std::shared_ptr<const data::Dataset> describe_data(const Config& config);

}  // namespace spikenm::train
