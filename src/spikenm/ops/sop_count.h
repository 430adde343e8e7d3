// Synaptic operations from spikes and from what reads them (kernels/sop_count.h).
#pragma once

#include "spikenm/ops/synapse.h"

namespace spikenm::ops {

// How many live weights (other than 0) read every place of an input of x_sizes ([T,B,C,H,W] or
// [T,B,C]): float, [1,1,C,H,W] or [1,1,C]. Where `keep` (0 or 1, of the sizes of a sample's
// outputs) is given, only weights to outputs that are kept count.
Tensor reach_of(const Tensor& weight, const SynapseGeometry& geometry, at::IntArrayRef x_sizes,
                const Tensor& keep = {});

// A sum over any number of inputs x [T,B,...], all on one device. On a GPU it stays there until it
// is asked for: adding waits for nothing.
class SpikeCounter {
 public:
  // sum x reach: the synaptic operations of a layer.
  void add(const Tensor& x, const Tensor& reach);
  // sum x: every spike once.
  void add(const Tensor& x);

  [[nodiscard]] double total() const;

 private:
  Tensor parts_;  // double: one on the CPU, kernels::kSopParts on a GPU
};

}  // namespace spikenm::ops
