#include "spikenm/train/plain_step.h"

#include "support/small_network.h"
#include "support/tensors.h"

#include <ATen/Parallel.h>

namespace spikenm::train {
namespace {

Stepper stepper_of(nn::Network& network, int64_t T) {
  return {network, T, losses().find("ce"), {.kind = nn::OptimizerKind::kSgd, .momentum = 0}, 0};
}

// A step of plain gradient descent moves a weight by its gradient.
TEST(PlainStep, MovesTheWeightsAsOurStepDoes) {
  const auto plain = test::small_network(), ours = test::small_network();
  const BatchTensors batch{.frames = test::spike_batch(3, 4), .labels = at::arange(4)};
  Stepper plain_stepper = stepper_of(*plain, 3), stepper = stepper_of(*ours, 3);
  plain_step(*plain, 3, plain_stepper, batch, 1.0);
  stepper.step(batch, {}, 1.0, {});
  const auto before = test::small_network()->parameters(), wanted = ours->parameters(),
             found = plain->parameters();
  for (size_t i = 0; i < wanted.size(); ++i) {
    const at::Tensor move = (wanted[i].tensor - before[i].tensor).detach();
    const double largest = move.abs().max().item<double>();
    EXPECT_GT(largest, 0) << wanted[i].name;
    EXPECT_TRUE(test::tensors_close((found[i].tensor - before[i].tensor).detach(), move,
                                    {1e-3 * largest, 1e-3}))
        << wanted[i].name;
  }
}

TEST(PlainStep, ShowsAStaticImageAtEveryStep) {
  const auto image = test::small_network(), repeated = test::small_network();
  const at::Tensor frames = test::spike_batch(1, 4);
  Stepper a = stepper_of(*image, 3), b = stepper_of(*repeated, 3);
  plain_step(*image, 3, a, {.frames = frames[0], .labels = at::arange(4)}, 1.0);
  plain_step(*repeated, 3, b, {.frames = frames.repeat({3, 1, 1, 1, 1}), .labels = at::arange(4)},
             1.0);
  for (size_t i = 0; i < image->parameters().size(); ++i)
    EXPECT_TRUE(
        test::tensors_identical(image->parameters()[i].tensor, repeated->parameters()[i].tensor));
}

TEST(PlainStep, LeavesAtenOnOneThread) {
  const auto network = test::small_network();
  Stepper stepper = stepper_of(*network, 3);
  plain_step(*network, 3, stepper, {.frames = test::spike_batch(3, 4), .labels = at::arange(4)},
             0.1);
  EXPECT_EQ(at::get_num_threads(), 1);
}

}  // namespace
}  // namespace spikenm::train
