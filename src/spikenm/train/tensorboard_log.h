// What TensorBoard shows of a run: the numbers of its epochs as curves, its masks as pictures, its
// weights and logits as histograms.
#pragma once

#include "spikenm/core/json.h"
#include "spikenm/core/tensorboard_file.h"
#include "spikenm/sparsity/frozen_masks.h"

#include <filesystem>
#include <vector>

namespace spikenm::train {

class TensorBoardLog {
 public:
  explicit TensorBoardLog(std::filesystem::path folder) : file_(std::move(folder)) {}

  // Removes what was written after the step.
  void cut_after(int64_t step) { file_.cut_after(step); }

  // Writes one epoch. `line` is its line of metrics; a number becomes a point of its curve, an
  // object of numbers a curve each. `masks` are those of validation: a picture `masks/LAYER` each.
  // Every layer of the network has a histogram `weights/LAYER`, of the weights that its mask keeps,
  // and every tensor of `kept` has one: "conv1.logits" becomes `logits/conv1`.
  void add_epoch(const Json& line, int64_t step, const nn::Network& network,
                 const sparsity::Masks& masks, const std::vector<nn::NamedTensor>& kept);

  // That add_epoch() took, all calls together.
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  TensorBoardFile file_;
  double seconds_ = 0;
};

}  // namespace spikenm::train
