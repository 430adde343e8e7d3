#include "spikenm/train/recipe.h"

#include "spikenm/core/say.h"
#include "spikenm/data/data_keys.h"
#include "spikenm/sparsity/method_keys.h"
#include "spikenm/train/batch_feed.h"
#include "spikenm/train/phase.h"
#include "spikenm/train/phase_order.h"
#include "spikenm/train/recipe_keys.h"
#include "spikenm/train/trained_epochs.h"

#include <algorithm>
#include <cmath>

namespace spikenm::train {
namespace {

// What both data and network depend on.
ModelRecipe read_basics(const Config& config) {
  ModelRecipe r;
  r.seed = static_cast<uint64_t>(kSeed.read(config));
  ops::use_threads(static_cast<int>(kThreads.read(config)));
  r.T = kT.read(config.section("model"));
  return r;
}

data::Extent extent_for(Purpose purpose) {
  if (purpose == Purpose::kDescribe) return data::Extent::kNothing;
  return purpose == Purpose::kEvaluate ? data::Extent::kTest : data::Extent::kAll;
}

// Opens as much of the dataset as the purpose needs; a dry run also works without data.
void read_data(ModelRecipe& r, const Config& data, Purpose purpose,
               std::vector<std::string>& notes) {
  std::string missing;
  r.data_name = data::kDataName.read(data);
  r.dataset =
      data::open_dataset(data, {.frames = r.T, .seed = r.seed, .extent = extent_for(purpose)},
                         purpose == Purpose::kCheck ? &missing : nullptr);
  if (!missing.empty()) notes.push_back(missing + "; all but the data was checked");
  r.pipelines = data::read_pipelines(data, r.dataset->info());
  r.workers = kWorkers.read(data, r.workers);
}

// A network that is already known: nothing else may describe it.
graph::Graph take_graph(const graph::Graph& known, const Config& config) {
  config.overrule({"model", "neuron"}, "the graph of the model file");
  return known;
}

void make_network_and_method(ModelRecipe& r, const Config& config, graph::Graph graph,
                             Purpose purpose) {
  r.model_name = graph.name();
  r.network = std::make_unique<nn::Network>(std::move(graph), r.seed);
  r.device = read_device(config, purpose == Purpose::kCheck || purpose == Purpose::kDescribe);
  r.network->move_to(r.device.device, r.device.compute);
  const Config method = config.section("method");
  r.method_name = sparsity::kMethodName.read(method);
  r.method = sparsity::make_method(r.method_name, *r.network, method, r.seed);
}

// Reads augment_on: batches that the GPU finishes stay raw.
void read_augment_on(ModelRecipe& r, const Config& data) {
  enum { kAuto, kCpu, kGpu };
  const size_t where = kAugmentOn.read(data);
  const bool on_gpu = r.device.device.is_cuda() || r.device.is_missing;
  for (data::Pipeline* pipeline : {&r.pipelines.train, &r.pipelines.test}) {
    const std::string obstacle =
        on_gpu ? data::raw_obstacle(*r.dataset, *pipeline) : "the network is on the cpu";
    SPIKENM_CHECK(where != kGpu || obstacle.empty(),
                  "{}: found 'gpu', wanted auto or cpu, since {}", data.full_key("augment_on"),
                  obstacle);
    pipeline->raw = where != kCpu && obstacle.empty();
  }
}

// The epochs of the search if the config does not say: the method's share, and one is left to
// finetune unless the method wants all.
int64_t usual_search_epochs(const sparsity::Pruning& method, int64_t epochs) {
  if (method.search_share() == 1) return epochs;
  const auto share = std::lround(method.search_share() * static_cast<double>(epochs));
  return std::min<int64_t>(share, epochs - 1);
}

TrainOptions read_train_options(const Config& config, const sparsity::Pruning& method) {
  TrainOptions t;
  t.epochs = kEpochs.read(config, t.epochs);
  t.search_epochs =
      kSearchEpochs.read_within(config, usual_search_epochs(method, t.epochs), 0, t.epochs);
  t.batch_size = kBatchSize.read(config, t.batch_size);
  t.clip_norm = kClipNorm.read(config, t.clip_norm);
  t.phases = kPhases.read(config, t.phases);
  t.bad_steps = kBadSteps.read(config);
  t.max_minutes = kMaxMinutes.read(config);
  t.stop_early = read_early_stop_options(config.section("stop_early"));
  t.from = kFrom.read(config);
  if (!t.from.empty()) {
    // Absolute: the resolved config lies in another folder.
    t.from = std::filesystem::absolute(t.from);
    config.resolve_as("from", t.from.string());
  }
  for (const std::string& name : t.phases) static_cast<void>(phases().find(name));
  const auto runs = [&](const char* phase) {
    return std::find(t.phases.begin(), t.phases.end(), phase) != t.phases.end();
  };

  check_phase_order(t.phases, !method.layers().empty() || !method.neurons().empty(),
                    config.full_key("phases"));
  const bool learns_neurons = method.all().size() > 1;
  SPIKENM_CHECK((runs("search") && t.search_epochs > 0) || !learns_neurons,
                "{}: leaves no search, and without one no neuron would be kept",
                config.full_key(runs("search") ? "search_epochs" : "phases"));
  if (!runs("finetune")) config.no_effect("finetune_lr", {"phases"});
  SPIKENM_CHECK(
      t.stop_early.patience == 0 || runs("finetune"), "{}: found {}, and {} has no finetune to end",
      config.full_key("stop_early.patience"), t.stop_early.patience, config.full_key("phases"));
  return t;
}

// By now every key that has a meaning was read. Others are refused, or dropped if an override made
// them meaningless.
void finish_reading(const Config& config) {
  for (const std::string& note : config.reject_unread()) say(note);
}

data::BlockSource batch_memory(const ModelRecipe& model) {
  if (!model.device.device.is_cuda()) return {};
  return page_locked;
}

}  // namespace

ModelRecipe read_model(Config config, const graph::FrameShape& frame, int64_t classes,
                       Purpose purpose) {
  for (const char* section : {"data", "train", "checkpoints"}) config.drop(section);
  ModelRecipe r = read_basics(config);
  make_network_and_method(
      r, config, graph::make_model(frame, graph::numbered_classes(classes), config), purpose);
  finish_reading(config);
  return r;
}

ModelRecipe read_model(Config config, const graph::Graph& graph, Purpose purpose) {
  for (const char* section : {"data", "train", "checkpoints"}) config.drop(section);
  ModelRecipe r = read_basics(config);
  make_network_and_method(r, config, take_graph(graph, config), purpose);
  finish_reading(config);
  return r;
}

data::LoaderOptions Recipe::train_loader() const {
  return {.batch_size = train.batch_size,
          .shuffle = true,
          .seed = model.seed,
          .workers = model.workers,
          .pipeline = model.pipelines.train,
          .memory = batch_memory(model)};
}

data::LoaderOptions Recipe::test_loader() const {
  return {.batch_size = train.batch_size,
          .seed = model.seed,
          .workers = model.workers,
          .pipeline = model.pipelines.test,
          .memory = batch_memory(model)};
}

Recipe read_recipe(const Config& config, const ReadOptions& options) {
  Recipe r;
  r.model = read_basics(config);
  read_data(r.model, config.section("data"), options.purpose, r.notes);
  make_network_and_method(r.model, config,
                          options.graph != nullptr
                              ? take_graph(*options.graph, config)
                              : describe_graph(config, r.model.dataset->info()),
                          options.purpose);

  if (r.model.device.is_missing && options.purpose == Purpose::kCheck)
    r.notes.push_back("device: this build or machine has no GPU, which the run would need");
  read_augment_on(r.model, config.section("data"));
  r.val_fraction = kValFraction.read(config.section("data"), r.val_fraction);

  const Config train = config.section("train");
  r.train = read_train_options(train, *r.model.method);
  r.loss = losses().find(kLoss.read(train));
  r.optimizer = read_optimizer_options(train);
  r.schedule = read_schedule(train);
  SPIKENM_CHECK(r.train.stop_early.patience == 0 || r.val_fraction > 0,
                "train.stop_early.patience: found {}, and data.val_fraction = 0 leaves no samples "
                "for validation",
                r.train.stop_early.patience);
  r.checkpoints = read_checkpoint_options(config.section("checkpoints"));

  finish_reading(config);
  if (options.purpose == Purpose::kTrain || options.purpose == Purpose::kCheck)
    check_trained_epochs(r.train);

  // A dry run without data has nothing to split.
  const bool splits =
      options.purpose == Purpose::kTrain ||
      (options.purpose == Purpose::kCheck && r.model.dataset->size(data::Part::kTrain) > 0);
  if (!splits) return r;

  r.views = data::split_train(r.model.dataset, r.val_fraction, r.model.seed);
  SPIKENM_CHECK(r.train.batch_size <= r.views->train.size(),
                "train.batch_size: found {}, more than the {} samples of the train split",
                r.train.batch_size, r.views->train.size());
  return r;
}

}  // namespace spikenm::train
