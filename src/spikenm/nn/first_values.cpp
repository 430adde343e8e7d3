#include "spikenm/nn/first_values.h"

#include "spikenm/core/parallel.h"
#include "spikenm/core/random.h"

#include <ATen/ATen.h>

#include <cmath>

namespace spikenm::nn {

using at::Tensor;

Tensor kaiming_weight(const nm::WeightShape& shape, uint64_t seed, uint32_t index) {
  const RandomAddress random(seed, random_stream(RandomUse::kWeightInit, index));
  const double std = std::sqrt(2.0 / static_cast<double>(shape.cout * shape.kh * shape.kw));
  Tensor weight = at::empty({shape.cout, shape.cin, shape.kh, shape.kw}, at::kFloat);
  float* out = weight.mutable_data_ptr<float>();
  parallel_for(weight.numel(), 16384, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      out[i] = static_cast<float>(std * random.normal(static_cast<uint64_t>(i)));
  });
  return weight;
}

Tensor uniform_bias(const nm::WeightShape& shape, uint64_t seed, uint32_t index) {
  // Step 1 of the layer's stream: its weights have step 0.
  const RandomAddress random(seed, random_stream(RandomUse::kWeightInit, index), 1);
  const double limit = 1 / std::sqrt(static_cast<double>(shape.cin * shape.kh * shape.kw));
  Tensor bias = at::empty({shape.cout}, at::kFloat);
  float* out = bias.mutable_data_ptr<float>();
  for (int64_t i = 0; i < shape.cout; ++i)
    out[i] = static_cast<float>(random.uniform(static_cast<uint64_t>(i), -limit, limit));
  return bias;
}

}  // namespace spikenm::nn
