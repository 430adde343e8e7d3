// libtorch's side of runtime_bench.
#pragma once

#include "spikenm/graph/graph.h"

namespace spikenm::bench {

// The best time of all synapses of a network for one sample, in bf16 and the better memory format of
// each, in milliseconds; 0 in a build without torch.
#if defined(SPIKENM_BENCH_TORCH)
double torch_best_ms(const graph::Graph& graph, int64_t steps, int64_t batch, int rounds);
#else
inline double torch_best_ms(const graph::Graph&, int64_t, int64_t, int) {
  return 0;
}
#endif

}  // namespace spikenm::bench
