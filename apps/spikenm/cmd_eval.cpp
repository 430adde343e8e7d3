#include "commands.h"
#include "path_option.h"
#include "weight_text.h"

#include "spikenm/core/say.h"
#include "spikenm/core/show.h"
#include "spikenm/train/measure.h"
#include "spikenm/train/model_file.h"
#include "spikenm/train/score_file.h"
#include "spikenm/train/warnings.h"

#include <memory>

namespace spikenm::cli {
namespace {

struct EvalArguments {
  std::string model, scores;
  std::vector<std::string> overrides;
  bool json = false;
};

void eval(const EvalArguments& a) {
  train::LoadedModel model = train::load_model(a.model, a.overrides);
  for (const std::string& note : model.recipe.notes) say("note: " + note);
  train::ScoreFile scores;
  const Json found = train::measure(model.recipe, model.masks,
                                    a.scores.empty() ? train::ScoreSink() : scores.sink());
  if (!a.scores.empty()) scores.write(a.scores);
  train::say_warnings(train::doubts_about_result(model.recipe, found));

  if (a.json) {
    show_json(found);
    return;
  }
  show(
      "{}: test accuracy {:.2f} %, loss {:.4f}, {}, neuron {:.2f} %, conn {:.2f} %, "
      "{:.2f} M SOPs, {:.2f} uJ, firing rate {:.3f}\n",
      a.model, found["test_accuracy"].get<double>(), found["test_loss"].get<double>(),
      weight_text(found), found["neuron_pct"].get<double>(), found["conn_pct"].get<double>(),
      found["sops_m"].get<double>(), found["energy_uj"].get<double>(),
      found["firing_rate"]["mean"].get<double>());
}

}  // namespace

std::function<void()> setup_eval(CLI::App& app) {
  auto a = std::make_shared<EvalArguments>();
  as_path(app.add_option("model", a->model, "run folder, or a model .safetensors of ours"))
      ->required();
  app.add_option("overrides", a->overrides, "a.b=value, over the stored config; e.g. threads=1");
  as_path(app.add_option("--scores", a->scores,
                         "a .safetensors file to write: the scores of each test sample, means over "
                         "all steps, and its label"));
  app.add_flag("--json", a->json, "print everything measured, as JSON");
  app.footer(
      "Examples:\n"
      "  spikenm eval runs/a\n"
      "  spikenm eval runs/a/model_best_val.safetensors --json\n"
      "  spikenm eval runs/a data.root=DIR data.test_size=500\n"
      "  spikenm eval runs/a --scores a.safetensors\n"
      "The test part of the data is enough.");
  return [a] { eval(*a); };
}

}  // namespace spikenm::cli
