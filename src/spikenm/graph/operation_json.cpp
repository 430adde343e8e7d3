#include "spikenm/graph/operation_json.h"

namespace spikenm::graph {
namespace {

const std::vector<std::string>& reset_names() {
  static const std::vector<std::string> names{"hard", "soft"};
  return names;
}

// In the order of NeuronKind.
std::vector<std::string> neuron_names() {
  std::vector<std::string> names;
  for (const NeuronTraits& kind : neuron_kinds()) names.emplace_back(kind.name);
  return names;
}

template <class Enum>
const std::string& name_of(Enum value, const std::vector<std::string>& names) {
  return names.at(static_cast<size_t>(value));
}

// Adds an operation's constants to its table.
struct Writing {
  Json& table;

  void operator()(const Synapse& synapse) const {
    const nm::WeightShape& w = synapse.shape;
    table["out"] = w.cout;
    table["kernel"] = w.kh == w.kw ? Json(w.kh) : Json{w.kh, w.kw};
    table["stride"] = synapse.geometry.stride;
    table["padding"] = synapse.geometry.padding;
    table["bias"] = synapse.bias;
    table["maskable"] = synapse.maskable;
  }

  void operator()(const Neuron& neuron) const {
    const NeuronParams& p = neuron.params;
    table["kind"] = traits_of(p.neuron).name;
    table["tau"] = neuron.tau;
    if (has_current(p.neuron)) table["tau_syn"] = neuron.tau_syn;
    table["threshold"] = p.threshold;
    table["reset"] = name_of(static_cast<int>(p.soft_reset), reset_names());
    table["v_reset"] = p.v_reset;
    table["decay_input"] = p.decay_input;
    table["detach_reset"] = p.detach_reset;
    table["surrogate"] = name_of(p.surrogate, surrogate_names());
    table["alpha"] = p.alpha;
    table["maskable"] = neuron.maskable;
  }

  void operator()(const Pool& pool) const {
    table["kind"] = name_of(pool.kind, pool_names());
    table["size"] = pool.size;
    table["stride"] = pool.stride;
    table["padding"] = pool.padding;
  }

  void operator()(const Vote& vote) const { table["voters"] = vote.voters; }

  void operator()(const auto& /*no constants*/) const {}
};

Synapse parse_synapse(FileTable& table) {
  Synapse synapse;
  synapse.shape.cout = table.need<int64_t>("out", "its output channels or features");
  synapse.shape.cin = 0;  // set by Graph::add from the input

  const auto kernel = table.get<std::vector<int64_t>>("kernel", {1});
  SPIKENM_CHECK(kernel.size() == 1 || kernel.size() == 2,
                "{}: kernel: found {} numbers, wanted one, or [height, width]", table.where(),
                kernel.size());

  synapse.shape.kh = kernel.front();
  synapse.shape.kw = kernel.back();
  synapse.geometry.stride = table.get<int64_t>("stride", 1);
  synapse.geometry.padding = table.get<int64_t>("padding", 0);
  synapse.bias = table.get<bool>("bias", false);
  synapse.maskable = table.get<bool>("maskable", true);
  return synapse;
}

// Defaults are those of [neuron] in a config.
Neuron parse_neuron(FileTable& table) {
  Neuron neuron;
  NeuronParams& p = neuron.params;
  p.neuron = neuron_kinds()[table.choice("kind", "lif", neuron_names())].kind;
  neuron.tau = table.get<double>("tau", 2);
  p.k = 1 / neuron.tau;
  if (has_current(p.neuron)) neuron.tau_syn = table.get<double>("tau_syn", 2);
  p.k_syn = 1 / neuron.tau_syn;

  p.threshold = table.get<double>("threshold", 1);
  p.soft_reset = table.choice("reset", "hard", reset_names()) == 1;
  p.v_reset = table.get<double>("v_reset", 0);
  p.decay_input = table.get<bool>("decay_input", true);
  p.detach_reset = table.get<bool>("detach_reset", true);

  p.surrogate = static_cast<Surrogate>(table.choice("surrogate", "atan", surrogate_names()));
  p.alpha = table.get<double>("alpha", usual_alpha(p.surrogate));
  neuron.maskable = table.get<bool>("maskable", false);
  return neuron;
}

Pool parse_pool(FileTable& table) {
  Pool pool;
  pool.kind = static_cast<PoolKind>(table.choice("kind", "average", pool_names()));
  pool.size = table.get<int64_t>("size", 2);
  pool.stride = table.get<int64_t>("stride", pool.size);  // windows do not overlap
  pool.padding = table.get<int64_t>("padding", 0);
  return pool;
}

// What a node of a file may be: all operations except the input.
std::vector<std::string> file_operations() {
  return {operation_names().begin() + 1, operation_names().end()};
}

}  // namespace

Json operation_to_json(const Operation& operation) {
  Json table{{"op", operation_names()[operation.index()]}};
  std::visit(Writing{table}, operation);
  return table;
}

Operation parse_operation(FileTable& table) {
  const std::vector<std::string> names = file_operations();
  const std::string& name = names[table.choice("op", nullptr, names)];
  if (name == "synapse") return parse_synapse(table);
  if (name == "norm") return Norm{};
  if (name == "neuron") return parse_neuron(table);
  if (name == "pool") return parse_pool(table);
  if (name == "sum") return Sum{};
  if (name == "flatten") return Flatten{};
  if (name == "mean") return Mean{};
  return Vote{.voters = table.get<int64_t>("voters", 1)};
}

const std::vector<std::string>& keys_always_written() {
  static const std::vector<std::string> keys{"op", "out", "kind", "size", "voters"};
  return keys;
}

}  // namespace spikenm::graph
