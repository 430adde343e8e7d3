#include "spikenm/train/tensorboard_log.h"

#include "spikenm/core/error.h"
#include "spikenm/nm/mask_cells.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <chrono>
#include <span>

namespace spikenm::train {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

at::Tensor on_host(const at::Tensor& tensor) {
  return tensor.detach().to(at::kCPU, at::kFloat).contiguous();
}

std::span<const float> values_of(const at::Tensor& tensor) {
  return {tensor.const_data_ptr<float>(), static_cast<size_t>(tensor.numel())};
}

PackedPicture picture_of(const sparsity::LayerMask& layer, std::span<const float> weight) {
  const nm::Mask& mask = layer.mask;
  const nm::BlockLayout layout =
      mask.kind == nm::Mask::Kind::kNm ? mask.layout : nm::no_blocks(layer.synapse->shape());
  const Picture picture = nm::mask_picture(nm::mask_cells(layout, mask.keep, weight));
  return {.width = picture.width,
          .height = picture.height,
          .png = encode_png(picture.width, picture.height, picture.pixels, layer.synapse->name)};
}

std::vector<float> kept_of(std::span<const float> weight, const std::vector<uint8_t>& keep) {
  std::vector<float> kept;
  kept.reserve(weight.size());
  for (size_t i = 0; i < weight.size(); ++i)
    if (keep[i] != 0) kept.push_back(weight[i]);
  return kept;
}

// "conv1.logits" to "logits/conv1".
std::string tag_of(const std::string& name) {
  const size_t dot = name.rfind('.');
  SPIKENM_ASSERT(dot != std::string::npos);
  return name.substr(dot + 1) + "/" + name.substr(0, dot);
}

}  // namespace

void TensorBoardLog::add_epoch(const Json& line, int64_t step, const nn::Network& network,
                               const sparsity::Masks& masks,
                               const std::vector<nn::NamedTensor>& kept) {
  const double time = now();
  const auto add = [&](const std::string& name, const Json& value) {
    if (value.is_number()) file_.add(name, step, time, value.get<double>());
  };
  for (const auto& [name, value] : line.items()) {
    if (name != "epoch") add(name, value);
    if (!value.is_object()) continue;
    for (const auto& [layer, number] : value.items()) add(name + "/" + layer, number);
  }

  for (const nn::Synapse& synapse : network.synapses()) {
    const auto mask = std::find_if(masks.weights.begin(), masks.weights.end(),
                                   [&](const auto& layer) { return layer.synapse == &synapse; });
    const bool is_masked = mask != masks.weights.end();
    const at::Tensor host =
        on_host(is_masked && mask->used.defined() ? mask->used : synapse.weight);
    const std::span<const float> weight = values_of(host);
    if (is_masked)
      file_.add_picture("masks/" + synapse.name, step, time, picture_of(*mask, weight));
    file_.add_histogram(
        "weights/" + synapse.name, step, time,
        is_masked ? histogram_of(kept_of(weight, mask->mask.keep)) : histogram_of(weight));
  }
  for (const nn::NamedTensor& tensor : kept) {
    const at::Tensor host = on_host(tensor.tensor);
    file_.add_histogram(tag_of(tensor.name), step, time, histogram_of(values_of(host)));
  }
  file_.flush();
}

}  // namespace spikenm::train
