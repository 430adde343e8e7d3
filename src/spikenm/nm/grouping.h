// Which weights form a block. The weight of a layer is [Cout,Cin,kh,kw] in memory order (a linear
// layer is [Cout,Cin,1,1]); a block is m of its elements at a fixed stride.
//
//   flat   blocks of m consecutive elements; the last numel mod m are one tail.
//   in     blocks along the input channels of one (cout,kh,kw) row, as sparse tensor cores and our
//          CPU runtime need them; the last Cin mod m channels of every row are its tail.
//
//   [Cout,Cin,kh,kw] with Cin = 5, kh*kw = 2, m = 4; numbers are blocks, '.' is tail:
//     flat:  0 0 0 0 1 1 1 1 2 2 | 2 2 3 3 3 3 4 4 4 4
//     in:    0 1 0 1 0 1 0 1 . . | 2 3 2 3 2 3 2 3 . .
//
// Several of these weight blocks may have one mask: those of `share` neighbouring output channels,
// and with share_taps those of all places (kh,kw) of a kernel.
//
//   the same weight, axis in, share_taps: 0 0 0 0 0 0 0 0 . . | 1 1 1 1 1 1 1 1 . .
//
// Tails stay dense, are counted as kept, and are never an error.
#pragma once

#include "spikenm/core/host_device.h"
#include "spikenm/nm/pattern.h"

#include <cstdint>
#include <string_view>

namespace spikenm::nm {

enum class Axis { kFlat, kIn };

Axis parse_axis(std::string_view text, std::string_view what);
std::string_view axis_name(Axis axis);

struct WeightShape {
  int64_t cout = 1, cin = 1, kh = 1, kw = 1;
  [[nodiscard]] int64_t numel() const { return cout * cin * kh * kw; }
};

// The places of a layer's blocks, as plain numbers that kernels take by value. A mask block b
// covers `members_of(b)` weight blocks, of which the i-th begins at `start(b) + member(i)`; position
// s of a weight block is `position_stride * s` elements after its start.
struct BlockLayout {
  int64_t n_blocks = 0;  // mask blocks: one set of logits each
  int32_t m = 4;
  int32_t share = 1;           // output channels per mask block
  int64_t n_channels = 1;      // output channels in total
  int64_t channel_stride = 0;  // elements from one output channel to the next
  int64_t rows = 1;            // (kh,kw) rows of a channel that have masks of their own
  int32_t taps = 1;            // neighbouring (kh,kw) rows per mask block: 1, or all of a kernel
  int64_t blocks_per_row = 0;
  int64_t block_stride = 0;     // elements from one block of a row to the next
  int64_t position_stride = 1;  // elements from one position of a block to the next
  int64_t numel = 0;            // elements of the weight

  // Element offset of position 0 of mask block b, in its first weight block.
  [[nodiscard]] SPIKENM_HD int64_t start(int64_t b) const {
    const int64_t per_channel = rows * blocks_per_row;
    const int64_t channel = divide(b, per_channel), rest = b - channel * per_channel;
    const int64_t row = divide(rest, blocks_per_row);
    return channel * share * channel_stride + row + (rest - row * blocks_per_row) * block_stride;
  }
  // Output channels that share mask block b; the last group of a layer may have fewer than `share`.
  [[nodiscard]] SPIKENM_HD int32_t channels_of(int64_t b) const {
    if (share == 1) return 1;
    const int64_t first = divide(b, rows * blocks_per_row) * share;
    const int64_t left = n_channels - first;
    return left < share ? static_cast<int32_t>(left) : share;
  }
  // Weight blocks that share mask block b: by output channel, then by tap.
  [[nodiscard]] SPIKENM_HD int32_t members_of(int64_t b) const { return channels_of(b) * taps; }
  // Elements from the first of them to the i-th.
  [[nodiscard]] SPIKENM_HD int64_t member(int32_t i) const {
    return taps == 1 ? i * channel_stride : i / taps * channel_stride + i % taps;
  }
  // a / b for numbers that are not negative; a GPU divides 32 bits several times faster than 64.
  static SPIKENM_HD int64_t divide(int64_t a, int64_t b) {
#if defined(__CUDA_ARCH__)
    if (((a | b) >> 32) == 0) return static_cast<uint32_t>(a) / static_cast<uint32_t>(b);
#endif
    return a / b;
  }
  // Elements that belong to no block.
  [[nodiscard]] int64_t tail() const {
    return numel - n_channels * rows * taps * blocks_per_row * m;
  }
};

// Sharing with axis `flat` needs blocks that do not cross output channels, and share_taps needs axis
// `in`; otherwise it throws an Error that begins with `what`.
BlockLayout make_layout(const WeightShape& shape, const NmPattern& pattern, Axis axis,
                        std::string_view what, bool share_taps = false);

}  // namespace spikenm::nm
