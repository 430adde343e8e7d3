#include "commands.h"
#include "path_option.h"

#include "spikenm/core/say.h"
#include "spikenm/core/show.h"
#include "spikenm/deploy/exporter.h"
#include "spikenm/deploy/verify.h"
#include "spikenm/runtime/snm_file.h"

#include <memory>

namespace spikenm::cli {
namespace {

struct ExportArguments {
  std::string run, out, dtype = "int8";
  std::vector<std::string> overrides;
  int64_t verify = 0;
  bool json = false;
};

void show_found(const Json& found) {
  const auto weights = found["weights"].get<int64_t>();
  show("{}: {} bytes, 1/{:.1f} of {} floats\n", found["file"].get<std::string>(),
       found["bytes"].get<int64_t>(),
       4.0 * static_cast<double>(weights) / found["bytes"].get<double>(), weights);
  if (!found.contains("verify")) return;
  const Json& v = found["verify"];
  show(
      "{} samples: {:.2f} % equal labels, {:.2f} % with every spike equal ({} of {} spikes "
      "differ); accuracy {:.2f} % in training, {:.2f} % here\n",
      v["samples"].get<int64_t>(), v["equal_labels_pct"].get<double>(),
      v["samples_with_equal_spikes_pct"].get<double>(), v["differing_spikes"].get<int64_t>(),
      v["spikes"].get<int64_t>(), v["trainer_accuracy"].get<double>(),
      v["runtime_accuracy"].get<double>());
  if (v["differing_spikes"] == 0) return;
  show("where spikes part first, the membrane is at most {:.2g} from the threshold\n",
       v["farthest_first_difference"].get<double>());
}

void export_run(const ExportArguments& a) {
  const runtime::WeightType type = runtime::parse_weight_type(a.dtype, "--dtype");
  // Without samples to compare, the data need not be there.
  train::LoadedModel trained = train::load_model(
      a.run, a.overrides, a.verify > 0 ? train::Purpose::kEvaluate : train::Purpose::kCheck);
  for (const std::string& note : trained.recipe.notes) say("note: " + note);
  runtime::StoredModel stored = deploy::export_model(trained, type);
  deploy::add_history(a.run, stored);
  runtime::write_snm(a.out, stored);

  std::error_code error;
  int64_t weights = 0;
  for (const auto& [id, tensor] : stored.synapses) weights += tensor.shape.numel();
  Json found{{"file", a.out},
             {"dtype", a.dtype},
             {"bytes", std::filesystem::file_size(a.out, error)},
             {"weights", weights}};
  deploy::Agreement agreement;
  if (a.verify > 0) {
    agreement = deploy::verify(trained, runtime::Model::load(a.out), a.verify);
    found["verify"] = agreement.to_json();
    if (agreement.samples < a.verify)
      say(fmt::format(
          "note: compared {} samples, for the test part has no more; --verify asked for {}",
          agreement.samples, a.verify));
  }
  if (a.json)
    show_json(found);
  else
    show_found(found);
  if (a.verify > 0 && type == runtime::WeightType::kFloat) agreement.check_floats(a.out);
}

}  // namespace

std::function<void()> setup_export(CLI::App& app) {
  auto a = std::make_shared<ExportArguments>();
  as_path(app.add_option("run", a->run, "run folder, or a model .safetensors of ours"))->required();
  app.add_option("overrides", a->overrides,
                 "a.b=value, over the stored config; e.g. data.root=DIR");
  as_path(app.add_option("-o,--out", a->out, "the .snm file to write"))->required();
  app.add_option("--dtype", a->dtype, "weights of layers that read spikes: int8 or fp32");
  app.add_option(
         "--verify", a->verify,
         "compare with the trainer on so many test samples; floats that differ by more than "
         "rounding are refused")
      ->check(CLI::Range(1, 1 << 30));
  app.add_flag("--json", a->json, "print everything found, as JSON");
  app.footer(
      "Examples:\n"
      "  spikenm export runs/a -o a.snm\n"
      "  spikenm export runs/a -o a.snm --dtype fp32 --verify 1000\n"
      "spikenm-run runs the file.");
  return [a] { export_run(*a); };
}

}  // namespace spikenm::cli
