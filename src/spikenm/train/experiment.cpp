#include "spikenm/train/experiment.h"

#include "spikenm/core/file.h"
#include "spikenm/core/interrupt.h"
#include "spikenm/core/json_text.h"
#include "spikenm/core/md5.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/core/say.h"
#include "spikenm/core/shell_word.h"
#include "spikenm/graph/graph_json.h"
#include "spikenm/graph/graph_toml.h"
#include "spikenm/train/checkpointer.h"
#include "spikenm/train/divergence.h"
#include "spikenm/train/evaluate.h"
#include "spikenm/train/measure.h"
#include "spikenm/train/metrics_lines.h"
#include "spikenm/train/model_file.h"
#include "spikenm/train/resume_config.h"
#include "spikenm/train/run_description.h"
#include "spikenm/train/start_from.h"
#include "spikenm/train/tensorboard_log.h"
#include "spikenm/train/trainer.h"
#include "spikenm/train/warnings.h"

#include <functional>
#include <optional>

namespace spikenm::train {
namespace {

// A run has trained for train.max_minutes.
struct TimeIsUp {};

std::string resume_command(const RunDir& run) {
  return fmt::format("spikenm train --out {} --resume", shell_word(run.path().string()));
}

// One run, from its recipe to result.json.
class Experiment {
 public:
  Experiment(Recipe& recipe, RunDir& run, std::string config_toml, Display display)
      : recipe_(recipe),
        run_(run),
        config_toml_(std::move(config_toml)),
        trainer_(recipe, run, std::move(display),
                 {.between_steps = [this] { between_steps(); },
                  .after_epoch = [this] { after_epoch(); },
                  .logged = [this](const Json& line,
                                   const sparsity::Masks& masks) { log_epoch(line, masks); },
                  .found_best = [this](const EpochRecord& record) { keep_best(record); }}),
        checkpointer_(trainer_, run, recipe.checkpoints,
                      {.config = config_toml_,
                       .graph = graph::graph_to_json(recipe.model.network->graph()).dump()}) {}

  // Loads the newest checkpoint, and removes the metrics that were written after it.
  void resume();
  // Trains, then measures on the test split, once, and writes the model and result.json. Returns
  // the result. It has only a place in training, as "unfinished", if the time was up before.
  Json run(Warnings warnings);

 private:
  // An interrupt leaves a checkpoint, and says how to go on.
  void saving_on_interrupt(const std::function<void()>& work);
  Json measure_all(Warnings warnings);
  Json stop_unfinished();
  void add_times(Json& result);
  void between_steps();
  void after_epoch();
  void throw_if_stopped() const;
  void keep_best(const EpochRecord& record);
  void find_best();
  void log_epoch(const Json& line, const sparsity::Masks& masks);
  [[nodiscard]] double best_val_accuracy();

  Recipe& recipe_;
  RunDir& run_;
  std::string config_toml_;
  Trainer trainer_;
  Checkpointer checkpointer_;
  Stopwatch clock_;
  bool holds_best_ = false;  // the network has the weights of the best epoch, not of the last
  // From the first epoch on, when the folder is the run's.
  std::optional<TensorBoardLog> tensorboard_;
};

void Experiment::between_steps() {
  checkpointer_.between_steps();
  throw_if_stopped();
}

void Experiment::after_epoch() {
  checkpointer_.after_epoch();
  throw_if_stopped();
}

void Experiment::throw_if_stopped() const {
  throw_if_interrupted(trainer_.where());
  const double limit = recipe_.train.max_minutes;
  if (limit > 0 && clock_.seconds() >= 60 * limit && trainer_.has_steps_left()) throw TimeIsUp();
}

void Experiment::log_epoch(const Json& line, const sparsity::Masks& masks) {
  if (!tensorboard_) tensorboard_.emplace(run_.file(RunDir::kTensorBoard));
  std::vector<nn::NamedTensor> searched;
  if (!trainer_.is_frozen()) searched = trainer_.method().kept_tensors();
  tensorboard_->add_epoch(line, trainer_.steps(), *recipe_.model.network, masks, searched);
}

void Experiment::keep_best(const EpochRecord& record) {
  checkpointer_.write_model(RunDir::kBestModel, [&] {
    return model_content(*recipe_.model.network, trainer_.masks(), config_toml_,
                         {{"epoch", std::to_string(record.epoch)},
                          {"val_accuracy", Json(record.val_accuracy).dump()}});
  });
}

void Experiment::resume() {
  const auto note =
      load_newest_checkpoint(run_.file(RunDir::kCheckpoints),
                             [&](nn::StateVisitor& visitor) { trainer_.visit_state(visitor); });
  if (note)
    check_made_with(*note, run_, graph::graph_to_json(recipe_.model.network->graph()).dump());
  check_metrics_lines(run_.file(RunDir::kMetrics), trainer_.cursor().epochs_done);
  run_.keep_lines(RunDir::kMetrics, trainer_.cursor().epochs_done);
  tensorboard_.emplace(run_.file(RunDir::kTensorBoard));
  tensorboard_->cut_after(trainer_.steps() - trainer_.cursor().batch);
  say(note ? fmt::format("{}: goes on {}", run_.path().string(), note->where)
           : fmt::format("{}: has no checkpoint yet, and starts anew", run_.path().string()));
  if (!note) start_from(recipe_);

  find_best();
}

// A best model that is newer than the checkpoint is of a future that may not come again; on the CPU
// the same one is found again.
void Experiment::find_best() {
  const std::filesystem::path best = run_.file(RunDir::kBestModel);
  std::error_code error;
  // One that cannot be opened now may be whole: it must not be replaced by a worse one.
  std::optional<InputFile> stored;
  if (std::filesystem::exists(best, error)) stored.emplace(best);
  try {
    if (stored) {
      const SafetensorsInput file(std::move(*stored));
      file.verify();  // now: a damaged one would be read only after the whole training
      const auto note = [&](const char* key) {
        const auto said = file.header().metadata.find(key);
        SPIKENM_CHECK(said != file.header().metadata.end(), "{}: found no '{}'", best.string(),
                      key);
        return Json::parse(said->second, nullptr, /*allow_exceptions=*/false);
      };
      const Json epoch = note("epoch"), accuracy = note("val_accuracy");
      SPIKENM_CHECK(epoch.is_number_integer() && accuracy.is_number(),
                    "{}: found no numbers as epoch and val_accuracy", best.string());
      if (epoch.get<int64_t>() <= trainer_.cursor().epochs_done)
        return trainer_.set_best(accuracy.get<double>());
    }
    SPIKENM_CHECK(!trainer_.has_best(), "{}: found no model of an epoch before the checkpoint",
                  best.string());
  } catch (const Error& e) {
    say(fmt::format("warning: {}; the best epoch is sought among those to come", e.what()));
  }
  trainer_.forget_best();
}

void Experiment::saving_on_interrupt(const std::function<void()>& work) {
  try {
    work();
  } catch (const Interrupted& e) {
    if (!run_.is_promoted())
      throw Interrupted(e.signal_number(),
                        fmt::format("{}; nothing of this run is kept, and the run that {} held "
                                    "before is as it was",
                                    e.what(), run_.path().string()));
    const NoInterrupts shield;
    if (holds_best_) load_tensors(run_.file(RunDir::kModel), *recipe_.model.network);
    checkpointer_.save_now();
    throw Interrupted(e.signal_number(),
                      fmt::format("{}; go on with: {}", e.what(), resume_command(run_)));
  }
}

Json Experiment::run(Warnings warnings) {
  Json result;
  saving_on_interrupt([&] {
    try {
      trainer_.train();
      result = measure_all(std::move(warnings));
    } catch (const TimeIsUp&) {
      result = stop_unfinished();
    }
  });
  return result;
}

// The test split is not touched: the run will be measured when it ends.
Json Experiment::stop_unfinished() {
  checkpointer_.save_now();
  Json result = describe_run(recipe_, trainer_.outcome());
  result["unfinished"] = trainer_.where();
  result["epochs_done"] = trainer_.cursor().epochs_done;
  add_times(result);
  run_.write(RunDir::kResult, result.dump(2) + "\n");
  say(fmt::format("train.max_minutes: {:g} minutes are over {}; go on with: {}",
                  recipe_.train.max_minutes, trainer_.where(), resume_command(run_)));
  return result;
}

void Experiment::add_times(Json& result) {
  result["phase_seconds"] = trainer_.phase_seconds();
  result["checkpoint_waits"] = checkpointer_.waits().json();
  result["tensorboard_seconds"] = tensorboard_ ? tensorboard_->seconds() : 0;
}

double Experiment::best_val_accuracy() {
  holds_best_ = true;
  load_tensors(run_.file(RunDir::kBestModel), *recipe_.model.network);
  const sparsity::FrozenHooks hooks(trainer_.masks());
  data::Loader loader(data::test_view(recipe_.model.dataset), recipe_.test_loader());
  return evaluate(*recipe_.model.network, loader, recipe_.model.T, recipe_.loss).accuracy;
}

Json Experiment::measure_all(Warnings warnings) {
  run_.promote();  // of a run without epochs
  checkpointer_.finish();
  Json result = describe_run(recipe_, trainer_.outcome());
  result["graph_md5"] = md5_hex(as_bytes(graph::to_toml(recipe_.model.network->graph())));
  const Json measured = measure(recipe_, trainer_.masks());
  check_finite(measured["test_loss"].get<double>(), "the test loss", "after training");
  save_model(run_.file(RunDir::kModel), *recipe_.model.network, trainer_.masks(), config_toml_);

  for (const Warnings& more : {doubts_about_steps(trainer_.steps(), trainer_.skipped_steps()),
                               doubts_about_result(recipe_, measured)}) {
    say_warnings(more);
    warnings.insert(warnings.end(), more.begin(), more.end());
  }
  result.update(measured);
  if (trainer_.has_best()) result["test_accuracy_best_val"] = best_val_accuracy();
  result["warnings"] = warnings;
  if (trainer_.stopped_early() > 0) result["stopped_early"] = trainer_.stopped_early();
  add_times(result);
  run_.write(RunDir::kResult, result.dump(2) + "\n");
  return result;
}

}  // namespace

Json run_experiment(const Config& config, const ExperimentOptions& options) {
  Recipe recipe = read_recipe(config);
  start_from(recipe);
  RunDir run = options.over_leftovers
                   ? RunDir::create_anew(options.out, options.take_over)
                   : RunDir::create(options.out, options.force, options.take_over);
  // The run's folder gets a copy of the network's file, and the resolved config names that copy.
  if (config.has("model.file")) config.resolve_as("model.file", std::string(RunDir::kGraph));
  const std::string resolved = config.resolved_toml();

  prepare_data(*recipe.model.dataset);
  const Warnings warnings = doubts_about_recipe(recipe);
  say_warnings(warnings);
  Experiment experiment(recipe, run, resolved, options.display);
  run.write_config(resolved);  // only now: if something above fails, the folder can be used again
  run.write(RunDir::kGraph, graph::to_toml(recipe.model.network->graph()));
  return experiment.run(warnings);
}

bool is_finished(const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::path file = folder / RunDir::kResult;
  if (!std::filesystem::exists(file, error)) return false;
  return parse_json_object(read_file(file), file.string()).contains("test_accuracy");
}

Json resume_experiment(const Config& asked, const ExperimentOptions& options) {
  RunDir run = RunDir::open(options.out, options.take_over);
  const Config config = resume_config(run, asked);
  Recipe recipe = read_recipe(config);

  prepare_data(*recipe.model.dataset);
  Experiment experiment(recipe, run, run.read_config(), options.display);
  experiment.resume();
  return experiment.run(doubts_about_recipe(recipe));
}

}  // namespace spikenm::train
