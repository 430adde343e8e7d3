// A small convolutional network with layers conv1, conv2, conv3 and fc1 on 8x8 frames, methods on
// it, and one training step of both.
#pragma once

#include "spikenm/graph/graph_json.h"
#include "spikenm/graph/models/models.h"
#include "spikenm/graph/models/neuron_options.h"
#include "spikenm/nn/run_pass.h"
#include "spikenm/sparsity/frozen_masks.h"
#include "support/normal_values.h"

#include <ATen/ATen.h>

#include <memory>
#include <string>
#include <vector>

namespace spikenm::test {

inline std::unique_ptr<nn::Network> small_network(int width = 8, uint64_t seed = 0) {
  const graph::ModelSpec spec{.frame = {2, 8, 8}, .neuron = graph::read_neuron(Config())};
  const Config config = Config::from_text("voters = 1\nwidth = " + std::to_string(width), "test");
  return std::make_unique<nn::Network>(graph::models().find("small_conv")(spec, config), seed);
}

// The same with `maskable = false` at the nodes whose names begin like this.
inline std::unique_ptr<nn::Network> small_network_unmaskable(const std::string& prefix) {
  Json json = graph::graph_to_json(small_network()->graph());
  for (Json& node : json["node"])
    if (node["name"].get<std::string>().starts_with(prefix)) node["maskable"] = false;
  return std::make_unique<nn::Network>(graph::graph_from_json(json, "test"));
}

// `toml` is the [method] section.
inline std::unique_ptr<sparsity::Pruning> method_on(nn::Network& network, const std::string& name,
                                                    const std::string& toml, uint64_t seed = 0) {
  return sparsity::make_method(name, network, Config::from_text(toml, "test"), seed);
}

// Random spikes [T,B,2,8,8] with the values 0 and 1, half each.
inline at::Tensor spike_batch(int64_t T = 3, int64_t B = 4) {
  const auto n = static_cast<size_t>(T * B * 2 * 8 * 8);
  return at::tensor(normal_values<float>(n, 1, 5)).gt(0).to(at::kFloat).view({T, B, 2, 8, 8});
}

// Forward and backward of one step of a search, with fresh gradients; returns the loss.
inline double search_step(nn::Network& network, sparsity::Pruning& method,
                          const sparsity::StepInfo& info = {}) {
  for (const nn::NamedTensor& p : network.parameters()) p.tensor.mutable_grad() = at::Tensor();
  for (const sparsity::ParamGroup& group : method.param_groups())
    for (const at::Tensor& t : group.tensors) t.mutable_grad() = at::Tensor();
  const sparsity::MethodHooks hooks(method);
  method.begin_step(info);
  nn::RunPass pass(/*training=*/true);
  const at::Tensor scores = network.forward(pass, spike_batch()).mean(0);  // [B,K]
  const at::Tensor loss = at::cross_entropy_loss(scores, at::arange(scores.size(0)));
  loss.backward();
  method.after_backward(info);
  return loss.item<double>();
}

// What every layer of the method would keep, one after another.
inline std::vector<uint8_t> hardened(const sparsity::Pruning& method) {
  std::vector<uint8_t> keep;
  for (const sparsity::LayerMask& m : sparsity::harden_all(method).weights)
    keep.insert(keep.end(), m.mask.keep.begin(), m.mask.keep.end());
  return keep;
}

// How many weights block b of a mask keeps, in its first channel.
inline int kept_in_block(const nm::Mask& mask, int64_t b) {
  int kept = 0;
  for (int32_t s = 0; s < mask.layout.m; ++s)
    kept += mask.keep[static_cast<size_t>(mask.layout.start(b) + s * mask.layout.position_stride)];
  return kept;
}

}  // namespace spikenm::test
