#include "spikenm/train/mask_watch.h"

#include <ATen/ATen.h>

#include <cstring>

namespace spikenm::train {

Json MaskWatch::look(const sparsity::Masks& masks) {
  if (masks.weights.empty()) return Json::object();
  const bool is_first = before_.size() != masks.weights.size();
  if (is_first) before_.assign(masks.weights.size(), {});

  int64_t weights = 0, kept = 0, flipped = 0;
  Json by_layer = Json::object();
  for (size_t i = 0; i < masks.weights.size(); ++i) {
    const std::vector<uint8_t>& now = masks.weights[i].mask.keep;
    if (is_first) before_[i] = at::zeros({static_cast<int64_t>(now.size())}, at::kByte);
    auto* const before = before_[i].mutable_data_ptr<uint8_t>();
    const int64_t kept_before = kept;
    for (size_t k = 0; k < now.size(); ++k) {
      kept += now[k];
      flipped += now[k] & ~before[k];
    }
    weights += static_cast<int64_t>(now.size());
    by_layer[masks.weights[i].synapse->name] =
        static_cast<double>(kept - kept_before) / static_cast<double>(now.size());
    std::memcpy(before, now.data(), now.size());
  }

  Json found = {{"density", static_cast<double>(kept) / static_cast<double>(weights)},
                {"layer_density", std::move(by_layer)}};
  if (!is_first)
    found["flip_rate"] = kept == 0 ? 0 : static_cast<double>(flipped) / static_cast<double>(kept);
  return found;
}

void MaskWatch::visit_state(nn::StateVisitor& visitor, const sparsity::Pruning& method) {
  bool has_looked = !before_.empty();
  visitor.value("has_looked", has_looked);
  if (!has_looked) return before_.clear();
  if (visitor.loads()) {
    before_.clear();
    for (const sparsity::MaskableLayer& layer : method.layers())
      before_.push_back(at::zeros({layer.synapse->weight.numel()}, at::kByte));
  }
  for (const sparsity::MaskableLayer& layer : method.layers())
    visitor.tensor(layer.synapse->name, before_[layer.id]);
}

}  // namespace spikenm::train
