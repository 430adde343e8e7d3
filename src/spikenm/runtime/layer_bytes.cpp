// Weights for the kernels that read every input, dense or packed.
#include "spikenm/core/error.h"
#include "spikenm/runtime/layer_rows.h"
#include "spikenm/runtime/weight_walk.h"

#include <algorithm>
#include <utility>

namespace spikenm::runtime {
namespace {

using kernels::kSpikeBlock;
using kernels::RowForm;

// Where the weights that an output keeps of one word of input channels are counted.
int64_t word_of(const Places& places, int64_t output, int64_t input, int64_t tap) {
  return (output * places.taps + tap) * places.words + input / kSpikeBlock;
}

PreparedRows bytes_for(RowForm form, AlignedBytes data) {
  PreparedRows rows;
  rows.form = form;
  rows.int8 = true;
  rows.data = std::move(data);
  return rows;
}

}  // namespace

PreparedRows prepare_dense(const SynapseTensor& tensor, const Layer& layer,
                           const RowMemory& memory) {
  SPIKENM_ASSERT(tensor.type == WeightType::kInt8 && layer.reads_spikes);
  const Places places(tensor, layer);
  const int64_t padded = places.words * kSpikeBlock;
  PreparedRows rows =
      bytes_for(RowForm::kDense, memory(places.blocks * places.taps * padded * kSpikeBlock));
  auto* const to = rows.data.as<int8_t>();
  each_weight(
      tensor, places, [&](int64_t output, int64_t input, int64_t tap, const uint8_t* value) {
        const int64_t quad = ((output / kSpikeBlock * places.taps + tap) * padded + input) / 4;
        to[(quad * kSpikeBlock + output % kSpikeBlock) * 4 + input % 4] =
            static_cast<int8_t>(*value);
      });
  return rows;
}

PreparedRows prepare_packed(const SynapseTensor& tensor, const Layer& layer,
                            const RowMemory& memory) {
  SPIKENM_ASSERT(tensor.type == WeightType::kInt8 && layer.reads_spikes);
  const Places places(tensor, layer);
  std::vector<uint8_t> kept(
      static_cast<size_t>(places.blocks * kSpikeBlock * places.taps * places.words));
  const auto count = [&](int64_t output, int64_t input, int64_t tap) -> uint8_t& {
    return kept[static_cast<size_t>(word_of(places, output, input, tap))];
  };
  each_weight(tensor, places, [&](int64_t output, int64_t input, int64_t tap, const uint8_t*) {
    ++count(output, input, tap);
  });
  const int64_t slots = (std::ranges::max(kept) + 3) / 4 * 4;
  PreparedRows rows = bytes_for(
      RowForm::kPacked, memory(places.blocks * 4 * places.taps * places.words * slots * 32));
  rows.word_rows = static_cast<int32_t>(slots);

  std::ranges::fill(kept, uint8_t{0});
  auto* const to = rows.data.as<int8_t>();
  each_weight(
      tensor, places, [&](int64_t output, int64_t input, int64_t tap, const uint8_t* value) {
        const int64_t slot = count(output, input, tap)++;
        const int64_t word = (output / 16 * places.taps + tap) * places.words + input / kSpikeBlock;
        const int64_t at = (word * (slots / 4) + slot / 4) * 128 + output % 16 * 4 + slot % 4;
        to[at] = static_cast<int8_t>(input % kSpikeBlock);
        to[at + kSpikeBlock] = static_cast<int8_t>(*value);
      });
  return rows;
}

}  // namespace spikenm::runtime
