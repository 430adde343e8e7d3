// Losses by name: scores [T,B,K] and labels [B] -> a scalar.
#pragma once

#include "spikenm/core/registry.h"

#include <ATen/core/Tensor.h>

#include <functional>

namespace spikenm::train {

struct Loss {
  std::function<at::Tensor(const at::Tensor& scores, const at::Tensor& labels)> value;
  // The loss of the best answer that is the same for every sample, if all classes are equally
  // frequent.
  std::function<double(int64_t classes)> of_constant;

  at::Tensor operator()(const at::Tensor& scores, const at::Tensor& labels) const {
    return value(scores, labels);
  }
};

const Registry<Loss>& losses();

}  // namespace spikenm::train
