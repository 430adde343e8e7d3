#include "commands.h"
#include "config_options.h"

#include "spikenm/metrics/connectivity.h"
#include "spikenm/metrics/sparsity_audit.h"
#include "spikenm/report/table.h"
#include "spikenm/train/model_file.h"

#include <cstdio>
#include <memory>

namespace spikenm::cli {
namespace {

struct InspectArguments {
  std::string model;
  ConfigOptions config;
};

const sparsity::LayerMask* mask_of(const std::vector<sparsity::LayerMask>& masks,
                                   const nn::Synapse& synapse) {
  for (const sparsity::LayerMask& m : masks) {
    if (m.synapse == &synapse) return &m;
  }
  return nullptr;
}

// One row a layer; without masks (a config that was not trained) the columns of a mask show its
// rule.
std::string layer_table(train::Recipe& recipe, const std::vector<sparsity::LayerMask>& masks) {
  const data::DatasetInfo& info = recipe.model.dataset->info();
  nn::Network& network = *recipe.model.network;
  const metrics::Connectivity connections =
      metrics::count_connections(network, masks, info.channels, info.height, info.width);
  std::vector<std::vector<std::string>> rows;
  size_t i = 0;
  int64_t weights = 0;
  for (const nn::Synapse& synapse : network.synapses()) {
    const nm::WeightShape s = synapse.shape();
    const metrics::LayerConnections& c = connections.layers[i++];
    std::vector<std::string> row{synapse.name,
                                 fmt::format("{}x{}x{}x{}", s.cout, s.cin, s.kh, s.kw),
                                 fmt::format("{}", s.numel()), fmt::format("{:.0f}", c.dense)};
    weights += s.numel();
    const sparsity::MaskableLayer* layer = nullptr;
    for (const auto& l : recipe.model.method->layers()) {
      if (l.synapse == &synapse) layer = &l;
    }
    if (layer == nullptr) {
      row.insert(row.end(), {"dense", "", "", "", ""});
    } else {
      row.push_back(layer->pattern.text());
      row.push_back(fmt::format("{}", layer->layout.n_blocks));
      row.push_back(fmt::format("{}", layer->layout.tail()));
      const sparsity::LayerMask* m = mask_of(masks, synapse);
      const nm::MaskAudit audit = m != nullptr ? nm::audit(m->mask) : nm::MaskAudit{};
      row.push_back(m == nullptr ? ""
                                 : fmt::format("{:.2f}", 100.0 * static_cast<double>(audit.kept) /
                                                             static_cast<double>(audit.weights)));
      row.push_back(m == nullptr ? "" : fmt::format("{}", audit.empty_blocks));
    }
    rows.push_back(std::move(row));
  }
  std::string text = report::format_table(
      {"layer", "shape", "weights", "connections", "pattern", "blocks", "tail", "kept %", "empty"},
      rows);
  return text + fmt::format("\n{} weights, {:.0f} dense connections", weights, connections.dense());
}

void inspect(const InspectArguments& a) {
  if (a.model.empty()) {
    train::Recipe recipe = train::read_recipe(a.config.load());
    fmt::print("{}\n", layer_table(recipe, {}));
    return;
  }
  train::LoadedModel model = train::load_model(a.model, a.config.overrides);
  const metrics::SparsityAudit audit = metrics::audit_masks(model.masks);
  fmt::print("{}; weight {:.2f} %, N:M {}\n", layer_table(model.recipe, model.masks),
             audit.weight_percent(), audit.valid() ? "valid" : "VIOLATED");
}

}  // namespace

std::function<void()> setup_inspect(CLI::App& app) {
  auto a = std::make_shared<InspectArguments>();
  app.add_option("model", a->model, "run folder or model file; leave out to inspect a config");
  app.add_option("--config,-c", a->config.file, "TOML file of a network that is not trained yet");
  app.add_option("--set", a->config.overrides, "a.b=value over the config");
  app.footer(
      "Examples:\n"
      "  spikenm inspect runs/a\n"
      "  spikenm inspect --config configs/demo/spikenm_2x4.toml --set method.pattern=2:16");
  return [a] {
    if (!a->model.empty() && !a->config.file.empty())
      throw UsageError("inspect: give a model or --config, not both");
    inspect(*a);
  };
}

}  // namespace spikenm::cli
