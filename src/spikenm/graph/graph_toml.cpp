#include "spikenm/graph/graph_toml.h"

#include "spikenm/core/file.h"
#include "spikenm/core/json_text.h"
#include "spikenm/core/toml.h"
#include "spikenm/graph/graph_json.h"
#include "spikenm/graph/operation_json.h"

namespace spikenm::graph {
namespace {

constexpr size_t kLineLength = 100;

// A value in JSON is also valid TOML, except DEL, which must be escaped in TOML.
std::string toml_value(const Json& value) {
  std::string text;
  for (const char c : value.dump()) {
    if (c == '\x7f')
      text += "\\u007f";
    else
      text += c;
  }
  return text;
}

// A list, on several lines when one line would be too long.
std::string toml_list(const Json& list) {
  std::string text = "[", line;
  for (const Json& item : list) {
    const std::string value = toml_value(item);
    if (!line.empty() && line.size() + value.size() + 4 > kLineLength) {
      text += line + ",\n ";
      line.clear();
    }
    line += (line.empty() ? "" : ", ") + value;
  }
  return text + line + "]";
}

// The constants that reading would fill in for a node of this kind.
Json defaults_of(const Json& node) {
  Json least = Json::object();
  for (const std::string& key : keys_always_written())
    if (node.contains(key)) least[key] = node[key];
  if (node.contains("surrogate")) least["surrogate"] = node["surrogate"];

  FileTable table(least, "node");
  Json defaults = operation_to_json(parse_operation(table));
  for (const std::string& key : keys_always_written()) defaults.erase(key);
  if (defaults.contains("surrogate")) defaults["surrogate"] = surrogate_names().front();
  return defaults;
}

std::string node_to_toml(const Json& json, const Node& node, const std::string& before) {
  Json table = json;
  if (table["inputs"] == Json{before}) table.erase("inputs");
  const Json defaults = defaults_of(json);
  for (const auto& [key, value] : defaults.items())
    if (table[key].dump() == value.dump()) table.erase(key);  // as text: 0.0 and -0.0 differ

  std::string text = fmt::format("\n[[node]]  # {}\n", node.out.text());
  for (const auto& [key, value] : table.items())
    text += fmt::format("{} = {}\n", key, value.is_array() ? toml_list(value) : toml_value(value));
  return text;
}

}  // namespace

std::string to_toml(const Graph& graph) {
  const Json json = graph_to_json(graph);
  std::string text =
      "# A spiking network of SpikeNM, node by node, each with what it gives. A node without "
      "inputs "
      "reads\n# the node above it; constants that are left out have their defaults.\n";
  for (const char* key : {"format", "version", "name"})
    text += fmt::format("{} = {}\n", key, toml_value(json[key]));
  for (const char* key : {"frame", "classes"})
    text += fmt::format("{} = {}\n", key, toml_list(json[key]));

  const Json& nodes = json["node"];
  for (NodeId id = 1; id < graph.nodes().size(); ++id)
    text += node_to_toml(nodes[id - 1], graph.node(id), graph.node(id - 1).name);
  return text;
}

Graph from_toml(std::string_view text, const std::string& source) {
  return graph_from_json(parse_toml(text, source), source);
}

Graph read_graph_file(const std::filesystem::path& path) {
  const std::string source = path.string(), ending = path.extension().string();
  SPIKENM_CHECK(ending == ".toml" || ending == ".json",
                "{}: found the ending '{}', wanted .toml or .json", source, ending);
  const std::string text = read_file(path);
  return ending == ".toml" ? from_toml(text, source)
                           : graph_from_json(parse_json_object(text, source), source);
}

}  // namespace spikenm::graph
