#include "graph_file.h"

#include "spikenm/core/file.h"
#include "spikenm/core/json_text.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/core/show.h"
#include "spikenm/graph/drawing.h"
#include "spikenm/graph/graph_json.h"
#include "spikenm/graph/graph_toml.h"
#include "spikenm/metrics/sparsity_audit.h"

namespace spikenm::cli {
namespace {

namespace fs = std::filesystem;

// Notes the mean spikes per neuron and step of each layer, by name, as the run measured them.
void note_rates(const graph::Graph& graph, const fs::path& run, graph::Annotations& notes) {
  std::error_code error;
  const fs::path file = run / RunDir::kResult;
  if (run.empty() || !fs::exists(file, error)) return;
  const Json result = parse_json_object(read_file(file), file.string());
  const auto rates = result.find("firing_rate");
  if (rates == result.end() || !rates->is_object()) return;

  for (const auto& [layer, rate] : rates->items()) {  // one of them is the mean of all
    const auto node = graph.find(layer);
    if (node && graph.node(*node).as<graph::Neuron>() != nullptr && rate.is_number())
      notes.notes[layer].push_back(fmt::format("rate {:.3f}", rate.get<double>()));
  }
}

graph::Annotations annotate(const train::ModelRecipe& model, const sparsity::Masks* masks,
                            const fs::path& run) {
  graph::Annotations notes;
  for (const sparsity::MaskableLayer& layer : model.method->layers())
    notes.notes[layer.synapse->name].push_back(layer.rule_text());
  if (masks == nullptr) return notes;
  const metrics::SparsityAudit audit = metrics::audit_network(*model.network, masks->weights);
  for (const metrics::LayerAudit& layer : audit.layers)
    notes.notes[layer.name].push_back(fmt::format(
        "{:.1f} % kept",
        100 * static_cast<double>(layer.audit.kept) / static_cast<double>(layer.audit.weights)));
  note_rates(model.network->graph(), run, notes);
  return notes;
}

}  // namespace

void write_graph_file(const std::string& file, const train::ModelRecipe& model,
                      const sparsity::Masks* masks, const fs::path& run) {
  const graph::Graph& graph = model.network->graph();
  const std::string ending = fs::path(file).extension().string();
  if (file == "-") return show_text(graph::to_toml(graph));
  if (ending == ".toml") {
    write_file_atomically(file, graph::to_toml(graph));
  } else if (ending == ".json") {
    write_file_atomically(file, graph::graph_to_json(graph).dump(1) + "\n");
  } else if (ending == ".svg") {
    write_file_atomically(file, graph::draw_svg(graph, annotate(model, masks, run)));
  } else {
    fail("--graph: found '{}', wanted a name that ends in .toml, .json or .svg, or -", file);
  }
}

}  // namespace spikenm::cli
