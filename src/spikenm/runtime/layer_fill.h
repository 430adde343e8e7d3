// Writes packed int8 weights to the rows of a layer, fast: loading a model is mostly this.
#pragma once

#include "spikenm/runtime/weight_walk.h"

#include <functional>

namespace spikenm::runtime {

// Whether masks lie along the input channels and are shared within blocks of 64 outputs alone.
bool masks_by_block(const SynapseTensor& tensor);

// Calls call(element of an output channel) for all that some of the outputs 64 block to 64 block + 63 keep
// in blocks of the pattern, each mask once. Where masks_by_block().
void each_kept(const SynapseTensor& tensor, int64_t block,
               const std::function<void(int64_t)>& call);

// Whether the blocks of a weight can be written by fill_block(): int8, and masks_by_block().
bool fills_by_block(const SynapseTensor& tensor);

// Where the weights of one block of 64 outputs go: row_at[element of an output channel] is the
// number of the byte at which its row begins, from `rows` on.
struct BlockRows {
  uint8_t* rows = nullptr;
  std::vector<uint32_t> row_at;
};

// Writes all weights of output channels 64 block to 64 block + 63 that are in blocks of the pattern.
void fill_block(const SynapseTensor& tensor, int64_t block, const BlockRows& to);

// The place of a lane in a row of int8, and what its zero is (kernels/spike_layer.h).
struct RowLane {
  int64_t at;
  uint8_t zero;

  explicit RowLane(int64_t lane)
      : at(lane < kernels::kSpikeBlock / 2 ? 2 * lane : 2 * lane - kernels::kSpikeBlock + 1),
        zero(lane < kernels::kSpikeBlock / 2 ? 128 : 0) {}
};

}  // namespace spikenm::runtime
