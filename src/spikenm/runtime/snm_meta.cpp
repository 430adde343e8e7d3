#include "spikenm/runtime/snm_meta.h"

#include "spikenm/graph/file_table.h"

#include <cmath>

namespace spikenm::runtime {
namespace {

using graph::FileTable;
using graph::NodeId;

constexpr int64_t kMostSteps = 10'000;

Json weight_to_json(const SynapseTensor& tensor) {
  Json json{{"type", weight_type_name(tensor.type)}};
  if (tensor.as_bits) json["stored"] = "bits";
  if (!tensor.rule) return json;
  json["pattern"] = tensor.rule->pattern.text();
  json["share"] = tensor.rule->pattern.share;
  json["axis"] = nm::axis_name(tensor.rule->axis);
  json["share_taps"] = tensor.rule->share_taps;
  return json;
}

WeightMeta read_weight(FileTable& table) {
  WeightMeta meta;
  meta.type =
      parse_weight_type(table.need<std::string>("type", "fp32 or int8"), table.where() + ": type");
  const auto pattern = table.get<std::string>("pattern", "");
  meta.as_bits = table.choice("stored", "values", {"values", "bits"}) == 1;
  SPIKENM_CHECK(!meta.as_bits || pattern.empty(),
                "{}: stored: found bits beside the pattern {}, wanted one of them", table.where(),
                pattern);
  if (pattern.empty()) return meta;
  const auto share = table.get<int64_t>("share", 1);
  SPIKENM_CHECK(share >= 1 && share <= 1 << 24, "{}: share: found {}, wanted 1 to {}",
                table.where(), share, 1 << 24);
  meta.rule = WeightRule{
      .pattern =
          nm::NmPattern::parse(pattern, table.where() + ": pattern", static_cast<int>(share)),
      .axis = nm::parse_axis(table.get<std::string>("axis", "in"), table.where() + ": axis"),
      .share_taps = table.get<bool>("share_taps", false)};
  return meta;
}

Json input_to_json(const InputEncoding& input) {
  return {{"kind", input.events ? "events" : "image"},
          {"mean", input.mean},
          {"std", input.std},
          {"frames_by", input.frames_by_time ? "time" : "number"},
          {"frame_values", input.binary ? "binary" : "counts"},
          {"resize", input.resize}};
}

InputEncoding read_input(const Json& json, const std::string& where, int64_t channels) {
  FileTable table(json, where);
  InputEncoding input;
  input.events = table.choice("kind", nullptr, {"image", "events"}) == 1;
  input.mean = table.get<std::vector<double>>("mean", {});
  input.std = table.get<std::vector<double>>("std", {});
  const auto wanted = static_cast<size_t>(channels);
  SPIKENM_CHECK(
      input.mean.size() == input.std.size() && (input.mean.empty() || input.mean.size() == wanted),
      "{}: found {} means and {} deviations, wanted none or {} of each", where, input.mean.size(),
      input.std.size(), wanted);
  for (size_t c = 0; c < input.mean.size(); ++c)
    SPIKENM_CHECK(std::isfinite(input.mean[c]) && std::isfinite(input.std[c]) && input.std[c] > 0,
                  "{}: found the mean {} and deviation {}, wanted finite ones and more than 0",
                  where, input.mean[c], input.std[c]);
  input.frames_by_time = table.choice("frames_by", "number", {"number", "time"}) == 1;
  input.binary = table.choice("frame_values", "counts", {"counts", "binary"}) == 1;
  input.resize = table.get<int64_t>("resize", 0);
  SPIKENM_CHECK(input.resize >= 0 && input.resize <= 4096, "{}: resize: found {}, wanted 0 to 4096",
                where, input.resize);
  table.reject_unread();
  return input;
}

const Json& object_in(FileTable& table, const char* key) {
  static const Json empty = Json::object();
  const Json* const found = table.find(key);
  if (found == nullptr) return empty;
  SPIKENM_CHECK(found->is_object(), "{}: {}: found {}, wanted an object", table.where(), key,
                graph::brief(*found));
  return *found;
}

// The nodes of the graph that `table`'s object names by key, each of which must be a T.
template <class T, class Read>
void each_node(FileTable& table, const char* key, const graph::Graph& graph, const Read& read) {
  for (const auto& [name, value] : object_in(table, key).items()) {
    const std::string where = fmt::format("{}: {}: {}", table.where(), key, graph::brief(name));
    const std::optional<NodeId> id = graph.find(name);
    SPIKENM_CHECK(id && graph.node(*id).as<T>() != nullptr, "{}: the graph has no such node",
                  where);
    FileTable entry(value, where);
    read(*id, entry);
    entry.reject_unread();
  }
}

void read_neuron(StoredModel& model, Meta& meta, NodeId id, FileTable& table) {
  if (graph::traits_of(model.graph.node(id).as<graph::Neuron>()->params.neuron).learns_leak) {
    const auto k = table.need<double>("leak", "the leak it learnt");
    SPIKENM_CHECK(k > 0 && k <= 1, "{}: leak: found {}, wanted more than 0 and at most 1",
                  table.where(), k);
    model.leaks[id] = k;
  }
  if (table.find("rate") != nullptr) {
    const auto rate = table.need<double>("rate", "how often it fired");
    SPIKENM_CHECK(rate >= 0 && rate <= 1, "{}: rate: found {}, wanted 0 to 1", table.where(), rate);
    model.rates[id] = rate;
  }
  if (table.get<bool>("masked", false)) meta.masked.insert(id);
}

}  // namespace

Json meta_to_json(const StoredModel& model) {
  Json weights = Json::object(), neurons = Json::object();
  for (const auto& [id, tensor] : model.synapses)
    weights[model.graph.node(id).name] = weight_to_json(tensor);
  for (NodeId id = 0; id < model.graph.nodes().size(); ++id) {
    if (model.graph.node(id).as<graph::Neuron>() == nullptr) continue;
    Json neuron = Json::object();
    if (model.leaks.contains(id)) neuron["leak"] = model.leaks.at(id);
    if (model.rates.contains(id)) neuron["rate"] = model.rates.at(id);
    if (model.neuron_masks.contains(id)) neuron["masked"] = true;
    if (!neuron.empty()) neurons[model.graph.node(id).name] = neuron;
  }
  return {{"steps", model.steps},
          {"input", input_to_json(model.input)},
          {"weights", weights},
          {"neurons", neurons},
          {"provenance", model.provenance}};
}

Meta meta_from_json(const Json& json, const std::string& source, StoredModel& model) {
  FileTable table(json, source);
  model.steps = table.need<int64_t>("steps", "the time steps of a sample");
  SPIKENM_CHECK(model.steps >= 1 && model.steps <= kMostSteps,
                "{}: steps: found {}, wanted 1 to {}", source, model.steps, kMostSteps);
  model.input =
      read_input(object_in(table, "input"), source + ": input", model.graph.frame().channels);
  model.provenance = object_in(table, "provenance");

  Meta meta;
  each_node<graph::Synapse>(table, "weights", model.graph, [&](NodeId id, FileTable& entry) {
    meta.weights[id] = read_weight(entry);
  });
  each_node<graph::Neuron>(table, "neurons", model.graph, [&](NodeId id, FileTable& entry) {
    read_neuron(model, meta, id, entry);
  });
  table.reject_unread();

  for (NodeId id = 0; id < model.graph.nodes().size(); ++id) {
    const graph::Node& node = model.graph.node(id);
    SPIKENM_CHECK(node.as<graph::Synapse>() == nullptr || meta.weights.contains(id),
                  "{}: weights: found nothing about '{}'", source, node.name);
    const auto* const neuron = node.as<graph::Neuron>();
    SPIKENM_CHECK(neuron == nullptr || !graph::traits_of(neuron->params.neuron).learns_leak ||
                      model.leaks.contains(id),
                  "{}: neurons: found no leak of '{}'", source, node.name);
  }
  return meta;
}

}  // namespace spikenm::runtime
