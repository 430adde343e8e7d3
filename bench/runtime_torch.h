// libtorch's side of runtime_bench.
#pragma once

#include "spikenm/graph/graph.h"

#include <memory>

namespace spikenm::bench {

// All synapses of a network in bf16, each in the memory format that is faster for it.
class TorchLayers {
 public:
  TorchLayers(const graph::Graph& graph, int64_t steps, int64_t batch);
  ~TorchLayers();
  TorchLayers(const TorchLayers&) = delete;
  TorchLayers& operator=(const TorchLayers&) = delete;

  void run() const;  // all of them once
  // Waits until the threads that libtorch started sleep: they would slow what is timed next.
  static void rest();

 private:
  struct Cases;
  std::unique_ptr<const Cases> cases_;
};

// Whether there is a libtorch; without one nothing of the above does anything.
#if defined(SPIKENM_BENCH_TORCH)
constexpr bool kHasTorch = true;
#else
constexpr bool kHasTorch = false;

struct TorchLayers::Cases {};
inline TorchLayers::TorchLayers(const graph::Graph&, int64_t, int64_t) {}
inline TorchLayers::~TorchLayers() = default;
inline void TorchLayers::run() const {}
inline void TorchLayers::rest() {}
#endif

}  // namespace spikenm::bench
