#include "spikenm/runtime/snm_file.h"

#include "spikenm/core/file.h"
#include "spikenm/core/input_file.h"
#include "spikenm/core/json_text.h"
#include "spikenm/core/say.h"
#include "spikenm/graph/graph_json.h"
#include "spikenm/runtime/snm_meta.h"
#include "spikenm/runtime/snm_sections.h"
#include "spikenm/runtime/synapse_bits.h"

#include <cmath>
#include <cstring>
#include <set>

namespace spikenm::runtime {
namespace {

using graph::NodeId;

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T)};
}

// Eight neurons a byte, lowest bit first.
std::vector<uint8_t> to_bits(const std::vector<uint8_t>& keep) {
  std::vector<uint8_t> bits((keep.size() + 7) / 8);
  for (size_t i = 0; i < keep.size(); ++i)
    bits[i / 8] = static_cast<uint8_t>(bits[i / 8] | (keep[i] & 1) << i % 8);
  return bits;
}

// Takes the sections of a file one by one; each must be there in its size, and no other.
class SectionReader {
 public:
  SectionReader(SharedFile file, const std::string& source)
      : file_(std::move(file)), sections_(decode_sections(*file_, source)), source_(source) {}

  Bytes take(SectionKind kind, NodeId node, const std::string& name) {
    SPIKENM_CHECK(next_ < sections_.size(), "{}: found no section {} of '{}', wanted one", source_,
                  kind.text(), name);
    const Section& section = sections_[next_++];
    SPIKENM_CHECK(section.kind == kind && section.node == node,
                  "{}: found section {} of node {}, wanted {} of '{}' (node {})", source_,
                  printable(section.kind.text()), section.node, kind.text(), name, node);
    return section.bytes;
  }

  HeldBytes bytes(SectionKind kind, NodeId node, const std::string& name, uint64_t wanted) {
    const Bytes found = take(kind, node, name);
    SPIKENM_CHECK(found.size() == wanted, "{}: section {} of '{}': found {} bytes, wanted {}",
                  source_, kind.text(), name, found.size(), wanted);
    return {file_, found};
  }

  std::vector<float> floats(SectionKind kind, NodeId node, const std::string& name, int64_t count) {
    const HeldBytes raw = bytes(kind, node, name, static_cast<uint64_t>(count) * sizeof(float));
    std::vector<float> values(static_cast<size_t>(count));
    std::memcpy(values.data(), raw.data(), raw.size());
    check_finite(values, kind, name);
    return values;
  }

  void check_finite(std::span<const float> values, SectionKind kind,
                    const std::string& name) const {
    for (const float value : values)
      SPIKENM_CHECK(std::isfinite(value),
                    "{}: section {} of '{}': found a value that is not finite", source_,
                    kind.text(), name);
  }

  void finish() const {
    SPIKENM_CHECK(next_ == sections_.size(), "{}: found section {} of node {}, wanted no more",
                  source_, printable(sections_[next_].kind.text()), sections_[next_].node);
  }

  [[nodiscard]] const std::string& source() const { return source_; }

 private:
  SharedFile file_;
  std::vector<Section> sections_;
  size_t next_ = 0;
  const std::string& source_;
};

// The sections of a weight, whole in memory.
HeldBytes read_bits(SectionReader& reader, NodeId id, const graph::Node& node,
                    const nm::WeightShape& shape, WeightType type, const std::string& what) {
  const Bytes values = reader.take(kValuesSection, id, node.name);
  const HeldBytes bits =
      reader.bytes(kBitsSection, id, node.name, (static_cast<uint64_t>(shape.numel()) + 7) / 8);
  return from_bit_weights(bits, values, shape, type, what);
}

SynapseTensor read_synapse(SectionReader& reader, NodeId id, const graph::Node& node,
                           const WeightMeta& meta) {
  const auto& spec = *node.as<graph::Synapse>();
  SynapseTensor tensor{
      .shape = spec.shape, .rule = meta.rule, .type = meta.type, .as_bits = meta.as_bits};
  const std::string what = fmt::format("{}: '{}'", reader.source(), node.name);
  const TensorSizes sizes = tensor_sizes(spec.shape, meta.rule, meta.type, what);
  tensor.values = meta.as_bits ? read_bits(reader, id, node, spec.shape, meta.type, what)
                               : reader.bytes(kValuesSection, id, node.name, sizes.values);
  if (meta.type == WeightType::kFloat)
    reader.check_finite({reinterpret_cast<const float*>(tensor.values.data()),
                         tensor.values.size() / sizeof(float)},
                        kValuesSection, node.name);
  if (meta.rule) tensor.positions = reader.bytes(kPositionsSection, id, node.name, sizes.positions);
  if (meta.type == WeightType::kInt8)
    tensor.scale = reader.floats(kScaleSection, id, node.name, spec.shape.cout);
  if (spec.bias) tensor.bias = reader.floats(kBiasSection, id, node.name, spec.shape.cout);
  check_positions(tensor, what);
  return tensor;
}

FoldedNorm read_norm(SectionReader& reader, NodeId id, const graph::Node& node) {
  const auto channels = static_cast<std::ptrdiff_t>(node.out.channels);
  const std::vector<float> both = reader.floats(kNormSection, id, node.name, 2 * channels);
  return {.scale = {both.begin(), both.begin() + channels},
          .shift = {both.begin() + channels, both.end()}};
}

std::vector<uint8_t> read_mask(SectionReader& reader, NodeId id, const graph::Node& node) {
  const auto neurons = static_cast<size_t>(node.out.values());
  const HeldBytes held = reader.bytes(kMaskSection, id, node.name, (neurons + 7) / 8);
  const Bytes bits = held;
  check_last_bits(bits, neurons, fmt::format("{}: '{}'", reader.source(), node.name), "neurons");
  std::vector<uint8_t> keep(neurons);
  for (size_t i = 0; i < neurons; ++i) keep[i] = bits[i / 8] >> i % 8 & 1;
  return keep;
}

}  // namespace

std::string encode_snm(const StoredModel& model) {
  const std::string graph_text = graph::graph_to_json(model.graph).dump();
  const std::string meta_text = meta_to_json(model).dump();
  std::vector<std::vector<float>> norms;  // keep the bytes that sections point to
  std::vector<std::vector<uint8_t>> masks;
  std::vector<BitWeights> bits;
  norms.reserve(model.norms.size());
  bits.reserve(model.synapses.size());
  masks.reserve(model.neuron_masks.size());

  std::vector<Section> sections{{kGraphSection, 0, as_bytes(graph_text)},
                                {kMetaSection, 0, as_bytes(meta_text)}};
  const auto add = [&](SectionKind kind, NodeId id, Bytes bytes) {
    sections.push_back({kind, static_cast<uint32_t>(id), bytes});
  };
  for (NodeId id = 0; id < model.graph.nodes().size(); ++id) {
    const graph::Node& node = model.graph.node(id);
    if (node.as<graph::Synapse>() != nullptr) {
      const SynapseTensor& tensor = model.synapses.at(id);
      if (tensor.as_bits) bits.push_back(to_bit_weights(tensor));
      add(kValuesSection, id, tensor.as_bits ? Bytes(bits.back().values) : Bytes(tensor.values));
      if (tensor.as_bits) add(kBitsSection, id, bits.back().bits);
      if (tensor.rule) add(kPositionsSection, id, tensor.positions);
      if (tensor.type == WeightType::kInt8) add(kScaleSection, id, bytes_of(tensor.scale));
      if (!tensor.bias.empty()) add(kBiasSection, id, bytes_of(tensor.bias));
    } else if (node.as<graph::Norm>() != nullptr) {
      std::vector<float>& both = norms.emplace_back(model.norms.at(id).scale);
      both.insert(both.end(), model.norms.at(id).shift.begin(), model.norms.at(id).shift.end());
      add(kNormSection, id, bytes_of(both));
    } else if (model.neuron_masks.contains(id)) {
      add(kMaskSection, id, bytes_of(masks.emplace_back(to_bits(model.neuron_masks.at(id)))));
    }
  }
  return encode_sections(sections, bits.empty() ? 1 : 2);
}

void write_snm(const std::filesystem::path& path, const StoredModel& model) {
  write_file_atomically(path, encode_snm(model));
}

StoredModel decode_snm(Bytes bytes, const std::string& source) {
  return decode_snm(std::make_shared<const std::vector<uint8_t>>(bytes.begin(), bytes.end()),
                    source);
}

StoredModel decode_snm(SharedFile file, const std::string& source) {
  SectionReader reader(std::move(file), source);
  const std::string graph_name = source + " (graph)", meta_name = source + " (meta)";
  const Bytes graph_text = reader.take(kGraphSection, 0, "the graph");
  const Bytes meta_text = reader.take(kMetaSection, 0, "the file");
  StoredModel model{.graph = graph::graph_from_json(
                        parse_json_object(as_text(graph_text), graph_name), graph_name)};
  const Meta meta =
      meta_from_json(parse_json_object(as_text(meta_text), meta_name), meta_name, model);

  for (NodeId id = 0; id < model.graph.nodes().size(); ++id) {
    const graph::Node& node = model.graph.node(id);
    if (node.as<graph::Synapse>() != nullptr)
      model.synapses.emplace(id, read_synapse(reader, id, node, meta.weights.at(id)));
    else if (node.as<graph::Norm>() != nullptr)
      model.norms.emplace(id, read_norm(reader, id, node));
    else if (meta.masked.contains(id))
      model.neuron_masks.emplace(id, read_mask(reader, id, node));
  }
  reader.finish();
  return model;
}

StoredModel read_snm(const std::filesystem::path& path) {
  std::vector<uint8_t> bytes;
  read_bytes(path, bytes);
  return decode_snm(std::make_shared<const std::vector<uint8_t>>(std::move(bytes)), path.string());
}

}  // namespace spikenm::runtime
