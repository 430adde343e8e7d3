#include "commands.h"
#include "config_options.h"
#include "frame_option.h"

#include "spikenm/core/show.h"
#include "spikenm/report/table.h"
#include "spikenm/train/step_bench.h"
#include "spikenm/train/versions.h"

#include <memory>

namespace spikenm::cli {
namespace {

struct BenchArguments {
  std::string model = "6conv2fc", device = "auto", precision, method = "dense", pattern = "2:4";
  std::string frame;
  int64_t T = 8;
  std::vector<std::string> overrides;
  train::StepBenchOptions options;
  bool json = false;
};

// The frame that each network was made for.
std::string usual_frame(const std::string& model) {
  if (model == "vggsnn" || model == "vgg13") return "2x48x48x10";
  return model == "small_conv" ? "2x34x34x10" : "3x32x32x10";
}

std::string milliseconds(const Json& times) {
  return fmt::format("{:.3f}", times["median_ms"].get<double>());
}

std::string describe(const Json& r) {
  std::vector<std::vector<std::string>> rows;
  for (const char* part : {"step", "forward", "backward", "optimiser"})
    rows.push_back(
        {part, milliseconds(r[part]), fmt::format("{:.3f}", r[part]["spread_ms"].get<double>())});
  if (r.contains("floor"))
    for (const char* part : {"forward", "grad_input", "grad_weight"})
      rows.push_back({fmt::format("products alone, {}", part), milliseconds(r["floor"][part]),
                      fmt::format("{:.3f}", r["floor"][part]["spread_ms"].get<double>())});
  if (r.contains("plain"))
    rows.push_back({"step in plain torch operations", milliseconds(r["plain"]),
                    fmt::format("{:.3f}", r["plain"]["spread_ms"].get<double>())});

  std::string text = fmt::format(
      "{} {} {}, T {}, batch {}, {} {}\n{}", r["model"].get<std::string>(),
      r["method"].get<std::string>(), r["pattern"].get<std::string>(), r["T"].get<int64_t>(),
      r["batch"].get<int64_t>(), r["device"].get<std::string>(), r["precision"].get<std::string>(),
      report::format_table({"", "ms", "spread"}, rows));
  text += fmt::format("{:.0f} samples/s, {:.1f} TFLOP/s", r["images_per_s"].get<double>(),
                      r["tflops"].get<double>());
  if (r.contains("peak_memory_gb"))
    text += fmt::format(", {:.2f} GB at most", r["peak_memory_gb"].get<double>());
  if (r.contains("floor"))
    text += fmt::format(", products are {:.0f} % of the step",
                        100 * r["floor"]["share_of_step"].get<double>());
  if (r.contains("speedup"))
    text += fmt::format(", {:.2f} times as fast as the plain step", r["speedup"].get<double>());
  return text;
}

void bench_step(BenchArguments a) {
  Config config;
  const bool search = a.method != "dense";
  config.override_with("model.name='" + a.model + "'");
  config.override_with(fmt::format("model.T={}", a.T));
  config.override_with("device=" + a.device);
  config.override_with("method.name=" + a.method);
  if (!a.precision.empty()) config.override_with("precision=" + a.precision);
  if (search) config.override_with("method.pattern='" + a.pattern + "'");
  for (const std::string& assignment : a.overrides) config.override_with(assignment);

  const auto [channels, height, width, classes] =
      parse_frame(a.frame.empty() ? usual_frame(a.model) : a.frame);
  train::ModelRecipe model = train::read_model(config, {channels, height, width}, classes);
  a.options.classes = classes;
  a.options.events = channels == 2;
  a.options.search = search;

  Json result = train::bench_step(model, a.options);
  result["versions"] = train::versions();
  if (a.json) {
    show_json(result);
  } else {
    show("{}\n", describe(result));
  }
}

}  // namespace

std::function<void()> setup_bench(CLI::App& app) {
  auto a = std::make_shared<BenchArguments>();
  app.require_subcommand(1);
  app.footer("Example: spikenm bench step --model 6conv2fc --T 8 --batch 64 --device auto");

  CLI::App* step = app.add_subcommand("step", "time one training step on random frames");
  step->add_option("--model", a->model, "network (default 6conv2fc)");
  step->add_option("--T", a->T, "time steps (default 8)");
  step->add_option("--batch", a->options.batch, "samples (default 64)")
      ->check(CLI::Range(1, 65536));
  step->add_option("--frame", a->frame, "channels x height x width x classes, e.g. 3x32x32x10");
  step->add_option("--device", a->device, "cpu, cuda or auto (default)");
  step->add_option("--precision", a->precision, "fp32, tf32, bf16 or fp16");
  step->add_option("--method", a->method,
                   "dense (default), or a method whose search step is timed");
  step->add_option("--pattern", a->pattern, "its N:M pattern (default 2:4)");
  step->add_option("--steps", a->options.steps, "timed steps (default 12)")
      ->check(CLI::Range(1, 100000));
  step->add_option("--warmup", a->options.warmup, "steps before them (default 5)")
      ->check(CLI::Range(0, 100000));
  step->add_flag("--floor", a->options.floor, "time the bare convolutions and products too");
  step->add_flag("--plain", a->options.plain,
                 "time the same step in plain torch operations too, in turn with ours (CPU)");
  step->add_flag("--json", a->json, "print everything as JSON");
  step->add_option("--set", a->overrides, "a.b=value over the config, e.g. model.width=96");

  step->footer(
      "Examples:\n"
      "  spikenm bench step --model 6conv2fc --T 8 --batch 64 --device cuda --precision bf16 "
      "--floor\n"
      "  spikenm bench step --model vggsnn --T 10 --method spikenm --pattern 2:4\n"
      "  spikenm bench step --model 6conv2fc --T 4 --batch 4 --device cpu --plain");
  return [a] { bench_step(*a); };
}

}  // namespace spikenm::cli
