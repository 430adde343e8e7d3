#include "spikenm/graph/graph.h"

#include "spikenm/core/error.h"
#include "spikenm/core/say.h"
#include "spikenm/graph/infer_shape.h"

#include <algorithm>

namespace spikenm::graph {
namespace {

constexpr size_t kMostNodes = 5000;
constexpr size_t kLongestName = 100;
constexpr int64_t kLargestSide = 1 << 16;
constexpr size_t kMostClasses = 1'000'000;

// A name is written unchanged into tensor files, tables and messages.
bool is_plain(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::isalnum(c) || c == '_' || c == '.' || c == '-' || c == '+';
         });
}

}  // namespace

const std::vector<std::string>& operation_names() {
  static const std::vector<std::string> names{"input", "synapse", "norm", "neuron", "pool",
                                              "sum",   "flatten", "mean", "vote"};
  return names;
}

const std::vector<std::string>& pool_names() {
  static const std::vector<std::string> names{"average", "max"};
  return names;
}

std::string Shape::text() const {
  return is_map ? fmt::format("{}x{}x{}", channels, height, width) : fmt::format("{}", channels);
}

Graph::Graph(std::string name, const FrameShape& frame, std::vector<std::string> classes)
    : name_(std::move(name)), frame_(frame), classes_(std::move(classes)) {
  SPIKENM_CHECK(is_plain(name_),
                "network: found the name '{}', wanted 1 to {} letters, digits or _ . - +",
                printable(name_.substr(0, kLongestName)), kLongestName);
  for (const int64_t side : {frame.channels, frame.height, frame.width})
    SPIKENM_CHECK(side >= 1 && side <= kLargestSide,
                  "{}: found a frame of {}x{}x{}, wanted sides of 1 to {}", name_, frame.channels,
                  frame.height, frame.width, kLargestSide);
  SPIKENM_CHECK(!classes_.empty() && classes_.size() <= kMostClasses,
                "{}: found {} classes, wanted 1 to {}", name_, classes_.size(), kMostClasses);
  nodes_.push_back({.name = "input",
                    .operation = Input{},
                    .inputs = {},
                    .out = {frame.channels, frame.height, frame.width}});
  by_name_.emplace("input", 0);
}

NodeId Graph::add(std::string name, Operation operation, std::vector<NodeId> inputs) {
  const NodeId id = nodes_.size();
  SPIKENM_CHECK(is_plain(name),
                "node {} of {}: found the name '{}', wanted 1 to {} letters, digits or _ . - +", id,
                name_, printable(name.substr(0, kLongestName)), kLongestName);
  SPIKENM_CHECK(id < kMostNodes, "{}: found {} nodes of {} before it, wanted at most {} in all",
                name, id, name_, kMostNodes);
  SPIKENM_CHECK(!by_name_.contains(name), "{}: found two nodes of this name", name);

  for (const NodeId input : inputs) SPIKENM_ASSERT(input < id);
  std::vector<Shape> shapes;
  for (const NodeId input : inputs) shapes.push_back(nodes_[input].out);
  const Shape out = infer_shape(name, operation, shapes);

  by_name_.emplace(name, id);
  nodes_.push_back(
      {.name = std::move(name), .operation = operation, .inputs = std::move(inputs), .out = out});
  return id;
}

void Graph::finish() const {
  std::vector<bool> is_read(nodes_.size(), false);
  for (const Node& node : nodes_)
    for (const NodeId input : node.inputs) is_read[input] = true;
  for (NodeId id = 0; id + 1 < nodes_.size(); ++id)
    SPIKENM_CHECK(is_read[id], "{}: no node reads it, and only the last one gives the scores",
                  nodes_[id].name);

  const Node& last = nodes_.back();
  const auto n_classes = static_cast<int64_t>(classes_.size());
  SPIKENM_CHECK(!last.out.is_map && last.out.channels == n_classes,
                "{}: gives {}, wanted one score for each of the {} classes", last.name,
                last.out.text(), n_classes);

  const bool learns = std::any_of(nodes_.begin(), nodes_.end(),
                                  [](const Node& node) { return node.as<Synapse>() != nullptr; });
  SPIKENM_CHECK(learns, "{}: found no synapse, wanted at least one", name_);
}

std::optional<NodeId> Graph::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::nullopt : std::optional<NodeId>(found->second);
}

std::vector<std::string> numbered_classes(int64_t n) {
  std::vector<std::string> classes;
  for (int64_t k = 0; k < n; ++k) classes.push_back(std::to_string(k));
  return classes;
}

}  // namespace spikenm::graph
