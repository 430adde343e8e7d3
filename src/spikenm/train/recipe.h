// A config, read whole: everything a run needs, checked before the first step.
#pragma once

#include "spikenm/data/open.h"
#include "spikenm/data/split.h"
#include "spikenm/graph/models/models.h"
#include "spikenm/nn/network.h"
#include "spikenm/sparsity/method.h"
#include "spikenm/train/device.h"
#include "spikenm/train/loss.h"
#include "spikenm/train/optimizer.h"
#include "spikenm/train/schedule.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spikenm::train {

struct TrainOptions {
  int64_t epochs = 10;  // search and finetune together
  int64_t search_epochs = 3;
  int64_t batch_size = 50;
  double clip_norm = 0;  // 0: no clipping
  std::vector<std::string> phases{"search", "prune", "finetune"};
};

// What it takes to rebuild a trained network: also read by eval and inspect.
struct ModelRecipe {
  uint64_t seed = 0;
  int64_t T = 10;
  Device device;
  std::string data_name, model_name, method_name;
  std::shared_ptr<const data::Dataset> dataset;
  data::Pipelines pipelines;
  int64_t workers = 2;
  std::unique_ptr<nn::Network> network;
  std::unique_ptr<sparsity::Method> method;
};

// What a config is read for.
enum class Purpose {
  kTrain,     // all of it must be there
  kEvaluate,  // the test part of the data and the device
  kCheck,     // a dry run: data or a GPU that is not there is noted, and the rest is checked
  kDescribe,  // layers and sizes alone: no data is opened, no GPU needed
};

struct ReadOptions {
  Purpose purpose = Purpose::kTrain;
  // The network, where it is known: of [model] T alone is read then, and of [neuron] nothing.
  const graph::Graph* graph = nullptr;
};

struct Recipe {
  ModelRecipe model;
  std::optional<data::TrainViews> views;  // train and validation; set for training
  Loss loss;
  OptimizerOptions optimizer;
  Schedule schedule;
  TrainOptions train;
  double val_fraction = 0.1;
  std::vector<std::string> notes;  // what kCheck did not find

  [[nodiscard]] data::LoaderOptions train_loader() const;
  [[nodiscard]] data::LoaderOptions test_loader() const;  // validation and test
};

// Reads every key; an unknown or unread one is an Error. `threads` is applied as it is read.
Recipe read_recipe(const Config& config, const ReadOptions& options = {});

// The network that a config describes for its data, of which nothing is opened.
graph::Graph read_graph(const Config& config);

// The network and method alone, for frames of this shape or for a graph that is known. Opens no
// data: `config` loses its [data] and [train].
ModelRecipe read_model(Config config, const graph::FrameShape& frame, int64_t classes,
                       Purpose purpose = Purpose::kTrain);
ModelRecipe read_model(Config config, const graph::Graph& graph, Purpose purpose);

}  // namespace spikenm::train
