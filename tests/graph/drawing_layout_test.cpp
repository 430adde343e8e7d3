#include "spikenm/graph/drawing_layout.h"

#include "spikenm/core/random.h"

#include <gtest/gtest.h>

namespace spikenm::graph {
namespace {

using Inputs = std::vector<std::vector<size_t>>;

constexpr double kWidth = 100;

DrawingLayout of(const Inputs& inputs) {
  std::vector<double> heights;
  for (size_t i = 0; i < inputs.size(); ++i) heights.push_back(i % 3 == 0 ? 20 : 50);
  return lay_out(kWidth, heights, inputs);
}

// Whether a part of a line, level or upright, goes through the inside of a box.
bool hits(const Spot& a, const Spot& b, const BoxPlace& box) {
  constexpr double kEdge = 0.5;
  return std::max(a.x, b.x) > box.x + kEdge && std::min(a.x, b.x) < box.x + box.width - kEdge &&
         std::max(a.y, b.y) > box.y + kEdge && std::min(a.y, b.y) < box.y + box.height - kEdge;
}

void expect_clean(const DrawingLayout& layout) {
  const auto& boxes = layout.boxes;
  for (size_t i = 0; i < boxes.size(); ++i) {
    EXPECT_LE(boxes[i].x + boxes[i].width, layout.width);
    EXPECT_LE(boxes[i].y + boxes[i].height, layout.height);
    for (size_t j = 0; j < i; ++j)
      EXPECT_FALSE(boxes[i].x < boxes[j].x + kWidth && boxes[j].x < boxes[i].x + kWidth &&
                   boxes[i].y < boxes[j].y + boxes[j].height &&
                   boxes[j].y < boxes[i].y + boxes[i].height)
          << "boxes " << i << " and " << j;
  }
  for (const std::vector<Spot>& line : layout.lines)
    for (size_t i = 0; i + 1 < line.size(); ++i) {
      EXPECT_TRUE(line[i].x == line[i + 1].x || line[i].y == line[i + 1].y);
      EXPECT_LE(line[i].y, line[i + 1].y) << "upwards";
      EXPECT_LE(line[i].x, layout.width);
      for (size_t b = 0; b < boxes.size(); ++b)
        EXPECT_FALSE(hits(line[i], line[i + 1], boxes[b])) << "a line goes through box " << b;
    }
}

TEST(DrawingLayout, AChainIsAColumnOfStraightLines) {
  const DrawingLayout layout = of({{}, {0}, {1}});
  expect_clean(layout);
  EXPECT_EQ(layout.width, kWidth);
  for (const std::vector<Spot>& line : layout.lines) {
    ASSERT_EQ(line.size(), 2u);
    EXPECT_EQ(line[0].x, kWidth / 2);
  }
}

// x, conv1, conv2, sum of conv2 and x.
TEST(DrawingLayout, AResidualSumIsReachedPastItsBlock) {
  const DrawingLayout layout = of({{}, {0}, {1}, {2, 0}});
  expect_clean(layout);
  EXPECT_EQ(layout.lines[2].size(), 2u);
  EXPECT_EQ(layout.lines[3].size(), 6u);
  EXPECT_GT(layout.lines[3][2].x, kWidth);
}

// x, conv1, conv2, shortcut of x, sum.
TEST(DrawingLayout, AShortcutStandsBesideItsBlock) {
  const DrawingLayout layout = of({{}, {0}, {1}, {0}, {2, 3}});
  expect_clean(layout);
  EXPECT_EQ(layout.boxes[3].y, layout.boxes[1].y);
  EXPECT_GT(layout.boxes[3].x, kWidth);
  EXPECT_EQ(layout.boxes[1].x, 0);
  EXPECT_EQ(layout.boxes[4].x, 0);
}

TEST(DrawingLayout, LinesThatPassTheSameRowsKeepApart) {
  const DrawingLayout layout = of({{}, {0}, {1, 0}, {2, 1}, {3, 1, 0}});
  expect_clean(layout);
  EXPECT_NE(layout.lines[2][2].x, layout.lines[4][2].x);
}

TEST(DrawingLayout, NoGraphHasBoxesThatOverlapOrLinesThroughBoxes) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const RandomAddress random(seed, 1);
    Inputs inputs{{}};
    uint64_t draw = 0;
    const size_t n = 2 + random.below(draw++, 20);
    for (size_t box = 1; box < n; ++box) {
      inputs.emplace_back();
      for (size_t input = 0; input < box; ++input)
        if (input + 1 == box ? random.below(draw++, 4) != 0 : random.below(draw++, 6) == 0)
          inputs.back().push_back(input);
    }
    expect_clean(of(inputs));
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(DrawingLayout, ABoxAloneNeedsNoLines) {
  EXPECT_TRUE(of({{}}).lines.empty());
}

}  // namespace
}  // namespace spikenm::graph
