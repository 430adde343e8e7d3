#include "spikenm/runtime/layer_fill.h"

#include <algorithm>
#include <cstring>

namespace spikenm::runtime {
namespace {

using kernels::kSpikeBlock;

// Bits of one mask that are read at once.
constexpr int kMostMaskBits = 56;

int mask_bits(const nm::NmPattern& pattern) {
  return pattern.n * position_bits(pattern.m);
}

// The bits from `first` on, in the lowest ones of the result; at least kMostMaskBits where the bytes
// do not end before.
uint64_t bits_from(Bytes bytes, uint64_t first) {
  uint64_t word = 0;
  const uint64_t at = first / 8;
  if (at < bytes.size())
    std::memcpy(&word, bytes.data() + at, std::min<size_t>(sizeof word, bytes.size() - at));
  return word >> first % 8;
}

// The elements that a mask keeps, in the order of their values; -1: padding.
struct KeptElements {
  int count;
  int64_t element[nm::NmPattern::kMaxM];

  KeptElements(uint64_t bits, const nm::NmPattern& pattern, int64_t first, int64_t stride)
      : count(pattern.n) {
    const int each = position_bits(pattern.m);
    const uint64_t mask = (uint64_t{1} << each) - 1;
    int64_t last = -1;
    for (int k = 0; k < count; ++k, bits >>= each) {
      const auto position = static_cast<int64_t>(bits & mask);
      element[k] = position > last ? first + position * stride : -1;
      last = std::max(last, position);
    }
  }
};

// Calls call(elements that the mask keeps, first output, behind the last) for each mask of the outputs of a
// block, in the order of their values.
template <class Call>
void each_mask(const SynapseTensor& tensor, int64_t block, const Call& call) {
  const nm::NmPattern& pattern = tensor.rule->pattern;
  const Blocks blocks(tensor.shape, *tensor.rule, "synapse");
  const nm::BlockLayout& layout = blocks.layout();
  const int64_t together = tensor.rule->share_taps ? layout.rows : 1;  // taps of one mask
  const int64_t begin = block * kSpikeBlock;
  const int64_t end = std::min(begin + kSpikeBlock, layout.n_channels);
  const auto bits_each = static_cast<uint64_t>(mask_bits(pattern));
  uint64_t bit = static_cast<uint64_t>(blocks.masks_before(begin)) * bits_each;
  for (int64_t group = begin; group < end; group += layout.share)
    for (int64_t own = 0; own < layout.rows / together; ++own)
      for (int64_t b = 0; b < layout.blocks_per_row; ++b, bit += bits_each)
        call(KeptElements(bits_from(tensor.positions, bit), pattern, own + b * layout.block_stride,
                          layout.position_stride),
             group, std::min<int64_t>(end, group + layout.share));
}

int64_t taps_of_mask(const SynapseTensor& tensor) {
  return tensor.rule->share_taps ? Blocks(tensor.shape, *tensor.rule, "synapse").layout().rows : 1;
}

}  // namespace

bool masks_by_block(const SynapseTensor& tensor) {
  return tensor.rule && tensor.rule->axis == nm::Axis::kIn &&
         kSpikeBlock % tensor.rule->pattern.share == 0 &&
         mask_bits(tensor.rule->pattern) <= kMostMaskBits;
}

void each_kept(const SynapseTensor& tensor, int64_t block,
               const std::function<void(int64_t)>& call) {
  const int64_t together = taps_of_mask(tensor);
  each_mask(tensor, block, [&](const KeptElements& kept, int64_t, int64_t) {
    for (int k = 0; k < kept.count; ++k)
      for (int64_t tap = 0; kept.element[k] >= 0 && tap < together; ++tap)
        call(kept.element[k] + tap);
  });
}

bool fills_by_block(const SynapseTensor& tensor) {
  return tensor.type == WeightType::kInt8 && masks_by_block(tensor);
}

void fill_block(const SynapseTensor& tensor, int64_t block, const BlockRows& to) {
  const int64_t begin = block * kSpikeBlock, together = taps_of_mask(tensor);
  const Blocks blocks(tensor.shape, *tensor.rule, "synapse");
  const uint8_t* value =
      tensor.values.data() + blocks.blocks_before(begin) * tensor.rule->pattern.n;
  const uint32_t* const row_at = to.row_at.data();
  each_mask(tensor, block, [&](const KeptElements& kept, int64_t group, int64_t group_end) {
    for (int64_t channel = group; channel < group_end; ++channel) {
      const RowLane lane(channel - begin);
      for (int64_t tap = 0; tap < together; ++tap)
        for (int k = 0; k < kept.count; ++k, ++value) {
          if (kept.element[k] < 0) continue;
          // + 128 of a byte turns its highest bit.
          to.rows[row_at[kept.element[k] + tap] + static_cast<uint64_t>(lane.at)] =
              static_cast<uint8_t>(*value ^ lane.zero);
        }
    }
  });
}

}  // namespace spikenm::runtime
