// The masks of a run: of its finished model, and of the checkpoints it has kept.
#pragma once

#include "spikenm/nm/grouping.h"
#include "spikenm/report/runs.h"

namespace spikenm::report {

struct LayerMask {
  std::string name;
  std::string pattern;            // "2:8", "dense", or empty when it is not known
  nm::BlockLayout layout;         // of an N:M pattern; else without blocks
  std::vector<uint8_t> keep;      // [numel], 0 or 1
  std::vector<float> magnitude;   // [numel], |w|
  std::optional<double> entropy;  // of softmax(logits), by its largest value; mean of all blocks

  [[nodiscard]] double kept_share() const;
};

struct MaskMoment {
  std::string name;  // "epoch 3", "final"
  double epoch = 0;
  std::vector<LayerMask> layers;
};

// Oldest first. An Error when the run has neither a checkpoint with masks nor a model with some.
std::vector<MaskMoment> read_masks(const Run& run);

}  // namespace spikenm::report
