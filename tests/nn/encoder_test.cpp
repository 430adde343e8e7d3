#include "spikenm/nn/encoder.h"

#include "support/expect_error.h"
#include "support/tensors.h"

namespace spikenm::nn {
namespace {

using test::normal_tensor;
using test::tensors_identical;

TEST(Encoder, AStaticImageIsOneConstantStep) {
  const at::Tensor images = normal_tensor({2, 3, 4, 5}, at::kFloat, 1);
  for (const int64_t T : {1, 3}) {
    const at::Tensor x = encode(images, T);
    ASSERT_EQ(x.sizes(), at::IntArrayRef({1, 2, 3, 4, 5}));
    EXPECT_TRUE(tensors_identical(x[0], images));
  }
}

TEST(Encoder, EventFramesPassAsTheyAre) {
  const at::Tensor frames = normal_tensor({3, 2, 2, 4, 4}, at::kFloat, 1);
  EXPECT_TRUE(encode(frames, 3).is_same(frames));
}

TEST(Encoder, AnotherNumberOfStepsOrAxesIsAnError) {
  EXPECT_ERROR(encode(at::ones({3, 2, 2, 4, 4}), 4), "encoder", "3 time steps", "[4,B,C,H,W]");
  EXPECT_ERROR(encode(at::ones({3, 4, 4}), 3), "encoder", "3-d batch");
}

}  // namespace
}  // namespace spikenm::nn
