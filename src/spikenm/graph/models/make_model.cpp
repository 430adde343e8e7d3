#include "spikenm/graph/graph_json.h"
#include "spikenm/graph/graph_toml.h"
#include "spikenm/graph/models/model_keys.h"
#include "spikenm/graph/models/models.h"
#include "spikenm/graph/models/neuron_options.h"

#include <algorithm>

namespace spikenm::graph {
namespace {

const TextKey kName{"name", "small_conv", "the network", "without file"};

// Keys of [neuron] that no neuron of this network uses have no effect.
void mark_idle_keys(const Graph& graph, NeuronKind kind, const Config& config) {
  const auto any = [&](auto&& fits) {
    return std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const Node& node) {
      const auto* const neuron = node.as<Neuron>();
      return neuron != nullptr && fits(neuron->params.neuron);
    });
  };
  const bool is_used = any([&](NeuronKind other) { return other == kind; });
  const auto leaks = [](NeuronKind other) { return traits_of(other).leaks; };
  const auto chooses_input = [&](NeuronKind other) { return leaks(other) && !has_current(other); };

  // Blocks may have neurons of another kind; then neuron.name may be unused.
  if (!is_used) config.no_effect("neuron.name", {"model.name", "model.block_neuron", "model.stem"});
  const auto mark_unless = [&](const char* key, auto&& follows) {
    if (!any(follows))
      config.no_effect(key, {follows(kind) ? "model.name" : "neuron.name", "neuron.name",
                             "model.name", "model.block_neuron", "model.stem"});
  };

  mark_unless("neuron.tau", leaks);
  mark_unless("neuron.decay_input", chooses_input);
  mark_unless("neuron.tau_syn", has_current);
}

bool are_numbers(const std::vector<std::string>& classes) {
  return classes == numbered_classes(static_cast<int64_t>(classes.size()));
}

[[noreturn]] void refuse_names(const Graph& graph, const std::vector<std::string>& names,
                               const std::string& source, const char* wanted) {
  const auto [own, other] =
      std::mismatch(graph.classes().begin(), graph.classes().end(), names.begin(), names.end());
  SPIKENM_ASSERT(own != graph.classes().end() && other != names.end());
  fail("{}: class {} is '{}', and '{}' in the data; wanted {}", source,
       own - graph.classes().begin(), *own, *other, wanted);
}

// A file that numbers its classes takes the names of the data's. Names of its own must be the
// data's, in their order: what answer k means would change without a word.
Graph with_classes_of(const std::vector<std::string>& classes, Graph graph,
                      const std::string& source) {
  if (classes == graph.classes() || are_numbers(classes)) return graph;
  if (!are_numbers(graph.classes()))
    refuse_names(graph, classes, source, "its names, or numbers from 0");
  Json json = graph_to_json(graph);
  json["classes"] = classes;
  return graph_from_json(json, source);
}

// The network of [model] file, which replaces all other keys of [model] and [neuron].
Graph read_file_of(const Config& config, const FrameShape& frame,
                   const std::vector<std::string>& classes) {
  const std::filesystem::path path = kModelFile.read(config.section("model"));
  Graph graph = read_graph_file(path);
  config.overrule({"model", "neuron"}, "model.file");
  check_fits(graph, frame, classes.size(), path.string());
  return with_classes_of(classes, std::move(graph), path.string());
}

}  // namespace

void check_fits(const Graph& graph, const FrameShape& frame, size_t n_classes,
                const std::string& source) {
  const FrameShape& own = graph.frame();
  SPIKENM_CHECK(own == frame, "{}: the network takes frames of {}x{}x{}, and the data has {}x{}x{}",
                source, own.channels, own.height, own.width, frame.channels, frame.height,
                frame.width);
  SPIKENM_CHECK(graph.classes().size() == n_classes,
                "{}: the network tells {} classes apart, and the data has {}", source,
                graph.classes().size(), n_classes);
}

void check_class_names(const Graph& graph, const std::vector<std::string>& names,
                       const std::string& source) {
  if (names.empty() || names == graph.classes() || are_numbers(names) ||
      are_numbers(graph.classes()))
    return;
  refuse_names(graph, names, source, "data of the network's classes, in their order");
}

Graph make_model(const FrameShape& frame, std::vector<std::string> classes, const Config& config) {
  const Config model = config.section("model");
  if (model.has("file")) return read_file_of(config, frame, classes);
  const ModelSpec spec{.frame = frame,
                       .classes = std::move(classes),
                       .neuron = read_neuron(config.section("neuron"))};

  Graph graph = models().find(kName.read(model))(spec, model);
  model.selects("name");
  mark_idle_keys(graph, spec.neuron.params.neuron, config);
  return graph;
}

std::vector<KeyGroup> model_keys() {
  std::vector<KeyGroup> groups = keys_by_model();
  groups.insert(groups.begin(),
                {{"model", "", {&kName, &kModelFile}}, {"neuron", "", neuron_keys()}});
  return groups;
}

}  // namespace spikenm::graph
