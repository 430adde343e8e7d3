#include "spikenm/graph/graph_json.h"

#include "spikenm/core/text.h"
#include "spikenm/graph/operation_json.h"

namespace spikenm::graph {
namespace {

// Errors of the graph itself begin with a node's name; this puts the file's name before it.
template <class Body>
auto naming_source(const std::string& source, Body&& body) {
  try {
    return body();
  } catch (const Error& e) {
    fail("{}: {}", source, e.what());
  }
}

void check_utf8(const Graph& graph) {
  try {
    for (const std::string& name : graph.classes()) static_cast<void>(Json(name).dump());
  } catch (const Json::exception&) {
    fail("{}: found a class whose name is not UTF-8, wanted text that a file can hold",
         graph.name());
  }
}

Json node_to_json(const Graph& graph, const Node& node) {
  Json inputs = Json::array();
  for (const NodeId input : node.inputs) inputs.push_back(graph.node(input).name);

  Json table{{"name", node.name}};
  const Json operation = operation_to_json(node.operation);
  for (const auto& [key, value] : operation.items()) {
    table[key] = value;
    if (key == "op") table["inputs"] = inputs;
  }
  return table;
}

class GraphReading {
 public:
  GraphReading(const Json& json, const std::string& source)
      : source_(source), table_(json, source) {}

  Graph read() {
    check_format();
    Graph graph = empty_graph();
    nodes_ = table_.find("node");
    table_.reject_unread();

    SPIKENM_CHECK(nodes_ != nullptr && nodes_->is_array() && !nodes_->empty(),
                  "{}: node: found {}, wanted a list of nodes", source_,
                  nodes_ == nullptr ? "none" : brief(*nodes_));
    for (size_t at = 0; at < nodes_->size(); ++at) add_node(graph, at);
    naming_source(source_, [&] { graph.finish(); });
    return graph;
  }

 private:
  void check_format() {
    const auto format = table_.need<std::string>("format", "\"spikenm-graph\"");
    SPIKENM_CHECK(format == kGraphFormat, "{}: format: found '{}', wanted '{}'", source_,
                  brief(format), kGraphFormat);
    const auto version = table_.need<int64_t>("version", "1");
    SPIKENM_CHECK(version == kGraphVersion, "{}: version: found {}, wanted {}", source_, version,
                  kGraphVersion);
  }

  Graph empty_graph() {
    auto name = table_.need<std::string>("name", "the network's name");
    const auto frame = table_.need<std::vector<int64_t>>("frame", "[channels, height, width]");
    SPIKENM_CHECK(frame.size() == 3,
                  "{}: frame: found {} numbers, wanted [channels, height, width]", source_,
                  frame.size());
    auto classes = table_.need<std::vector<std::string>>("classes", "a list of names");
    return naming_source(source_, [&] {
      return Graph(std::move(name), {frame[0], frame[1], frame[2]}, std::move(classes));
    });
  }

  void add_node(Graph& graph, size_t at) {
    const Json& node = (*nodes_)[at];
    const std::string unnamed = fmt::format("{}: node {}", source_, at + 1);
    const auto name = FileTable(node, unnamed).need<std::string>("name", "one of its own");

    FileTable table(node, fmt::format("{}: {}", source_, brief(name)));
    static_cast<void>(table.find("name"));
    const Operation operation = parse_operation(table);
    std::vector<NodeId> inputs = read_inputs(graph, table, at);
    table.reject_unread();
    naming_source(source_, [&] { graph.add(name, operation, std::move(inputs)); });
  }

  [[nodiscard]] std::vector<NodeId> read_inputs(const Graph& graph, FileTable& table,
                                                size_t at) const {
    const std::string& before = graph.nodes().back().name;
    std::vector<NodeId> ids;
    for (const std::string& input : table.get<std::vector<std::string>>("inputs", {before})) {
      const std::optional<NodeId> id = graph.find(input);
      if (!id) refuse_input(graph, table.where(), input, at);
      ids.push_back(*id);
    }
    return ids;
  }

  [[noreturn]] void refuse_input(const Graph& graph, const std::string& where,
                                 const std::string& input, size_t at) const {
    for (size_t below = at; below < nodes_->size(); ++below) {
      const Json& node = (*nodes_)[below];
      const auto name = node.is_object() ? node.find("name") : node.end();
      SPIKENM_CHECK(name == node.end() || *name != input,
                    "{}: inputs: found '{}', which does not stand above it; a node reads only "
                    "nodes above it, so that there are no cycles",
                    where, brief(input));
    }

    std::vector<std::string> names;
    for (const Node& node : graph.nodes()) names.push_back(node.name);
    fail("{}: inputs: found '{}', wanted the name of a node above it (nearest: {})", where,
         brief(input), nearest(input, names));
  }

  const std::string& source_;
  FileTable table_;
  const Json* nodes_ = nullptr;
};

}  // namespace

Json graph_to_json(const Graph& graph) {
  check_utf8(graph);
  const FrameShape& frame = graph.frame();
  Json json{{"format", kGraphFormat},
            {"version", kGraphVersion},
            {"name", graph.name()},
            {"frame", {frame.channels, frame.height, frame.width}},
            {"classes", graph.classes()}};

  Json nodes = Json::array();
  for (NodeId id = 1; id < graph.nodes().size(); ++id)
    nodes.push_back(node_to_json(graph, graph.node(id)));
  json["node"] = std::move(nodes);
  return json;
}

Graph graph_from_json(const Json& json, const std::string& source) {
  return GraphReading(json, source).read();
}

}  // namespace spikenm::graph
