#include "commands.h"

#include "samples.h"

#include "spikenm/core/config.h"
#include "spikenm/core/cpu_features.h"
#include "spikenm/core/error.h"
#include "spikenm/core/input_file.h"
#include "spikenm/core/interrupt.h"
#include "spikenm/core/parallel.h"
#include "spikenm/core/random.h"
#include "spikenm/core/show.h"
#include "spikenm/data/open.h"
#include "spikenm/data/split.h"
#include "spikenm/graph/models/models.h"
#include "spikenm/report/csv.h"
#include "spikenm/runtime/session.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

namespace spikenm::run {
namespace {

using runtime::Model;
using runtime::Session;
using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

std::shared_ptr<const Model> load(const std::string& file) {
  try {
    return Model::load(file);
  } catch (const std::bad_alloc&) {
    fail("{}: found a file of {} bytes, more than there is memory for", file,
         InputFile(file).size());
  }
}

const std::string& class_of(const Model& model, int64_t label) {
  return model.graph().classes()[static_cast<size_t>(label)];
}

// A sample of noise, for timing where no file is given: events at a tenth of the pixels.
std::vector<float> noise(const Model& model, int64_t samples) {
  const RandomAddress random(1, 1);
  std::vector<float> values(static_cast<size_t>(samples * model.frames() * model.frame_size()));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = model.input().events ? static_cast<float>(random.uniform(i) < 0.1)
                                     : static_cast<float>(random.normal(i));
  return values;
}

// The first file given, `samples` times, or noise.
std::vector<float> bench_input(const Arguments& a, const Model& model) {
  if (a.files.empty()) return noise(model, a.batch);
  const std::vector<float> one = read_sample(a.files[0], model);
  std::vector<float> all;
  for (int64_t i = 0; i < a.batch; ++i) all.insert(all.end(), one.begin(), one.end());
  return all;
}

double best_ms(Session& session, const std::vector<float>& input, const Arguments& a) {
  double best = 1e30;
  for (int64_t round = 0; round <= a.rounds; ++round) {
    throw_if_interrupted("while timing");
    const Clock::time_point begin = Clock::now();
    session.run(input, a.batch);
    if (round > 0) best = std::min(best, ms_since(begin));
  }
  return best / static_cast<double>(a.batch);
}

struct Timing {
  std::string file;
  double load, first, best;  // ms: of the file, of the first answer, of a sample
};

Timing time_model(const Arguments& a, const std::string& file) {
  const Clock::time_point begin = Clock::now();
  const auto model = load(file);
  const double load = ms_since(begin);
  Session session(model, {.batch = a.batch});
  const std::vector<float> input = bench_input(a, *model);
  const Clock::time_point first_begin = Clock::now();
  session.run(input, a.batch);
  const double first = ms_since(first_begin);
  return {.file = file, .load = load, .first = first, .best = best_ms(session, input, a)};
}

// What `spikenm plot points --with` reads. A run's file is called as its folder is: runs/a.snm.
std::string csv_of(const std::vector<Timing>& timings) {
  std::string text = report::csv_line({"run", "milliseconds"});
  for (const Timing& t : timings) {
    std::filesystem::path run = t.file;
    if (run.extension() == ".snm") run.replace_extension();
    text += report::csv_line({run.string(), fmt::format("{}", t.best)});
  }
  return text;
}

Json layer_json(const Model& model, size_t index) {
  const runtime::Layer& layer = model.program().layers[index];
  const runtime::ModelLayer& own = model.layer(index);
  return {{"layer", model.graph().node(layer.synapse).name},
          {"pattern", own.pattern},
          {"type", runtime::weight_type_name(own.type)},
          {"weights", own.weights},
          {"stored", own.stored},
          {"kernel", own.plan.kernel},
          {"reason", own.plan.reason}};
}

}  // namespace

void classify(const Arguments& a) {
  const auto model = load(a.model);
  Session session(model);
  Json all = Json::array();
  for (const std::string& file : a.files) {
    throw_if_interrupted("while " + file + " was to be read");
    const std::span<const float> scores = session.run(read_sample(file, *model));
    const int64_t label = runtime::largest(scores);
    all.push_back({{"file", file},
                   {"label", label},
                   {"class", class_of(*model, label)},
                   {"scores", std::vector<float>(scores.begin(), scores.end())}});
    if (!a.json)
      show("{}: {} ({:.4g})\n", file, class_of(*model, label), scores[static_cast<size_t>(label)]);
  }
  if (a.json) show_json(all);
}

void measure(const Arguments& a) {
  const auto model = load(a.model);
  std::string text = "[data]\n";
  Config config = Config::from_text(text, "spikenm-run");
  config.override_with("data.name=" + a.data);
  if (!a.root.empty()) config.override_with("data.root=" + a.root);
  const runtime::InputEncoding& input = model->input();
  if (input.events) {
    config.override_with(input.frames_by_time ? "data.frames_by=time" : "data.frames_by=number");
    config.override_with(input.binary ? "data.frame_values=binary" : "data.frame_values=counts");
    if (input.resize > 0) config.override_with("data.resize=" + std::to_string(input.resize));
  }
  for (const std::string& each : a.overrides) config.override_with("data." + each);
  const auto dataset = data::open_dataset(
      config.section("data"), {.frames = model->steps(), .extent = data::Extent::kTest});
  const data::DatasetInfo& info = dataset->info();
  const graph::FrameShape& frame = model->graph().frame();
  SPIKENM_CHECK(info.channels == frame.channels && info.height == frame.height &&
                    info.width == frame.width && info.classes == model->classes(),
                "{}: found {}x{}x{} frames and {} classes, wanted {}x{}x{} and {}", a.data,
                info.channels, info.height, info.width, info.classes, frame.channels, frame.height,
                frame.width, model->classes());
  graph::check_class_names(model->graph(), info.class_names, a.model);

  const data::View view = data::test_view(dataset);
  const int64_t count = a.limit > 0 ? std::min(a.limit, view.size()) : view.size();
  Session session(model);
  std::vector<float> sample(static_cast<size_t>(info.sample_size()));
  int64_t correct = 0;
  double ms = 0;
  for (int64_t i = 0; i < count; ++i) {
    throw_if_interrupted("while measuring");
    sample.resize(static_cast<size_t>(info.sample_size()));
    view.read(i, sample.data());
    normalize(sample, *model);
    const Clock::time_point begin = Clock::now();
    correct += runtime::largest(session.run(sample)) == view.label(i);
    ms += ms_since(begin);
  }
  const double accuracy =
      100.0 * static_cast<double>(correct) / static_cast<double>(std::max<int64_t>(1, count));
  if (a.json)
    return show_json({{"samples", count},
                      {"correct", correct},
                      {"accuracy", accuracy},
                      {"ms_per_sample", ms / static_cast<double>(std::max<int64_t>(1, count))}});
  show("{}: {:.2f} % of {} samples, {:.3f} ms each\n", a.data, accuracy, count,
       ms / static_cast<double>(std::max<int64_t>(1, count)));
}

void bench(const Arguments& a) {
  std::vector<Timing> timings{time_model(a, a.model)};
  for (const std::string& file : a.more_models) timings.push_back(time_model(a, file));
  if (a.csv) return show_text(csv_of(timings));
  Json all = Json::array();
  for (const Timing& t : timings)
    all.push_back({{"model", t.file},
                   {"load_ms", t.load},
                   {"first_ms", t.first},
                   {"ms_per_sample", t.best},
                   {"batch", a.batch},
                   {"threads", threads()},
                   {"isa", isa_name(active_isa())}});
  if (a.json) return show_json(all.size() == 1 ? all[0] : all);
  for (const Timing& t : timings)
    show(
        "{}: {:.3f} ms a sample (batch {}, {} threads, {}, best of {}); loaded in {:.1f} ms, first "
        "answer {:.1f} ms\n",
        t.file, t.best, a.batch, threads(), isa_name(active_isa()), a.rounds, t.load, t.first);
}

void inspect(const Arguments& a) {
  const auto model = load(a.model);
  std::error_code error;
  const auto bytes = std::filesystem::file_size(a.model, error);
  Json layers = Json::array();
  int64_t weights = 0;
  for (size_t i = 0; i < model->program().layers.size(); ++i) {
    layers.push_back(layer_json(*model, i));
    weights += model->layer(i).weights;
  }
  if (a.json)
    return show_json({{"network", model->graph().name()},
                      {"steps", model->steps()},
                      {"classes", model->graph().classes()},
                      {"bytes", error ? 0 : bytes},
                      {"weights", weights},
                      {"provenance", model->provenance()},
                      {"layers", layers}});
  show("{}: {}, {} steps of {}, {} classes, {} bytes: 1/{:.1f} of {} floats\n", a.model,
       model->graph().name(), model->steps(), model->graph().node(0).out.text(), model->classes(),
       bytes, 4.0 * static_cast<double>(weights) / static_cast<double>(bytes), weights);
  for (const auto& [key, value] : model->provenance().items())
    show("  {}: {}\n", key, value.dump());
  for (const Json& layer : layers)
    show("  {:<20} {:<6} {:<5} {:>10} of {:>10} weights  {}\n", layer["layer"].get<std::string>(),
         layer["pattern"].get<std::string>(), layer["type"].get<std::string>(),
         layer["stored"].get<int64_t>(), layer["weights"].get<int64_t>(),
         layer["kernel"].get<std::string>());
}

void profile(const Arguments& a) {
  const auto model = load(a.model);
  Session session(model, {.batch = a.batch});
  const std::vector<float> input = bench_input(a, *model);
  const std::vector<runtime::Step>& steps = model->program().steps;
  std::vector<double> best(steps.size(), 1e30);
  size_t at = 0;
  Clock::time_point began;
  session.watch([&](const runtime::Step&, bool begins) {
    if (begins)
      began = Clock::now();
    else if (const double took = ms_since(began); at < best.size())
      best[at] = std::min(best[at], took), ++at;
  });
  for (int64_t round = 0; round <= a.rounds; ++round) {
    throw_if_interrupted("while timing");
    at = 0;
    session.run(input, a.batch);
  }

  Json rows = Json::array();
  for (size_t i = 0; i < steps.size(); ++i) {
    const runtime::Step& step = steps[i];
    Json row = step.kind == runtime::Step::Kind::kLayer
                   ? layer_json(*model, step.layer)
                   : Json{{"layer", model->graph().node(step.node).name}};
    row["ms"] = best[i] / static_cast<double>(a.batch);
    if (model->program().forms[step.node] == runtime::Form::kBits)
      row["rate"] = session.firing_rate(step.node);
    rows.push_back(row);
  }
  if (a.json) return show_json(rows);
  for (const Json& row : rows) {
    show("{:<20} {:>9.3f} ms", row["layer"].get<std::string>(), row["ms"].get<double>());
    if (row.contains("rate")) show("  fires {:>5.2f} %", 100 * row["rate"].get<double>());
    if (row.contains("kernel"))
      show("  {} {}, {} of {} weights: {} ({})", row["pattern"].get<std::string>(),
           row["type"].get<std::string>(), row["stored"].get<int64_t>(),
           row["weights"].get<int64_t>(), row["kernel"].get<std::string>(),
           row["reason"].get<std::string>());
    show("\n");
  }
}

}  // namespace spikenm::run
