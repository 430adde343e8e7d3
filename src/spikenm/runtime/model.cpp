#include "spikenm/runtime/model.h"

#include "spikenm/runtime/snm_file.h"

#include <algorithm>
#include <utility>

namespace spikenm::runtime {
namespace {

// A mask [C,H,W] as words [pixels, blocks].
std::vector<uint64_t> alive_words(const std::vector<uint8_t>& mask, const graph::Shape& shape) {
  const int64_t words = kernels::spike_words(shape.channels), pixels = shape.height * shape.width;
  std::vector<uint64_t> alive(static_cast<size_t>(pixels * words));
  for (int64_t c = 0; c < shape.channels; ++c)
    for (int64_t p = 0; p < pixels; ++p)
      if (mask[static_cast<size_t>(c * pixels + p)] != 0)
        alive[static_cast<size_t>(p * words + c / 64)] |= uint64_t{1} << c % 64;
  return alive;
}

}  // namespace

Model::Model(StoredModel stored, Isa isa)
    : isa_(isa), stored_(std::move(stored)), program_(make_program(stored_)) {
  const std::vector<double> rates = bit_rates(stored_);
  RowBudget budget(stored_);
  for (const Layer& layer : program_.layers) {
    const RowMemory memory = [&](int64_t bytes) {
      budget.take(stored_.graph.node(layer.synapse).name, bytes);
      return AlignedBytes(static_cast<size_t>(bytes));
    };
    // Taken out, so that it is freed before the next one is laid out.
    const SynapseTensor tensor = std::move(stored_.synapses.at(layer.synapse));
    ModelLayer made;
    made.pattern = tensor.rule      ? tensor.rule->pattern.text()
                   : tensor.as_bits ? "unstructured"
                                    : "dense";
    made.weights = tensor.shape.numel();
    made.stored = stored_weights(tensor);
    made.type = tensor.type;
    KeptRows kept = find_kept_rows(tensor, layer);
    const Sources& sources = program_.sources[layer.input];
    made.plan = plan_layer(tensor, layer,
                           {.kept = kept.share,
                            .rate = input_rate(stored_, program_, layer, rates),
                            .most_sources = sources.most(),
                            .most_count = sources.most_count(),
                            .byte_products = kernels::has_byte_products(isa)});
    if (made.plan.form == kernels::RowForm::kDense) {
      made.rows = prepare_dense(tensor, layer, memory);
    } else if (made.plan.form == kernels::RowForm::kPacked) {
      made.rows = prepare_packed(tensor, layer, memory);
    } else {
      if (!made.plan.packs) kept.keep.clear();
      made.rows = prepare_rows(tensor, layer, std::move(kept.keep),
                               {.isa = isa, .most_count = sources.most_count()}, memory);
    }
    if (layer.neurons && stored_.neuron_masks.contains(*layer.neurons))
      made.alive = alive_words(stored_.neuron_masks.at(*layer.neurons),
                               stored_.graph.node(*layer.neurons).out);
    layers_.push_back(std::move(made));
  }
  stored_.synapses.clear();
}

void Model::set_layer_shift(size_t layer, float shift) {
  Layer& at = program_.layers[layer];
  const auto channels = static_cast<std::ptrdiff_t>(graph().node(at.out).out.channels);
  std::fill(at.shift.begin(), at.shift.begin() + channels, shift);
}

std::shared_ptr<const Model> Model::load(const std::filesystem::path& path) {
  return std::make_shared<const Model>(read_snm(path));
}

}  // namespace spikenm::runtime
