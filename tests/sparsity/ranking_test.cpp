#include "spikenm/sparsity/ranking.h"

#include "support/channel_layers.h"

#include <gtest/gtest.h>

namespace spikenm::sparsity {
namespace {

using test::values;

int64_t above(const std::vector<at::Tensor>& scores, double bound) {
  int64_t n = 0;
  for (const at::Tensor& score : scores) n += score.gt(bound).sum().item<int64_t>();
  return n;
}

TEST(BoundAbove, IsExceededByExactlyThatManyScoresOfAllTensors) {
  const std::vector<at::Tensor> scores{at::tensor({3.F, -1.F, 5.F}),
                                       at::tensor({2.F, 4.F}).view({2, 1})};
  for (int64_t n = 0; n <= 5; ++n) EXPECT_EQ(above(scores, bound_above(scores, n)), n);
  EXPECT_EQ(bound_above(scores, 2), 3);  // 4 and 5 exceed it
}

// Equal scores are on one side together, so fewer may exceed the bound than were asked for.
TEST(BoundAbove, NeverLeavesMoreWhereScoresAreEqual) {
  const std::vector<at::Tensor> scores{at::tensor({1.F, 1.F, 1.F, 2.F})};
  EXPECT_EQ(above(scores, bound_above(scores, 1)), 1);
  EXPECT_EQ(above(scores, bound_above(scores, 2)), 1);
  EXPECT_EQ(above(scores, bound_above(scores, 4)), 4);
}

TEST(LargestN, MarksTheLargestInTheShapeOfTheScores) {
  const at::Tensor scores = at::tensor({1.F, 4.F, 3.F, 2.F}).view({2, 2});
  EXPECT_EQ(values(largest_n(scores, 0)), (std::vector<float>{0, 0, 0, 0}));
  EXPECT_EQ(values(largest_n(scores, 2)), (std::vector<float>{0, 1, 1, 0}));
  EXPECT_EQ(values(largest_n(scores, 4)), (std::vector<float>{1, 1, 1, 1}));
  EXPECT_EQ(largest_n(scores, 2).sizes(), scores.sizes());
}

TEST(LargestN, TakesTheFirstOfEquals) {
  EXPECT_EQ(values(largest_n(at::tensor({2.F, 1.F, 2.F, 2.F}), 2)),
            (std::vector<float>{1, 0, 1, 0}));
  EXPECT_EQ(values(largest_n(at::zeros({3}), 1)), (std::vector<float>{1, 0, 0}));
}

TEST(LargestOfAll, TakesExactlyThatManyAndTheFirstOfEquals) {
  const std::vector<at::Tensor> scores{at::tensor({1.F, 3.F, 1.F, 1.F}).view({2, 2}),
                                       at::tensor({0.F, 1.F, 2.F})};
  const auto kept = [&](int64_t n) {
    const std::vector<at::Tensor> masks = largest_of_all(scores, n);
    EXPECT_EQ(masks[0].sizes(), scores[0].sizes());
    return std::pair{values(masks[0]), values(masks[1])};
  };
  using Pair = std::pair<std::vector<float>, std::vector<float>>;
  EXPECT_EQ(kept(0), (Pair{{0, 0, 0, 0}, {0, 0, 0}}));
  EXPECT_EQ(kept(2), (Pair{{0, 1, 0, 0}, {0, 0, 1}}));
  EXPECT_EQ(kept(4), (Pair{{1, 1, 1, 0}, {0, 0, 1}}));
  EXPECT_EQ(kept(6), (Pair{{1, 1, 1, 1}, {0, 1, 1}}));
  EXPECT_EQ(kept(7), (Pair{{1, 1, 1, 1}, {1, 1, 1}}));
}

}  // namespace
}  // namespace spikenm::sparsity
