#include "spikenm/train/score_file.h"

#include "spikenm/train/tensor_file.h"

#include <ATen/ATen.h>

namespace spikenm::train {

ScoreSink ScoreFile::sink() {
  return [this](const at::Tensor& scores, const at::Tensor& labels) {
    scores_.push_back(scores.to(at::kFloat).mean(0).cpu());
    labels_.push_back(labels.to(at::kCPU, at::kLong));
  };
}

void ScoreFile::write(const std::filesystem::path& path) const {
  write_tensor_file(path, {.tensors = {{"scores", at::cat(scores_)}, {"labels", at::cat(labels_)}},
                           .metadata = {}});
}

}  // namespace spikenm::train
