#include "spikenm/sparsity/layers.h"

#include "spikenm/core/text.h"
#include "spikenm/kernels/nm_sample.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace spikenm::sparsity {
namespace {

std::vector<std::string> names_of(nn::Network& network) {
  std::vector<std::string> names;
  for (const nn::Synapse& s : network.synapses()) {
    if (s.maskable) names.push_back(s.name);
  }
  return names;
}

void check_glob(const std::string& glob, const std::vector<std::string>& names,
                const std::string& key) {
  for (const std::string& name : names) {
    if (glob_match(glob, name)) return;
  }
  fail("{}: '{}' matches no layer; the layers are {}", key, glob, join(names, ", "));
}

}  // namespace

std::vector<MaskableLayer> find_maskable_layers(nn::Network& network, const Config& method,
                                                nm::Axis axis) {
  const std::vector<std::string> names = names_of(network);
  const int share = static_cast<int>(method.get_int("share", 1, 1, 65536));
  const auto pattern =
      nm::NmPattern::parse(method.get("pattern", "2:4"), method.full_key("pattern"), share);
  const auto globs = method.get<std::vector<std::string>>("layers", {"*"});
  for (const std::string& glob : globs) check_glob(glob, names, method.full_key("layers"));
  const auto by_layer = method.get_table("layer_pattern");
  const std::string table_key = method.full_key("layer_pattern");
  std::vector<std::pair<std::string, nm::NmPattern>>
      own;  // glob and pattern, checked even if unused
  for (const auto& [glob, text] : by_layer) {
    check_glob(glob, names, table_key);
    own.emplace_back(glob, nm::NmPattern::parse(text, table_key + "." + glob, share));
  }

  std::vector<MaskableLayer> layers;
  for (nn::Synapse& synapse : network.synapses()) {
    bool wanted = false;
    for (const std::string& glob : globs) wanted = wanted || glob_match(glob, synapse.name);
    if (!synapse.maskable || !wanted) continue;
    MaskableLayer layer{.id = layers.size(), .synapse = &synapse, .pattern = pattern, .layout = {}};
    for (const auto& [glob, own_pattern] : own) {  // the last glob that fits holds
      if (glob_match(glob, synapse.name)) layer.pattern = own_pattern;
    }
    layer.layout = nm::make_layout(synapse.shape(), layer.pattern, axis, synapse.name);
    layers.push_back(layer);
  }
  SPIKENM_CHECK(!layers.empty(), "{}: leaves no layer to mask", method.full_key("layers"));
  const bool has_blocks = std::any_of(layers.begin(), layers.end(), [](const MaskableLayer& layer) {
    return layer.layout.n_blocks > 0;
  });
  SPIKENM_CHECK(has_blocks, "{}: found {}, and no layer has a whole block of {} weights",
                method.full_key("pattern"), pattern.text(), pattern.m);
  return layers;
}

nm::Mask mask_from_draws(const MaskableLayer& layer, const at::Tensor& draws) {
  nm::Mask mask{.kind = nm::Mask::Kind::kNm,
                .pattern = layer.pattern,
                .layout = layer.layout,
                .keep = std::vector<uint8_t>(static_cast<size_t>(layer.layout.numel))};
  const at::Tensor rows = draws.contiguous();
  kernels::nm_mask(layer.layout, static_cast<int32_t>(rows.size(1)), rows.const_data_ptr<uint8_t>(),
                   mask.keep.data());
  return mask;
}

}  // namespace spikenm::sparsity
