#include "spikenm/train/config_graph.h"

#include "spikenm/data/data_keys.h"
#include "spikenm/graph/models/models.h"
#include "spikenm/train/recipe_keys.h"

namespace spikenm::train {

graph::Graph describe_graph(const Config& config, const data::DatasetInfo& info) {
  std::vector<std::string> classes;
  for (int64_t k = 0; k < info.classes; ++k) classes.push_back(info.class_name(k));
  return graph::make_model({info.channels, info.height, info.width}, std::move(classes), config);
}

std::shared_ptr<const data::Dataset> describe_data(const Config& config) {
  const Config data = config.section("data");
  return data::datasets().find(data::kDataName.read(data))(
      data, {.frames = kT.read(config.section("model")),
             .seed = static_cast<uint64_t>(kSeed.read(config)),
             .extent = data::Extent::kNothing});
}

graph::Graph graph_from_config(const Config& config) {
  return describe_graph(config, describe_data(config)->info());
}

}  // namespace spikenm::train
