// Synaptic operations from spikes and from what reads them (kernels/sop_count.h).
#pragma once

#include "spikenm/ops/synapse.h"

namespace spikenm::ops {

// The number of live weights (other than 0) that read each place of an input of x_sizes
// ([T,B,C,H,W] or [T,B,C]): float, [1,1,C,H,W] or [1,1,C]. If `keep` (0 or 1, with the sizes of a
// sample's outputs) is given, only weights to kept outputs count.
Tensor reach_of(const Tensor& weight, const SynapseGeometry& geometry, at::IntArrayRef x_sizes,
                const Tensor& keep = {});

// A sum over any number of inputs x [T,B,...], all on one device. On a GPU the sum stays there
// until total() is called, so that add() waits for nothing.
class SpikeCounter {
 public:
  // Adds sum x reach: the synaptic operations of a layer.
  void add(const Tensor& x, const Tensor& reach);
  // Adds sum x: every spike once.
  void add(const Tensor& x);

  [[nodiscard]] double total() const;

 private:
  Tensor parts_;  // double: one on the CPU, kernels::kSopParts on a GPU
};

}  // namespace spikenm::ops
