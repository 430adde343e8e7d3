#include "spikenm/train/mask_watch.h"

#include <ATen/ATen.h>

#include <utility>

namespace spikenm::train {

Json MaskWatch::look(const sparsity::Masks& masks) {
  if (masks.weights.empty()) return Json::object();
  const bool is_first = before_.size() != masks.weights.size();
  std::vector<at::Tensor> looked_at;

  int64_t weights = 0, kept = 0, flipped = 0;
  Json by_layer = Json::object();
  for (size_t i = 0; i < masks.weights.size(); ++i) {
    const at::Tensor& bits = looked_at.emplace_back(masks.weights[i].bits.flatten());
    const int64_t n = bits.numel(), kept_by_others = kept;
    const auto* const now = bits.const_data_ptr<uint8_t>();
    const auto* const before = is_first ? now : before_[i].const_data_ptr<uint8_t>();
    for (int64_t k = 0; k < n; ++k) {
      kept += now[k];
      flipped += now[k] & ~before[k];
    }
    weights += n;
    by_layer[masks.weights[i].synapse->name] =
        static_cast<double>(kept - kept_by_others) / static_cast<double>(n);
  }
  before_ = std::move(looked_at);

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
    visitor.constant(layer.synapse->name, before_[layer.id]);
}

}  // namespace spikenm::train
