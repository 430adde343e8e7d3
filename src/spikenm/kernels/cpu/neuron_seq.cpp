#include "spikenm/kernels/neuron_seq.h"

#include "spikenm/core/parallel.h"
#include "spikenm/kernels/cpu/table.h"

#include <algorithm>

namespace spikenm::kernels {
namespace {

// Neurons per chunk: about 64 Ki values over all steps, a multiple of every vector width.
int64_t neurons_per_chunk(int64_t steps) {
  return std::max<int64_t>(64, (int64_t{1} << 16) / std::max<int64_t>(1, steps) / 64 * 64);
}

}  // namespace

void neuron_forward_cpu(const NeuronForward<float>& args, Isa isa) {
  const CpuKernels& kernels = cpu_kernels(isa);
  parallel_for(args.n, neurons_per_chunk(args.steps),
               [&](int64_t begin, int64_t end) { kernels.neuron_forward(args, begin, end); });
}

double neuron_backward_cpu(const NeuronBackward<float>& args, Isa isa) {
  const CpuKernels& kernels = cpu_kernels(isa);
  return parallel_sum(args.n, neurons_per_chunk(args.steps), [&](int64_t begin, int64_t end) {
    return kernels.neuron_backward(args, begin, end);
  });
}

}  // namespace spikenm::kernels
