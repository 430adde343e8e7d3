#include "commands.h"
#include "config_options.h"
#include "frame_option.h"

#include "spikenm/core/show.h"
#include "spikenm/ops/stream.h"
#include "spikenm/report/table.h"
#include "spikenm/sparsity/method.h"
#include "spikenm/sparsity/method_keys.h"
#include "spikenm/train/step_bench.h"
#include "spikenm/train/versions.h"

#include <algorithm>
#include <memory>

namespace spikenm::cli {
namespace {

struct BenchArguments {
  std::string model = "6conv2fc", device = "auto", precision, method = "dense", pattern;
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

bool reads_pattern(const std::string& method) {
  const std::vector<KeyGroup> groups = sparsity::method_keys();
  return std::ranges::any_of(groups, [&](const KeyGroup& group) {
    return group.owner == method &&
           std::ranges::any_of(group.keys, [](const Key* key) { return key->name == "pattern"; });
  });
}

Json time_step(BenchArguments a) {
  Config config;
  const bool search = a.method != "dense";
  if (a.pattern.empty() && reads_pattern(a.method)) a.pattern = "2:4";
  config.override_with("model.name='" + a.model + "'");
  config.override_with(fmt::format("model.T={}", a.T));
  config.override_with("device=" + a.device);
  config.override_with("method.name=" + a.method);
  if (!a.precision.empty()) config.override_with("precision=" + a.precision);
  if (!a.pattern.empty()) config.override_with("method.pattern='" + a.pattern + "'");
  for (const std::string& assignment : a.overrides) config.override_with(assignment);

  const auto [channels, height, width, classes] =
      parse_frame(a.frame.empty() ? usual_frame(a.model) : a.frame);
  train::ModelRecipe model = train::read_model(config, {channels, height, width}, classes);
  a.options.classes = classes;
  a.options.events = channels == 2;
  a.options.search = search;

  return train::bench_step(model, a.options);
}

void bench_step(const BenchArguments& a) {
  Json result = time_step(a);
  result["versions"] = train::versions();
  if (a.json) {
    show_json(result);
  } else {
    show("{}\n", describe(result));
  }
}

double step_of(const Json& result) {
  return result["step"]["median_ms"].get<double>();
}

// The search step of every method beside the dense one, each with its usual keys.
void bench_methods(BenchArguments a) {
  a.method = "dense";
  // The first step of a process makes what it then keeps, such as workspaces of libraries: it is not
  // counted, and neither is what a method before has left.
  const bool on_gpu = time_step(a)["device"].get<std::string>().starts_with("cuda");
  const auto time_alone = [&] {
    a.options.held = on_gpu ? ops::held_memory() : 0;
    return time_step(a);
  };
  const Json dense = time_alone();
  Json all = Json::array();
  std::vector<std::vector<std::string>> rows;
  for (const std::string& name : sparsity::methods().names()) {
    a.method = name;
    Json result = name == "dense" ? dense : time_alone();
    const double over = step_of(result) / step_of(dense) - 1;
    result["over_dense"] = over;
    const double memory = result.value("peak_memory_gb", 0.0);
    rows.push_back({name, result["pattern"].get<std::string>(), milliseconds(result["step"]),
                    fmt::format("{:+.1f} %", 100 * over),
                    memory > 0 ? fmt::format("{:.2f}", memory) : "-"});
    all.push_back(std::move(result));
  }
  if (a.json) return show_json({{"methods", all}, {"versions", train::versions()}});
  show("{}, T {}, batch {}, {} {}\n{}", a.model, a.T, a.options.batch,
       dense["device"].get<std::string>(), dense["precision"].get<std::string>(),
       report::format_table({"method", "pattern", "ms", "over dense", "GB at most"}, rows));
}

void add_setting(CLI::App& app, BenchArguments& a) {
  app.add_option("--model", a.model, "network (default 6conv2fc)");
  app.add_option("--T", a.T, "time steps (default 8)");
  app.add_option("--batch", a.options.batch, "samples (default 64)")->check(CLI::Range(1, 65536));
  app.add_option("--frame", a.frame, "channels x height x width x classes, e.g. 3x32x32x10");
  app.add_option("--device", a.device, "cpu, cuda or auto (default)");
  app.add_option("--precision", a.precision, "fp32, tf32, bf16 or fp16");
  app.add_option("--steps", a.options.steps, "timed steps (default 12)")
      ->check(CLI::Range(1, 100000));
  app.add_option("--warmup", a.options.warmup, "steps before them (default 5)")
      ->check(CLI::Range(0, 100000));
  app.add_flag("--json", a.json, "print everything as JSON");
  app.add_option("--set", a.overrides, "a.b=value over the config, e.g. model.width=96");
}

}  // namespace

std::function<void()> setup_bench(CLI::App& app) {
  auto a = std::make_shared<BenchArguments>();
  app.require_subcommand(1);
  app.footer("Example: spikenm bench step --model 6conv2fc --T 8 --batch 64 --device auto");

  CLI::App* step = app.add_subcommand("step", "time one training step on random frames");
  add_setting(*step, *a);
  step->add_option("--method", a->method,
                   "dense (default), or a method whose search step is timed");
  step->add_option("--pattern", a->pattern, "its N:M pattern (default 2:4, where it has one)");
  step->add_flag("--floor", a->options.floor, "time the bare convolutions and products too");
  step->add_flag("--plain", a->options.plain,
                 "time the same step in plain torch operations too, in turn with ours (CPU)");
  step->footer(
      "Examples:\n"
      "  spikenm bench step --model 6conv2fc --T 8 --batch 64 --device cuda --precision bf16 "
      "--floor\n"
      "  spikenm bench step --model vggsnn --T 10 --method spikenm --pattern 2:4\n"
      "  spikenm bench step --model 6conv2fc --T 4 --batch 4 --device cpu --plain");

  CLI::App* methods =
      app.add_subcommand("methods", "time the search step of every method beside the dense step");
  add_setting(*methods, *a);
  methods->footer("Example: spikenm bench methods --T 8 --batch 64 --device cuda --precision bf16");
  return [a, methods] { methods->parsed() ? bench_methods(*a) : bench_step(*a); };
}

}  // namespace spikenm::cli
