// A whole config, read: everything that a run needs, checked before the first step.
#pragma once

#include "spikenm/data/open.h"
#include "spikenm/data/split.h"
#include "spikenm/graph/models/models.h"
#include "spikenm/nn/network.h"
#include "spikenm/sparsity/pruning.h"
#include "spikenm/train/checkpoint_options.h"
#include "spikenm/train/config_graph.h"
#include "spikenm/train/device.h"
#include "spikenm/train/early_stop.h"
#include "spikenm/train/loss.h"
#include "spikenm/train/optimizer_options.h"
#include "spikenm/train/schedule.h"

#include <filesystem>
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
  int64_t bad_steps = 1;  // steps in a row that are not finite, after which training stops
  EarlyStopOptions stop_early;
  double max_minutes = 0;      // after which a run stops, to go on later; 0: it does not
  std::filesystem::path from;  // a model whose weights training starts from; empty: new weights
};

// What is needed to rebuild a trained network; eval and inspect read it too.
struct ModelRecipe {
  uint64_t seed = 0;
  int64_t T = 10;
  Device device;
  std::string data_name, model_name, method_name;
  std::shared_ptr<const data::Dataset> dataset;
  data::Pipelines pipelines;
  int64_t workers = 2;
  std::unique_ptr<nn::Network> network;
  std::unique_ptr<sparsity::Pruning> method;
};

// What a config is read for.
enum class Purpose {
  kTrain,     // everything must be there
  kEvaluate,  // needs the test part of the data and the device
  kCheck,     // a dry run: missing data or a missing GPU is noted, and the rest is checked
  kDescribe,  // only layers and sizes: opens no data, needs no GPU
};

struct ReadOptions {
  Purpose purpose = Purpose::kTrain;
  // The network, if it is known: then only T of [model] and nothing of [neuron] is read.
  const graph::Graph* graph = nullptr;
};

struct Recipe {
  ModelRecipe model;
  std::optional<data::TrainViews> views;  // train and validation; only for training
  Loss loss;
  nn::OptimizerOptions optimizer;
  Schedule schedule;
  TrainOptions train;
  CheckpointOptions checkpoints;
  double val_fraction = 0.1;
  std::vector<std::string> notes;  // what kCheck did not find

  [[nodiscard]] data::LoaderOptions train_loader() const;
  [[nodiscard]] data::LoaderOptions test_loader() const;  // for validation and test
};

// Reads every key; throws Error for an unknown or unread one. `threads` takes effect when it is
// read.
Recipe read_recipe(const Config& config, const ReadOptions& options = {});

// Only the network and the method, for frames of this shape or for a known graph. Opens no data:
// [data] and [train] of `config` are dropped.
ModelRecipe read_model(Config config, const graph::FrameShape& frame, int64_t classes,
                       Purpose purpose = Purpose::kTrain);
ModelRecipe read_model(Config config, const graph::Graph& graph, Purpose purpose);

}  // namespace spikenm::train
