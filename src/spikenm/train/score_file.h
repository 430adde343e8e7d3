// The scores of every sample that was measured, as a file that other programs compare theirs with.
#pragma once

#include "spikenm/train/evaluate.h"

#include <filesystem>
#include <vector>

namespace spikenm::train {

class ScoreFile {
 public:
  // Keeps what evaluate() shows; good for as long as this lives.
  [[nodiscard]] ScoreSink sink();

  // A safetensors file with "scores" F32 [samples, classes], means over all steps, and "labels" I64
  // [samples]. It needs at least one sample.
  void write(const std::filesystem::path& path) const;

 private:
  std::vector<at::Tensor> scores_, labels_;  // of each batch, on the CPU
};

}  // namespace spikenm::train
