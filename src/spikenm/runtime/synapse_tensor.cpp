#include "spikenm/runtime/synapse_tensor.h"

#include "spikenm/core/error.h"
#include "spikenm/runtime/synapse_bits.h"
#include "spikenm/runtime/synapse_slots.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace spikenm::runtime {
namespace {

// Numbers of a few bits each, one after the other, lowest bit first.
class BitWriter {
 public:
  explicit BitWriter(std::vector<uint8_t>& out) : out_(out) {}
  void put(unsigned value, int bits) {
    for (int i = 0; i < bits; ++i, ++at_)
      out_[at_ / 8] = static_cast<uint8_t>(out_[at_ / 8] | (value >> i & 1) << at_ % 8);
  }

 private:
  std::vector<uint8_t>& out_;
  size_t at_ = 0;
};

// Calls put(element) for the value of every slot, and pad() for padding.
template <class Put, class Pad>
void visit_elements(const SynapseTensor& tensor, Put&& put, Pad&& pad) {
  const int64_t stride =
      tensor.rule ? Blocks(tensor.shape, *tensor.rule, "synapse").layout().position_stride : 1;
  int64_t start = 0;
  visit_slots(
      tensor, {}, [&](int64_t first) { start = first; },
      [&](int position) { put(static_cast<size_t>(start + position * stride)); }, pad);
  visit_singles(tensor, [&](int64_t element) { put(static_cast<size_t>(element)); });
}

template <class T>
std::vector<T> unpack(const SynapseTensor& tensor) {
  std::vector<T> weight(static_cast<size_t>(tensor.shape.numel()), T(0));
  const uint8_t* at = tensor.values.data();
  visit_elements(
      tensor,
      [&](size_t element) {
        std::memcpy(&weight[element], at, sizeof(T));
        at += sizeof(T);
      },
      [&] { at += sizeof(T); });
  return weight;
}

std::vector<float> channel_scales(std::span<const float> weight, int64_t channels) {
  const size_t per_channel = weight.size() / static_cast<size_t>(channels);
  std::vector<float> scales;
  for (size_t c = 0; c < static_cast<size_t>(channels); ++c) {
    float largest = 0;
    for (const float w : weight.subspan(c * per_channel, per_channel))
      largest = std::max(largest, std::fabs(w));
    scales.push_back(largest > 0 ? largest / 127 : 1.0f);
  }
  return scales;
}

// The positions that the masks keep; checks that all blocks of a mask keep the same.
std::vector<uint8_t> pack_positions(std::span<const uint8_t> keep, const Blocks& blocks,
                                    const WeightRule& rule, uint64_t bytes,
                                    const std::string& what) {
  const nm::BlockLayout& layout = blocks.layout();
  std::vector<uint8_t> positions(bytes);
  BitWriter writer(positions);
  bool first = false;
  nm::BlockBits mask = 0;
  blocks.visit(
      {}, [&] { first = true; },
      [&](int64_t start) {
        nm::BlockBits found = 0;
        for (int s = 0; s < layout.m; ++s)
          if (keep[static_cast<size_t>(start + s * layout.position_stride)] != 0)
            found |= nm::BlockBits{1} << s;
        SPIKENM_CHECK(first || found == mask,
                      "{}: found a block that differs from the one it shares a mask with", what);
        if (!first) return;
        first = false;
        mask = found;
        const int ones = std::popcount(found);
        SPIKENM_CHECK(ones <= rule.pattern.n, "{}: found a block that keeps {}, wanted {}", what,
                      ones, rule.pattern.text());
        for (nm::BlockBits rest = found; rest != 0; rest &= rest - 1)
          writer.put(static_cast<unsigned>(std::countr_zero(rest)), position_bits(layout.m));
        for (int k = ones; k < rule.pattern.n; ++k) writer.put(0, position_bits(layout.m));
      });
  return positions;
}

}  // namespace

WeightType parse_weight_type(std::string_view text, std::string_view what) {
  SPIKENM_CHECK(text == "fp32" || text == "int8", "{}: found '{}', wanted fp32 or int8", what,
                text);
  return text == "fp32" ? WeightType::kFloat : WeightType::kInt8;
}

std::string_view weight_type_name(WeightType type) {
  return type == WeightType::kFloat ? "fp32" : "int8";
}

uint64_t value_bytes(WeightType type) {
  return type == WeightType::kFloat ? sizeof(float) : sizeof(int8_t);
}

TensorSizes tensor_sizes(const nm::WeightShape& shape, const std::optional<WeightRule>& rule,
                         WeightType type, std::string_view what) {
  const uint64_t item = value_bytes(type);
  if (!rule) return {.values = static_cast<uint64_t>(shape.numel()) * item, .positions = 0};
  SPIKENM_CHECK(!rule->share_taps || rule->axis == nm::Axis::kIn,
                "{}: found share_taps with axis flat, wanted axis in", what);
  const Blocks blocks(shape, *rule, what);
  const auto n = static_cast<uint64_t>(rule->pattern.n);
  const auto slots = static_cast<uint64_t>(blocks.weight_blocks()) * n;
  const auto bits = static_cast<uint64_t>(blocks.masks()) * n *
                    static_cast<uint64_t>(position_bits(rule->pattern.m));
  return {.values = (slots + static_cast<uint64_t>(blocks.layout().tail())) * item,
          .positions = (bits + 7) / 8};
}

SynapseTensor pack_synapse(std::span<const float> weight, std::span<const uint8_t> keep,
                           const nm::WeightShape& shape, const std::optional<WeightRule>& rule,
                           WeightType type, const std::string& what) {
  SPIKENM_ASSERT(static_cast<int64_t>(weight.size()) == shape.numel());
  const TensorSizes sizes = tensor_sizes(shape, rule, type, what);
  SynapseTensor tensor{
      .shape = shape, .rule = rule, .type = type, .as_bits = !rule && !keep.empty()};
  std::vector<float> kept(weight.begin(), weight.end());
  SPIKENM_ASSERT((!rule && keep.empty()) || keep.size() == weight.size());
  for (size_t i = 0; i < keep.size(); ++i)
    if (keep[i] == 0) kept[i] = 0;
  if (rule)
    tensor.positions =
        pack_positions(keep, Blocks(shape, *rule, what), *rule, sizes.positions, what);
  if (type == WeightType::kInt8) tensor.scale = channel_scales(kept, shape.cout);

  const size_t per_channel = weight.size() / static_cast<size_t>(shape.cout);
  std::vector<uint8_t> values;
  values.reserve(sizes.values);
  const auto put = [&](float value, size_t element) {
    if (type == WeightType::kInt8) {
      const float scaled = value / tensor.scale[element / per_channel];
      values.push_back(static_cast<uint8_t>(
          static_cast<int8_t>(std::clamp(std::nearbyint(scaled), -127.f, 127.f))));
    } else {
      const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
      values.insert(values.end(), bytes, bytes + sizeof value);
    }
  };
  visit_elements(tensor, [&](size_t element) { put(kept[element], element); }, [&] { put(0, 0); });
  SPIKENM_ASSERT(values.size() == sizes.values);
  tensor.values = std::move(values);
  return tensor;
}

void check_positions(const SynapseTensor& tensor, const std::string& what) {
  if (!tensor.rule) return;
  const nm::NmPattern& pattern = tensor.rule->pattern;
  const int64_t count = Blocks(tensor.shape, *tensor.rule, what).masks() * pattern.n;
  check_last_bits(tensor.positions, static_cast<size_t>(count * position_bits(pattern.m)), what,
                  "bits of positions");
  if (std::has_single_bit(static_cast<unsigned>(pattern.m)))
    return;  // every position is in the block
  BitReader bits(tensor.positions);
  for (int64_t i = 0; i < count; ++i) {
    const auto position = static_cast<int>(bits.take(position_bits(pattern.m)));
    SPIKENM_CHECK(position < pattern.m, "{}: found position {} in a block of {}", what, position,
                  pattern.m);
  }
}

std::vector<float> unpack_floats(const SynapseTensor& tensor) {
  SPIKENM_ASSERT(tensor.type == WeightType::kFloat);
  return unpack<float>(tensor);
}

std::vector<int8_t> unpack_int8(const SynapseTensor& tensor) {
  SPIKENM_ASSERT(tensor.type == WeightType::kInt8);
  return unpack<int8_t>(tensor);
}

int64_t stored_weights(const SynapseTensor& tensor) {
  if (tensor.as_bits) return count_bit_weights(tensor);
  return static_cast<int64_t>(tensor.values.size() / value_bytes(tensor.type));
}

}  // namespace spikenm::runtime
