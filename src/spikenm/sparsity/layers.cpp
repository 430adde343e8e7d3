#include "spikenm/sparsity/layers.h"

#include "spikenm/core/say.h"
#include "spikenm/core/text.h"
#include "spikenm/ops/nm_sample.h"
#include "spikenm/sparsity/auto_pattern.h"
#include "spikenm/sparsity/layer_keys.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <optional>

namespace spikenm::sparsity {
namespace {

std::vector<std::string> names_of(nn::Network& network) {
  std::vector<std::string> names;
  for (const nn::Synapse& s : network.synapses()) {
    if (s.spec->maskable) names.push_back(s.name);
  }
  return names;
}

void check_glob(const std::string& glob, const std::vector<std::string>& names,
                const std::string& key) {
  for (const std::string& name : names) {
    if (glob_match(glob, name)) return;
  }
  SPIKENM_CHECK(!names.empty(), "{}: the network has no layer that may be masked", key);
  fail("{}: '{}' matches no layer; the layers are {}", key, glob, join(names, ", "));
}

// The [method] keys that say which layers are masked and how.
struct Rules {
  // The pattern of the layers that match a glob; empty: dense.
  struct Own {
    std::string glob;
    std::optional<nm::NmPattern> pattern;
  };
  std::string pattern_text;
  bool share_taps = false;
  std::optional<AutoPattern> automatic;
  nm::NmPattern pattern;  // of layers without their own; if automatic, n is not yet known
  std::vector<std::string> globs;
  std::vector<Own> own;
  std::vector<std::string> dense;  // named by first_layer and last_layer

  [[nodiscard]] bool wants(const nn::Synapse& synapse) const {
    return synapse.spec->maskable && std::any_of(globs.begin(), globs.end(), [&](const auto& glob) {
             return glob_match(glob, synapse.name);
           });
  }
  [[nodiscard]] bool is_dense(const std::string& name) const {
    const Own* const found = own_of(name);
    return std::find(dense.begin(), dense.end(), name) != dense.end() ||
           (found != nullptr && !found->pattern);
  }
  // The last glob that matches is used; null if none does.
  [[nodiscard]] const Own* own_of(const std::string& name) const {
    const Own* found = nullptr;
    for (const Own& o : own) {
      if (glob_match(o.glob, name)) found = &o;
    }
    return found;
  }
};

// Leaves the network's first or last layer dense if `key` says so. A layer that is never masked,
// such as a readout head, is dense anyway.
void read_end(const ChoiceKey& key, const nn::Synapse& end, const Config& method, Rules& rules) {
  if (key.read(method) == 0) return;
  if (end.spec->maskable) {
    rules.dense.push_back(end.name);
  } else {
    say(fmt::format("note: {}: {} is never masked, so nothing more is left dense",
                    method.full_key(key.name), end.name));
  }
}

// Reads which layers are masked at all.
Rules read_choice(nn::Network& network, const Config& method) {
  const std::vector<std::string> names = names_of(network);
  Rules rules;
  rules.globs = kLayers.read(method);
  for (const std::string& glob : rules.globs) check_glob(glob, names, method.full_key("layers"));
  read_end(kFirstLayer, network.synapses().front(), method, rules);
  read_end(kLastLayer, network.synapses().back(), method, rules);
  return rules;
}

Rules read_rules(nn::Network& network, const Config& method) {
  const std::vector<std::string> names = names_of(network);
  Rules rules = read_choice(network, method);
  const int share = static_cast<int>(kShare.read(method));
  rules.share_taps = kShareTaps.read(method);
  rules.pattern_text = kPattern.read(method);
  rules.automatic = read_auto_pattern(rules.pattern_text, method);
  rules.pattern = rules.automatic
                      ? nm::NmPattern{.n = 1, .m = rules.automatic->m, .share = share}
                      : nm::NmPattern::parse(rules.pattern_text, method.full_key("pattern"), share);

  const std::string table_key = method.full_key("layer_pattern");
  for (const auto& [glob, text] : kLayerPattern.read(method)) {
    check_glob(glob, names, table_key);
    std::optional<nm::NmPattern> pattern;
    if (text != "dense") pattern = nm::NmPattern::parse(text, table_key + "." + glob, share);
    rules.own.push_back({.glob = glob, .pattern = pattern});
  }
  return rules;
}

// Weights that a mask of n of m keeps, tails included.
int64_t kept_by(const MaskableLayer& layer) {
  const int64_t tail = layer.layout.tail();
  return tail + (layer.layout.numel - tail) / layer.pattern.m * layer.pattern.n;
}

void choose_patterns(const Rules& rules, const std::string& key,
                     std::vector<MaskableLayer>& layers) {
  std::vector<AutoLayer> open;
  GivenLayers given;
  for (const MaskableLayer& layer : layers) {
    if (rules.own_of(layer.synapse->name) == nullptr) {
      open.push_back({.shape = layer.synapse->shape(), .tail = layer.layout.tail()});
    } else {
      given.weights += layer.layout.numel;
      given.kept += kept_by(layer);
    }
  }

  const std::vector<int> chosen = choose_n(*rules.automatic, open, given, key);
  size_t next = 0;
  for (MaskableLayer& layer : layers) {
    if (rules.own_of(layer.synapse->name) == nullptr) layer.pattern.n = chosen[next++];
  }
}

}  // namespace

std::vector<MaskableLayer> find_maskable_layers(nn::Network& network, const Config& method,
                                                nm::Axis axis) {
  const Rules rules = read_rules(network, method);
  std::vector<MaskableLayer> layers;
  bool any_wanted = false;

  for (nn::Synapse& synapse : network.synapses()) {
    if (!rules.wants(synapse)) continue;
    any_wanted = true;
    if (rules.is_dense(synapse.name)) continue;
    const Rules::Own* const own = rules.own_of(synapse.name);
    MaskableLayer layer{.id = layers.size(),
                        .synapse = &synapse,
                        .pattern = own != nullptr ? *own->pattern : rules.pattern,
                        .layout = {}};
    layer.layout =
        nm::make_layout(synapse.shape(), layer.pattern, axis, synapse.name, rules.share_taps);
    layers.push_back(layer);
  }

  SPIKENM_CHECK(any_wanted, "{}: leaves no layer to mask", method.full_key("layers"));
  SPIKENM_CHECK(!layers.empty(),
                "{}: with first_layer and last_layer it makes every layer dense, so none is left "
                "to mask; {} = \"dense\" trains without masks",
                method.full_key("layer_pattern"), method.full_key("name"));

  const bool has_blocks = std::any_of(layers.begin(), layers.end(), [](const MaskableLayer& layer) {
    return layer.layout.n_blocks > 0;
  });
  SPIKENM_CHECK(has_blocks, "{}: found {}, and no layer has a whole block of {} weights",
                method.full_key("pattern"), rules.pattern_text, rules.pattern.m);

  if (rules.automatic) choose_patterns(rules, method.full_key("pattern"), layers);
  return layers;
}

std::vector<MaskableLayer> find_maskable_layers(nn::Network& network, const Config& method) {
  return find_maskable_layers(network, method,
                              nm::parse_axis(kAxis.read(method), method.full_key("axis")));
}

std::vector<MaskableLayer> find_layers(nn::Network& network, const Config& method,
                                       nm::Mask::Kind rule) {
  const Rules rules = read_choice(network, method);
  std::vector<MaskableLayer> layers;
  for (nn::Synapse& synapse : network.synapses())
    if (rules.wants(synapse) && !rules.is_dense(synapse.name))
      layers.push_back({.id = layers.size(),
                        .synapse = &synapse,
                        .pattern = {},
                        .layout = nm::no_blocks(synapse.shape()),
                        .rule = rule});
  SPIKENM_CHECK(!layers.empty(),
                "{}: with first_layer and last_layer it leaves no layer to mask; {} = \"dense\" "
                "trains without masks",
                method.full_key("layers"), method.full_key("name"));
  return layers;
}

double least_weight_share(const std::vector<MaskableLayer>& layers) {
  int64_t all = 0;
  for (const MaskableLayer& layer : layers) all += layer.layout.numel;
  return static_cast<double>(layers.size()) / static_cast<double>(all);
}

void check_weight_share(const std::vector<MaskableLayer>& layers, double share,
                        const std::string& what) {
  const double least = least_weight_share(layers);
  SPIKENM_CHECK(share >= least,
                "{}: found {:g}, which leaves some of the {} layers without a weight; wanted at "
                "least {:.2g}",
                what, share, layers.size(), least);
}

nm::Mask mask_from_tensor(const MaskableLayer& layer, const at::Tensor& keep) {
  const at::Tensor bits = keep.ne(0).to(at::kCPU, at::kByte).contiguous();
  const auto* const begin = bits.const_data_ptr<uint8_t>();
  return {.kind = layer.rule,
          .pattern = layer.pattern,
          .layout = layer.layout,
          .keep = {begin, begin + bits.numel()}};
}

nm::Mask mask_from_draws(const MaskableLayer& layer, const at::Tensor& draws) {
  return {.kind = nm::Mask::Kind::kNm,
          .pattern = layer.pattern,
          .layout = layer.layout,
          .keep = ops::mask_bytes(layer.layout, draws)};
}

}  // namespace spikenm::sparsity
