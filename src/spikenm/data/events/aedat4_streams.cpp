#include "spikenm/data/events/aedat4_streams.h"

#include "spikenm/core/error.h"
#include "spikenm/data/formats/member_name.h"

#include <charconv>
#include <limits>
#include <optional>
#include <vector>

namespace spikenm::data {
namespace {

constexpr size_t kLongestList = size_t{16} << 20;  // characters; that of a camera has two thousand
constexpr int32_t kMaxSide = 1 << 15;
constexpr size_t kNone = SIZE_MAX;

// <node name="0" path="/outInfo/0/"> with the texts of its <attr key="…">text</attr> that are used.
struct Node {
  std::string_view name, type, width, height;
  size_t parent = kNone;
};

// The value of attribute `name` in a tag such as `node name="0" path="/outInfo/0/"`.
std::string_view tag_attribute(std::string_view tag, std::string_view name) {
  for (size_t at = tag.find(name); at != tag.npos; at = tag.find(name, at + 1)) {
    const std::string_view value = tag.substr(at + name.size());
    if (at == 0 || tag[at - 1] > ' ' || !value.starts_with("=\"")) continue;
    return value.substr(2, value.find('"', 2) - 2);
  }
  return {};
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() <= ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() <= ' ') text.remove_suffix(1);
  return text;
}

Node read_node(std::string_view tag, size_t parent) {
  Node node{.name = tag_attribute(tag, "name"), .parent = parent};
  if (!node.name.empty()) return node;
  std::string_view path = tag_attribute(tag, "path");
  if (path.ends_with('/')) path.remove_suffix(1);
  node.name = path.substr(path.find_last_of('/') + 1);
  return node;
}

// Tags without a matching partner are accepted: an attribute belongs to the node that is open.
std::vector<Node> read_nodes(std::string_view xml) {
  std::vector<Node> nodes;
  size_t open_node = kNone;
  for (size_t open = xml.find('<'); open != xml.npos; open = xml.find('<')) {
    xml.remove_prefix(open + 1);
    const size_t close = xml.find('>');
    if (close == xml.npos) break;
    const std::string_view tag = xml.substr(0, close);
    xml.remove_prefix(close + 1);

    if (tag.starts_with("node")) {
      nodes.push_back(read_node(tag, open_node));
      if (!tag.ends_with('/')) open_node = nodes.size() - 1;
    } else if (tag.starts_with("/node")) {
      if (open_node != kNone) open_node = nodes[open_node].parent;
    } else if (tag.starts_with("attr") && open_node != kNone) {
      const std::string_view key = tag_attribute(tag, "key");
      const std::string_view text = trimmed(xml.substr(0, xml.find('<')));
      if (key == "typeIdentifier") nodes[open_node].type = text;
      if (key == "sizeX") nodes[open_node].width = text;
      if (key == "sizeY") nodes[open_node].height = text;
    }
  }
  return nodes;
}

// Copies sizes to the stream's node from the node "info" inside it.
void lift_sizes(std::vector<Node>& nodes) {
  for (const Node& node : nodes) {
    if (node.name != "info" || node.parent == kNone) continue;
    nodes[node.parent].width = node.width;
    nodes[node.parent].height = node.height;
  }
}

std::optional<int32_t> whole_number(std::string_view text) {
  int32_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return {};
  return value;
}

int32_t read_side(std::string_view text, std::string_view source) {
  if (text.empty()) return 0;
  const std::optional<int32_t> side = whole_number(text);
  SPIKENM_CHECK(side && *side <= kMaxSide,
                "{}: found '{}' in its stream list, wanted a number up to {}", source,
                excerpt(text), kMaxSide);
  return *side;
}

}  // namespace

Aedat4Stream find_event_stream(std::string_view xml, std::string_view source) {
  SPIKENM_CHECK(xml.size() <= kLongestList,
                "{}: found a stream list of {} characters, wanted at most {} (a fixed limit)",
                source, xml.size(), kLongestList);
  std::vector<Node> nodes = read_nodes(xml);
  lift_sizes(nodes);

  const Node* first = nullptr;
  Aedat4Stream stream{.id = std::numeric_limits<int32_t>::max(), .n_event_streams = 0};
  for (const Node& node : nodes) {
    const std::optional<int32_t> id = whole_number(node.name);
    if (node.type != "EVTS" || !id) continue;
    ++stream.n_event_streams;
    if (first != nullptr && *id >= stream.id) continue;
    first = &node;
    stream.id = *id;
  }
  SPIKENM_CHECK(first != nullptr, "{}: found no event stream in its stream list, wanted type EVTS",
                source);

  stream.width = read_side(first->width, source);
  stream.height = read_side(first->height, source);
  return stream;
}

}  // namespace spikenm::data
