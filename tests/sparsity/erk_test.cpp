#include "spikenm/sparsity/erk.h"

#include <gtest/gtest.h>

#include <numeric>

namespace spikenm::sparsity {
namespace {

int64_t sum_of(const std::vector<int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), int64_t{0});
}

// (4+2+3+3) / 72 and (8+4+3+3) / 288 are 1/6 and 1/16. Of 360 weights, 120 are kept at a scale of
// 4 (4/6 of 72, 4/16 of 288), 180 at 6, where the first layer is whole.
TEST(Erk, SmallLayersAreDenserThanLargeOnes) {
  const std::vector<nm::WeightShape> shapes{{4, 2, 3, 3}, {8, 4, 3, 3}};
  EXPECT_DOUBLE_EQ(erk_density(shapes[0]), 1.0 / 6);
  EXPECT_DOUBLE_EQ(erk_density(shapes[1]), 1.0 / 16);
  EXPECT_EQ(erk_counts(shapes, 1.0 / 3), (std::vector<int64_t>{48, 72}));
  EXPECT_EQ(erk_counts(shapes, 0.5), (std::vector<int64_t>{72, 108}));
  EXPECT_EQ(erk_counts(shapes, 1), (std::vector<int64_t>{72, 288}));
}

TEST(Erk, TheCountsAddUpToTheTargetExactly) {
  const std::vector<nm::WeightShape> shapes{{16, 2, 3, 3}, {32, 16, 3, 3}, {64, 128, 1, 1}};
  const int64_t all = 288 + 4608 + 8192;
  for (int64_t wanted = 3; wanted <= all; wanted += 97) {
    const std::vector<int64_t> counts =
        erk_counts(shapes, static_cast<double>(wanted) / static_cast<double>(all));
    EXPECT_EQ(sum_of(counts), wanted);
    for (size_t i = 0; i < shapes.size(); ++i) {
      EXPECT_GE(counts[i], 1);
      EXPECT_LE(counts[i], shapes[i].numel());
    }
  }
}

TEST(Erk, EveryLayerKeepsAWeight) {
  const std::vector<nm::WeightShape> shapes{{4, 2, 3, 3}, {64, 64, 3, 3}};
  EXPECT_EQ(erk_counts(shapes, 1e-9), (std::vector<int64_t>{1, 1}));
}

}  // namespace
}  // namespace spikenm::sparsity
