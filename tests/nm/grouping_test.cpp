#include "spikenm/nm/grouping.h"

#include "support/expect_error.h"

#include <algorithm>
#include <vector>

namespace spikenm::nm {
namespace {

constexpr int64_t kTail = -1;

// The mask block of every element, kTail for none. Fails when two blocks claim one element.
std::vector<int64_t> block_of_elements(const BlockLayout& layout) {
  std::vector<int64_t> owner(static_cast<size_t>(layout.numel), kTail);
  for (int64_t b = 0; b < layout.n_blocks; ++b) {
    for (int32_t i = 0; i < layout.members_of(b); ++i) {
      for (int32_t s = 0; s < layout.m; ++s) {
        const int64_t element = layout.start(b) + layout.member(i) + s * layout.position_stride;
        int64_t& slot = owner.at(static_cast<size_t>(element));
        EXPECT_EQ(slot, kTail) << "element " << element << " is in two blocks";
        slot = b;
      }
    }
  }
  return owner;
}

int64_t tail_elements(const BlockLayout& layout) {
  const std::vector<int64_t> owner = block_of_elements(layout);
  return std::count(owner.begin(), owner.end(), kTail);
}

struct Case {
  WeightShape shape;
  NmPattern pattern;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const int m : {1, 4, 8}) {
    for (const int64_t cin : {1, m - 1, m, m + 1, 2 * m + 3}) {
      if (cin == 0) continue;
      for (const int64_t cout : {1, 2, 5}) {
        for (const int64_t k : {1, 3}) {
          for (const int share : {1, 2, 4})
            all.push_back(
                {{.cout = cout, .cin = cin, .kh = k, .kw = k}, {.n = 1, .m = m, .share = share}});
        }
      }
    }
  }
  return all;
}

TEST(Grouping, InLeavesTheLastChannelsOfEveryRowAsTail) {
  for (const auto& [shape, pattern] : cases()) {
    const BlockLayout layout = make_layout(shape, pattern, Axis::kIn, "conv1");
    const int64_t tail = shape.cout * shape.kh * shape.kw * (shape.cin % pattern.m);
    EXPECT_EQ(layout.tail(), tail);
    EXPECT_EQ(tail_elements(layout), tail);
  }
}

TEST(Grouping, InKeepsABlockInsideOneRowAndOneShareGroup) {
  for (const auto& [shape, pattern] : cases()) {
    const BlockLayout layout = make_layout(shape, pattern, Axis::kIn, "conv1");
    const std::vector<int64_t> owner = block_of_elements(layout);
    const int64_t taps = shape.kh * shape.kw, blocks = shape.cin / pattern.m;
    for (int64_t i = 0; i < layout.numel; ++i) {
      const int64_t tap = i % taps, cin = i / taps % shape.cin, cout = i / taps / shape.cin;
      const int64_t wanted = cin / pattern.m < blocks
                                 ? (cout / pattern.share * taps + tap) * blocks + cin / pattern.m
                                 : kTail;
      ASSERT_EQ(owner[static_cast<size_t>(i)], wanted) << "element " << i;
    }
  }
}

TEST(Grouping, SharedTapsAreOneMaskBlockForEveryPlaceOfTheKernel) {
  for (const auto& [shape, pattern] : cases()) {
    const BlockLayout layout = make_layout(shape, pattern, Axis::kIn, "conv1", true);
    const std::vector<int64_t> owner = block_of_elements(layout);
    const int64_t taps = shape.kh * shape.kw, blocks = shape.cin / pattern.m;
    for (int64_t i = 0; i < layout.numel; ++i) {
      const int64_t cin = i / taps % shape.cin, cout = i / taps / shape.cin;
      const int64_t wanted =
          cin / pattern.m < blocks ? cout / pattern.share * blocks + cin / pattern.m : kTail;
      ASSERT_EQ(owner[static_cast<size_t>(i)], wanted) << "element " << i;
    }
    EXPECT_EQ(tail_elements(layout), layout.tail());
  }
}

TEST(Grouping, SharedTapsOfAKernelOfOnePlaceChangeNothing) {
  const WeightShape shape{.cout = 5, .cin = 9};
  const NmPattern pattern{.n = 2, .m = 4, .share = 2};
  EXPECT_EQ(block_of_elements(make_layout(shape, pattern, Axis::kIn, "fc", true)),
            block_of_elements(make_layout(shape, pattern, Axis::kIn, "fc")));
}

TEST(Grouping, FlatRefusesToShareTaps) {
  EXPECT_ERROR(make_layout({.cout = 4, .cin = 4, .kh = 3, .kw = 3}, {.n = 2, .m = 4}, Axis::kFlat,
                           "conv1", true),
               "conv1", "share_taps", "flat", "use axis in");
}

TEST(Grouping, FlatCutsConsecutiveElementsAndLeavesOneTail) {
  for (const auto& [shape, pattern] : cases()) {
    if (pattern.share > 1) continue;
    const BlockLayout layout = make_layout(shape, pattern, Axis::kFlat, "conv1");
    EXPECT_EQ(layout.tail(), shape.numel() % pattern.m);
    const std::vector<int64_t> owner = block_of_elements(layout);
    for (int64_t i = 0; i < layout.numel; ++i) {
      const int64_t wanted = i < layout.n_blocks * pattern.m ? i / pattern.m : kTail;
      ASSERT_EQ(owner[static_cast<size_t>(i)], wanted) << "element " << i;
    }
    EXPECT_EQ(tail_elements(layout), layout.tail());
  }
}

TEST(Grouping, DrawingInTheHeaderIsTrue) {
  const WeightShape shape{.cout = 2, .cin = 5, .kh = 1, .kw = 2};
  const NmPattern pattern{.n = 2, .m = 4};
  EXPECT_EQ(block_of_elements(make_layout(shape, pattern, Axis::kFlat, "conv1")),
            (std::vector<int64_t>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4}));
  EXPECT_EQ(block_of_elements(make_layout(shape, pattern, Axis::kIn, "conv1")),
            (std::vector<int64_t>{0, 1, 0, 1, 0, 1, 0, 1, kTail, kTail,
                                  2, 3, 2, 3, 2, 3, 2, 3, kTail, kTail}));
  EXPECT_EQ(block_of_elements(make_layout(shape, pattern, Axis::kIn, "conv1", true)),
            (std::vector<int64_t>{0, 0, 0, 0, 0, 0, 0, 0, kTail, kTail,
                                  1, 1, 1, 1, 1, 1, 1, 1, kTail, kTail}));
}

TEST(Grouping, BlockWiderThanTheChannelsLeavesOnlyTail) {
  const BlockLayout layout =
      make_layout({.cout = 3, .cin = 7, .kh = 3, .kw = 3}, {.n = 2, .m = 8}, Axis::kIn, "conv1");
  EXPECT_EQ(layout.n_blocks, 0);
  EXPECT_EQ(layout.tail(), 3 * 7 * 9);
}

TEST(Grouping, LastShareGroupMayBeShort) {
  const BlockLayout layout =
      make_layout({.cout = 5, .cin = 8}, {.n = 2, .m = 4, .share = 2}, Axis::kIn, "fc");
  std::vector<int32_t> channels;
  for (int64_t b = 0; b < layout.n_blocks; ++b) channels.push_back(layout.channels_of(b));
  EXPECT_EQ(channels, (std::vector<int32_t>{2, 2, 2, 2, 1, 1}));
}

TEST(Grouping, ShareWiderThanTheLayerIsOneGroup) {
  const BlockLayout layout =
      make_layout({.cout = 3, .cin = 4}, {.n = 2, .m = 4, .share = 8}, Axis::kIn, "fc");
  EXPECT_EQ(layout.n_blocks, 1);
  EXPECT_EQ(layout.channels_of(0), 3);
}

TEST(Grouping, FlatSharesBlocksThatStayInsideAChannel) {
  const BlockLayout layout = make_layout({.cout = 3, .cin = 2, .kh = 1, .kw = 2},
                                         {.n = 2, .m = 4, .share = 2}, Axis::kFlat, "conv1");
  EXPECT_EQ(block_of_elements(layout), (std::vector<int64_t>{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(layout.tail(), 0);
}

TEST(Grouping, FlatRefusesToShareBlocksThatCrossChannels) {
  EXPECT_ERROR(make_layout({.cout = 4, .cin = 5, .kh = 1, .kw = 2}, {.n = 2, .m = 4, .share = 2},
                           Axis::kFlat, "conv1"),
               "conv1", "share 2", "10", "use axis in");
}

TEST(Grouping, AxisNamesReadBack) {
  for (const Axis axis : {Axis::kFlat, Axis::kIn})
    EXPECT_EQ(parse_axis(axis_name(axis), "mask.axis"), axis);
}

TEST(Grouping, UnknownAxisIsRefused) {
  EXPECT_ERROR(parse_axis("out", "mask.axis"), "mask.axis", "out", "flat or in");
}

}  // namespace
}  // namespace spikenm::nm
