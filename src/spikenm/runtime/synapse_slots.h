// Walks through the slots of a packed weight in the order of the file.
#pragma once

#include "spikenm/runtime/synapse_tensor.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace spikenm::runtime {

// Bits that hold a position of a block of m.
inline int position_bits(int m) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(m - 1)));
}

// Output channels of a layout; those of a group that share a mask are never parted.
struct ChannelRange {
  int64_t begin = 0, end = INT64_MAX;
};

// The places of the blocks of a rule.
class Blocks {
 public:
  Blocks(const nm::WeightShape& shape, const WeightRule& rule, std::string_view what)
      : layout_(nm::make_layout(shape, rule.pattern, rule.axis, what)),
        rows_(rule.share_taps ? layout_.rows : 1) {}

  [[nodiscard]] const nm::BlockLayout& layout() const { return layout_; }
  [[nodiscard]] int64_t masks() const { return layout_.n_blocks / rows_; }
  // Masks, and weight blocks, of the channels before this one, which begins a group.
  [[nodiscard]] int64_t masks_before(int64_t channel) const {
    return channel / layout_.share * (layout_.rows / rows_) * layout_.blocks_per_row;
  }
  [[nodiscard]] int64_t blocks_before(int64_t channel) const {
    return channel * layout_.rows * layout_.blocks_per_row;
  }
  // Weight blocks, which have values each.
  [[nodiscard]] int64_t weight_blocks() const {
    return layout_.n_channels * layout_.rows * layout_.blocks_per_row;
  }

  // Calls begin() before the blocks of each mask, then block(element of position 0) for each of
  // them: by output channel, then by place of the kernel.
  template <class Begin, class Block>
  void visit(const ChannelRange& range, Begin&& begin, Block&& block) const {
    // Written as loops: to find the place of a block by division costs more than to read it.
    const int64_t own_rows = layout_.rows / rows_;  // rows with masks of their own
    const int64_t end = std::min(range.end, layout_.n_channels);
    for (int64_t channel = range.begin; channel < end; channel += layout_.share) {
      const int64_t channels = std::min<int64_t>(layout_.share, layout_.n_channels - channel);
      const int64_t group = channel * layout_.channel_stride;
      for (int64_t own = 0; own < own_rows; ++own)
        for (int64_t b = 0; b < layout_.blocks_per_row; ++b) {
          begin();
          const int64_t first = group + own + b * layout_.block_stride;
          for (int64_t c = 0; c < channels; ++c)
            for (int64_t row = 0; row < rows_; ++row)
              block(first + c * layout_.channel_stride + row);
        }
    }
  }

  // Calls put(element) for each weight in no block, in memory order.
  template <class Put>
  void visit_tails(Put&& put) const {
    if (layout_.tail() == 0) return;
    std::vector<bool> in_block(static_cast<size_t>(layout_.numel));
    visit(
        {}, [] {},
        [&](int64_t start) {
          for (int s = 0; s < layout_.m; ++s)
            in_block[static_cast<size_t>(start + s * layout_.position_stride)] = true;
        });
    for (size_t i = 0; i < in_block.size(); ++i)
      if (!in_block[i]) put(static_cast<int64_t>(i));
  }

 private:
  nm::BlockLayout layout_;
  int64_t rows_;  // rows of the kernel that share a mask
};

// Numbers of a few bits each, one after the other, lowest bit first.
class BitReader {
 public:
  explicit BitReader(Bytes in, size_t first_bit = 0) : in_(in), at_(first_bit / 8) {
    if (first_bit % 8 != 0) static_cast<void>(take(static_cast<int>(first_bit % 8)));
  }
  unsigned take(int bits) {
    for (; held_ < bits; held_ += 8) window_ |= static_cast<unsigned>(in_[at_++]) << held_;
    const unsigned value = window_ & ((1u << bits) - 1);
    window_ >>= bits;
    held_ -= bits;
    return value;
  }

 private:
  Bytes in_;
  size_t at_ = 0;
  unsigned window_ = 0;  // bits that were read from `in_` and not taken
  int held_ = 0;
};

// Calls, in the order of the values of the file: block(element of position 0) before the slots of a
// block, kept(position) for a slot with a weight, and padding() for one without. Of the channels in
// `range`; a dense weight has no blocks.
template <class Block, class Kept, class Padding>
void visit_slots(const SynapseTensor& tensor, const ChannelRange& range, Block&& block, Kept&& kept,
                 Padding&& padding) {
  if (!tensor.rule) return;
  const nm::NmPattern& pattern = tensor.rule->pattern;
  const Blocks blocks(tensor.shape, *tensor.rule, "synapse");
  const int bits_each = position_bits(pattern.m);
  BitReader bits(tensor.positions,
                 static_cast<size_t>(blocks.masks_before(range.begin) * pattern.n * bits_each));
  std::vector<int> positions(static_cast<size_t>(pattern.n));
  blocks.visit(
      range,
      [&] {
        int last = -1;
        for (int& position : positions) {
          position = static_cast<int>(bits.take(bits_each));
          if (position <= last) position = -1;  // padding
          last = std::max(last, position);
        }
      },
      [&](int64_t start) {
        block(start);
        for (const int position : positions) {
          if (position < 0)
            padding();
          else
            kept(position);
        }
      });
}

// Calls single(element) for each weight in no block: tails, or all of a dense weight.
template <class Single>
void visit_singles(const SynapseTensor& tensor, Single&& single) {
  if (tensor.rule) return Blocks(tensor.shape, *tensor.rule, "synapse").visit_tails(single);
  for (int64_t i = 0; i < tensor.shape.numel(); ++i) single(i);
}

// The number of slots in blocks, which stand before the single weights.
inline int64_t block_slots(const SynapseTensor& tensor) {
  if (!tensor.rule) return 0;
  const Blocks blocks(tensor.shape, *tensor.rule, "synapse");
  return blocks.weight_blocks() * tensor.rule->pattern.n;
}

}  // namespace spikenm::runtime
