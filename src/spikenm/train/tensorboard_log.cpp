#include "spikenm/train/tensorboard_log.h"

#include "spikenm/core/error.h"
#include "spikenm/core/stopwatch.h"
#include "spikenm/nm/mask_cells.h"
#include "spikenm/train/tensor_histogram.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <chrono>
#include <span>

namespace spikenm::train {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

nm::BlockLayout layout_of(const sparsity::LayerMask& layer) {
  const nm::Mask& mask = layer.mask;
  return mask.kind == nm::Mask::Kind::kNm ? mask.layout : nm::no_blocks(layer.synapse->shape());
}

// Only the weights that the picture shows come from a GPU.
PackedPicture picture_of(const sparsity::LayerMask& layer, const at::Tensor& weight) {
  const nm::BlockLayout layout = layout_of(layer);
  const int64_t n = nm::shown_values(layout);
  const at::Tensor shown =
      weight.detach().flatten().narrow(0, 0, n).to(at::kCPU, at::kFloat).contiguous();
  const auto size = static_cast<size_t>(n);
  const Picture picture = nm::mask_picture(nm::mask_cells(
      layout, std::span(layer.mask.keep).first(size), {shown.const_data_ptr<float>(), size}));
  return {.width = picture.width,
          .height = picture.height,
          .png = encode_png(picture.width, picture.height, picture.pixels, layer.synapse->name)};
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
  const Stopwatch clock;
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
    const at::Tensor& weight = is_masked && mask->used.defined() ? mask->used : synapse.weight;
    if (is_masked)
      file_.add_picture("masks/" + synapse.name, step, time, picture_of(*mask, weight));
    file_.add_histogram("weights/" + synapse.name, step, time,
                        tensor_histogram(weight, is_masked ? mask->keep : at::Tensor()));
  }
  for (const nn::NamedTensor& tensor : kept)
    file_.add_histogram(tag_of(tensor.name), step, time, tensor_histogram(tensor.tensor));
  file_.flush();
  seconds_ += clock.seconds();
}

}  // namespace spikenm::train
