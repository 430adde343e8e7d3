#include "spikenm/train/plain_step.h"

#include "spikenm/core/parallel.h"
#include "spikenm/nn/encoder.h"
#include "spikenm/nn/plain_pass.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

namespace spikenm::train {
namespace {

// While this lives, ATen uses all threads; everywhere else it uses one (ops/tensor_args.h).
class AtenThreads {
 public:
  AtenThreads() { at::set_num_threads(threads()); }
  ~AtenThreads() { at::set_num_threads(1); }
  AtenThreads(const AtenThreads&) = delete;
  AtenThreads& operator=(const AtenThreads&) = delete;
};

}  // namespace

void plain_step(nn::Network& network, int64_t T, Stepper& stepper, const BatchTensors& batch,
                double lr) {
  stepper.optimizer().zero_grad();
  {
    const AtenThreads all;
    nn::PlainPass pass(/*training=*/true, T);
    const at::Tensor scores = network.forward(pass, nn::encode(batch.frames, T));
    stepper.loss(scores, batch).backward();
  }
  stepper.update({}, lr, {});
}

}  // namespace spikenm::train
