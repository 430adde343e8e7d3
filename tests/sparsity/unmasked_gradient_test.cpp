#include "spikenm/sparsity/unmasked_gradient.h"

#include "support/tensors.h"

namespace spikenm::sparsity {
namespace {

TEST(StraightThroughWeight, HasTheMaskedValueAndTheWholeGradient) {
  const at::Tensor weight = test::trained(test::normal_tensor({6, 8, 3, 3}, at::kFloat, 1));
  const at::Tensor keep = test::normal_tensor({6, 8, 3, 3}, at::kFloat, 2).gt(0).to(at::kFloat);
  const at::Tensor g = test::normal_tensor({6, 8, 3, 3}, at::kFloat, 3);
  const at::Tensor used = straight_through(weight, keep);
  EXPECT_TRUE(test::tensors_equal(used, weight * keep));
  EXPECT_TRUE(test::tensors_equal(test::gradients(used, g, {weight})[0], g));
}

}  // namespace
}  // namespace spikenm::sparsity
