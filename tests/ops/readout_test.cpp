#include "spikenm/ops/readout.h"

#include "support/tensors.h"
#include "support/tiny_network.h"

namespace spikenm::ops {
namespace {

using test::floats;
using test::tensors_equal;

TEST(Vote, ConsecutiveOutputsAreAveraged) {
  const Tensor x = floats({1, 3, 10, 20,  //
                           0, 1, 2, 6},
                          {2, 1, 4});
  EXPECT_TRUE(tensors_equal(vote(x, 2), floats({2, 15, 0.5f, 4}, {2, 1, 2})));
  EXPECT_TRUE(tensors_equal(vote(x, 4), floats({8.5f, 2.25f}, {2, 1, 1})));
}

TEST(Vote, OneVoterDecidesAlone) {
  const Tensor x = floats({1, 3, 10, 20}, {1, 2, 2});
  EXPECT_TRUE(tensors_equal(vote(x, 1), x));
}

TEST(Vote, TheGradientIsSharedByTheVoters) {
  const Tensor x = at::zeros({1, 1, 4}).set_requires_grad(true);
  EXPECT_TRUE(tensors_equal(test::gradients(vote(x, 2), floats({2, 6}, {1, 1, 2}), {x})[0],
                            floats({1, 1, 3, 3}, {1, 1, 4})));
}

TEST(GlobalAverage, IsTheMeanOfAMapThatNeedNotBeSquare) {
  const Tensor x = floats({1, 2, 3, 4, 5, 9,  //
                           0, 0, 0, 0, 0, 6},
                          {1, 1, 2, 2, 3});
  EXPECT_TRUE(tensors_equal(global_average(x), floats({4, 1}, {1, 1, 2})));
}

TEST(Exact, LeavesValuesOfTheCpuAsTheyAre) {
  for (const at::ScalarType type : test::kRealTypes) {
    const Tensor x = test::normal_tensor({2, 3}, type, 1);
    EXPECT_TRUE(exact(x).is_same(x));
  }
}

}  // namespace
}  // namespace spikenm::ops
