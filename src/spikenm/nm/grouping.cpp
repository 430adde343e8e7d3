#include "spikenm/nm/grouping.h"

#include "spikenm/core/error.h"

namespace spikenm::nm {

Axis parse_axis(std::string_view text, std::string_view what) {
  SPIKENM_CHECK(text == "flat" || text == "in", "{}: found '{}', wanted flat or in", what, text);
  return text == "flat" ? Axis::kFlat : Axis::kIn;
}

std::string_view axis_name(Axis axis) {
  return axis == Axis::kFlat ? "flat" : "in";
}

BlockLayout make_layout(const WeightShape& shape, const NmPattern& pattern, Axis axis,
                        std::string_view what, bool share_taps) {
  SPIKENM_CHECK(!share_taps || axis == Axis::kIn,
                "{}: share_taps needs blocks that stay at one place of the kernel, but axis is "
                "flat; use axis in",
                what);
  BlockLayout layout;
  layout.m = pattern.m;
  layout.share = pattern.share;
  layout.numel = shape.numel();
  const int64_t taps = shape.kh * shape.kw;
  const int64_t per_channel = shape.cin * taps;

  if (axis == Axis::kIn) {
    layout.n_channels = shape.cout;
    layout.channel_stride = per_channel;
    layout.rows = share_taps ? 1 : taps;
    layout.taps = share_taps ? static_cast<int32_t>(taps) : 1;
    layout.blocks_per_row = shape.cin / pattern.m;
    layout.block_stride = pattern.m * taps;
    layout.position_stride = taps;
  } else if (pattern.share == 1) {
    // One row over the whole weight: blocks may cross output channels.
    layout.blocks_per_row = layout.numel / pattern.m;
    layout.block_stride = pattern.m;
  } else {
    SPIKENM_CHECK(
        per_channel % pattern.m == 0,
        "{}: share {} with axis flat needs blocks that do not cross output channels, but a "
        "channel has {} weights and a block {}; use axis in",
        what, pattern.share, per_channel, pattern.m);
    layout.n_channels = shape.cout;
    layout.channel_stride = per_channel;
    layout.blocks_per_row = per_channel / pattern.m;
    layout.block_stride = pattern.m;
  }

  const int64_t channel_groups = (layout.n_channels + layout.share - 1) / layout.share;
  layout.n_blocks = channel_groups * layout.rows * layout.blocks_per_row;
  return layout;
}

}  // namespace spikenm::nm
