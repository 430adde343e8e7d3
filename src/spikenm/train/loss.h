// Losses by name: scores [T,B,K] and labels [B] -> a scalar.
#pragma once

#include "spikenm/core/registry.h"

#include <ATen/core/Tensor.h>

#include <functional>

namespace spikenm::train {

using Loss = std::function<at::Tensor(const at::Tensor& scores, const at::Tensor& labels)>;

const Registry<Loss>& losses();

}  // namespace spikenm::train
