#include "commands.h"
#include "config_options.h"
#include "frame_option.h"
#include "graph_file.h"
#include "path_option.h"
#include "weight_text.h"

#include "spikenm/core/run_dir.h"
#include "spikenm/core/say.h"
#include "spikenm/core/show.h"
#include "spikenm/graph/walks.h"
#include "spikenm/metrics/sparsity_audit.h"
#include "spikenm/report/table.h"
#include "spikenm/sparsity/connectivity.h"
#include "spikenm/train/model_file.h"

#include <algorithm>
#include <memory>

namespace spikenm::cli {
namespace {

struct InspectArguments {
  std::string model, frame, graph;
  ConfigOptions config;
};

// All that is known about a layer; null where nothing is known.
struct Layer {
  const nn::Synapse* synapse = nullptr;
  const sparsity::LayerConnections* connections = nullptr;  // null: not counted
  const sparsity::MaskableLayer* rule = nullptr;
  const metrics::LayerAudit* kept = nullptr;
  const metrics::NeuronCount* neurons = nullptr;  // the first that it reaches and that are masked
};

std::string percent(double part, double whole) {
  return fmt::format("{:.2f}", 100 * part / whole);
}

std::string percent_kept(const nm::MaskAudit& audit) {
  return percent(static_cast<double>(audit.kept), static_cast<double>(audit.weights));
}

bool has_blocks(const Layer& layer) {
  return layer.rule != nullptr && layer.rule->rule == nm::Mask::Kind::kNm;
}

struct Column {
  const char* title;
  std::string (*cell)(const Layer&);
};

const std::vector<Column> kNetworkColumns{
    {"layer", [](const Layer& l) { return l.synapse->name; }},
    {"shape",
     [](const Layer& l) {
       const nm::WeightShape s = l.synapse->shape();
       return fmt::format("{}x{}x{}x{}", s.cout, s.cin, s.kh, s.kw);
     }},
    {"weights", [](const Layer& l) { return fmt::format("{}", l.synapse->weight.numel()); }},
    {"connections",
     [](const Layer& l) {
       return l.connections ? fmt::format("{:.0f}", l.connections->dense) : "not counted";
     }},
    {"pattern", [](const Layer& l) { return l.rule ? l.rule->rule_text() : "dense"; }},
    {"blocks",
     [](const Layer& l) {
       return has_blocks(l) ? fmt::format("{}", l.rule->layout.n_blocks) : "";
     }},
    {"tail",
     [](const Layer& l) { return has_blocks(l) ? fmt::format("{}", l.rule->layout.tail()) : ""; }}};

// Only for a trained network.
const std::vector<Column> kMaskColumns{
    {"kept %", [](const Layer& l) { return l.kept ? percent_kept(l.kept->audit) : ""; }},
    {"empty",
     [](const Layer& l) {
       return l.kept && has_blocks(l) ? fmt::format("{}", l.kept->audit.empty_blocks) : "";
     }},
    {"alive", [](const Layer& l) {
       return l.connections ? fmt::format("{:.10g}", l.connections->alive) : "";
     }}};

const Column kNeuronColumn{"neurons %", [](const Layer& l) {
                             return l.neurons ? fmt::format("{:.2f}", l.neurons->percent()) : "";
                           }};

template <class List, class Matches>
auto find_in(const List& list, Matches&& matches) {
  const auto it = std::find_if(list.begin(), list.end(), matches);
  return it == list.end() ? nullptr : &*it;
}

// One row per layer and a line of sums. A config that was not trained has no masks (null).
std::string describe(const train::ModelRecipe& model, const sparsity::Masks* masks) {
  const sparsity::Masks known = masks != nullptr ? *masks : sparsity::Masks{};
  nn::Network& network = *model.network;
  const sparsity::Connectivity connections = sparsity::count_connections(network, known);
  const metrics::SparsityAudit audit = metrics::audit_network(network, known.weights);
  const metrics::NeuronAudit neurons = metrics::audit_neurons(known.neurons);
  std::vector<Column> columns = kNetworkColumns;
  if (masks != nullptr) columns.insert(columns.end(), kMaskColumns.begin(), kMaskColumns.end());
  if (!known.neurons.empty()) columns.push_back(kNeuronColumn);

  std::vector<std::string> titles;
  for (const Column& column : columns) titles.emplace_back(column.title);
  const auto reaches = [&](graph::NodeId synapse, const std::string& neurons_name) {
    return std::ranges::any_of(
        graph::reached_neurons(network.graph(), synapse),
        [&](graph::NodeId id) { return network.graph().node(id).name == neurons_name; });
  };
  std::vector<std::vector<std::string>> rows;
  int64_t weights = 0;
  for (const nn::Synapse& s : network.synapses()) {
    const auto named = [&](const auto& l) { return l.name == s.name; };
    const Layer layer{
        .synapse = &s,
        .connections = find_in(connections.layers, named),
        .rule = find_in(model.method->layers(), [&](auto& l) { return l.synapse == &s; }),
        .kept = find_in(audit.layers, named),
        .neurons = find_in(neurons.layers, [&](auto& n) { return reaches(s.node, n.name); })};
    auto& row = rows.emplace_back();
    for (const Column& column : columns) row.push_back(column.cell(layer));
    if (layer.connections != nullptr) weights += s.weight.numel();
  }

  std::string text = report::format_table(titles, rows);
  text += fmt::format("\n{} weights, {:.0f} dense connections", weights, connections.dense());
  if (masks == nullptr) return text;
  text += fmt::format("; {}, conn {:.2f} %",
                      weight_text(audit.weight_percent(), audit.weight_percent_all()),
                      connections.percent());
  if (!known.neurons.empty()) text += fmt::format(", neurons {:.2f} %", neurons.percent());
  const bool all_blocks = std::ranges::all_of(
      audit.layers, [](const auto& layer) { return layer.rule == nm::Mask::Kind::kNm; });
  return text +
         fmt::format(", {} {}", all_blocks ? "N:M" : "masks", audit.valid() ? "valid" : "VIOLATED");
}

void say_notes(const train::Recipe& recipe) {
  for (const std::string& note : recipe.notes) say("note: " + note);
}

// The folder whose result describes this model; empty if there is none.
std::filesystem::path run_of(const std::string& model) {
  const std::filesystem::path path(model);
  if (path.extension() != ".safetensors") return path;
  if (path.filename() != RunDir::kModel) return {};
  return path.has_parent_path() ? path.parent_path() : ".";
}

// Prints the table, and writes the graph if it is asked for. TOML is printed without the table.
void show_network(const InspectArguments& a, const train::ModelRecipe& model,
                  const sparsity::Masks* masks) {
  if (!a.graph.empty()) write_graph_file(a.graph, model, masks, run_of(a.model));
  if (a.graph != "-") show("{}\n", describe(model, masks));
}

void inspect(const InspectArguments& a) {
  if (!a.model.empty()) {
    const train::LoadedModel model =
        train::load_model(a.model, a.config.overrides, train::Purpose::kDescribe);
    say_notes(model.recipe);
    show_network(a, model.recipe.model, &model.masks);
  } else if (!a.frame.empty()) {
    const auto [channels, height, width, classes] = parse_frame(a.frame);
    show_network(a,
                 train::read_model(a.config.load(), {channels, height, width}, classes,
                                   train::Purpose::kDescribe),
                 nullptr);
  } else {
    const train::Recipe recipe =
        train::read_recipe(a.config.load(), {.purpose = train::Purpose::kDescribe});
    say_notes(recipe);
    show_network(a, recipe.model, nullptr);
  }
}

}  // namespace

std::function<void()> setup_inspect(CLI::App& app) {
  auto a = std::make_shared<InspectArguments>();
  as_path(
      app.add_option("model", a->model, "run folder or model file; leave out to inspect a config"));
  as_path(app.add_option("--config,-c", a->config.file,
                         "TOML file of a network that is not trained yet"));
  app.add_option("--set", a->config.overrides, "a.b=value over the config");
  app.add_option(
      "--frame", a->frame,
      "CxHxWxK, channels, height, width and classes: inspects a config without its data");
  app.add_option(
      "--graph", a->graph,
      "writes the network to FILE: .toml or .json, which [model] file trains from; .svg, a "
      "drawing; - prints TOML");

  app.footer(
      "Examples:\n"
      "  spikenm inspect runs/a\n"
      "  spikenm inspect runs/a --graph net.svg\n"
      "  spikenm inspect --frame 3x32x32x10 --set model.name=vggsnn --graph net.toml\n"
      "  spikenm inspect --config configs/demo/spikenm_2x4.toml --set method.pattern=2:16\n"
      "  spikenm inspect --frame 3x32x32x10 --set model.name=6conv2fc method.pattern=2:8");
  return [a] {
    if (!a->model.empty() && !(a->config.file.empty() && a->frame.empty()))
      throw UsageError("inspect: give a model, or --config and --frame, not both");
    inspect(*a);
  };
}

}  // namespace spikenm::cli
