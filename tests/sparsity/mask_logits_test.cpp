#include "spikenm/sparsity/mask_logits.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

namespace spikenm::sparsity {
namespace {

TEST(LogitEntropy, IsOneWhenUndecidedAndZeroWhenCertain) {
  EXPECT_NEAR(logit_entropy({at::zeros({3, 4})}), 1, 1e-6);
  EXPECT_NEAR(logit_entropy({at::full({2, 16}, 5.0f)}), 1, 1e-6);
  EXPECT_NEAR(logit_entropy({at::tensor({100.0f, 0.0f, 0.0f, 0.0f}).view({1, 4})}), 0, 1e-6);
  EXPECT_EQ(logit_entropy({}), 0);
  EXPECT_EQ(logit_entropy({at::empty({0, 4})}), 0);
}

// Two equally likely choices of four have half of the entropy of four.
TEST(LogitEntropy, IsTheMeanOverTheBlocksOfAllLayers) {
  const at::Tensor half = at::tensor({0.0f, 0.0f, -100.0f, -100.0f}).view({1, 4});
  EXPECT_NEAR(logit_entropy({half}), 0.5, 1e-6);
  EXPECT_NEAR(logit_entropy({half, at::zeros({3, 8})}), (0.5 + 3) / 4, 1e-6);
}

}  // namespace
}  // namespace spikenm::sparsity
