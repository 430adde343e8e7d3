#include "spikenm/kernels/math/augment.h"

namespace spikenm::kernels {

void augment(const Augment& args) {
  for (int64_t i = 0; i < args.B * args.H * args.W; ++i) augment_pixel(args, i);
}

}  // namespace spikenm::kernels
