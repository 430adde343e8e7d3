// Walks through the weights of a stored synapse by output channel, input channel and tap.
#pragma once

#include "spikenm/core/parallel.h"
#include "spikenm/runtime/program.h"
#include "spikenm/runtime/synapse_slots.h"

#include <numeric>

namespace spikenm::runtime {

// Where the weights of a layer lie in its rows.
struct Places {
  int64_t channels, taps, words, blocks;

  explicit Places(const SynapseTensor& tensor, const Layer& layer)
      : channels(layer.channels),
        taps(layer.window.taps()),
        words(kernels::spike_words(layer.channels)),
        blocks(kernels::spike_words(tensor.shape.cout)) {}
  [[nodiscard]] int64_t rows() const { return taps * channels; }
};

// Walks through the weights of some output channels.
template <class Put>
class WeightWalk {
 public:
  WeightWalk(const SynapseTensor& tensor, const Places& places, Put& put)
      : tensor_(tensor), places_(places), put_(put) {}

  void blocks(const ChannelRange& range) {
    const Blocks blocks(tensor_.shape, *tensor_.rule, "synapse");
    const int64_t stride = blocks.layout().position_stride, taps = places_.taps;
    at_ = tensor_.values.data() +
          static_cast<size_t>(blocks.blocks_before(range.begin) * tensor_.rule->pattern.n) * item();
    visit_slots(
        tensor_, range, [&](int64_t first) { find(first); },
        [&](int position) {
          // A block lies along the input channels, or goes through taps and channels.
          int64_t o = output_, i = input_, t = tap_;
          if (stride == taps)
            i += position;
          else
            for (t += position * stride; t >= taps; t -= taps) ++i;
          for (; i >= places_.channels; i -= places_.channels) ++o;
          put_(o, i, t, at_);
          at_ += item();
        },
        [&] { at_ += item(); });
  }

  void singles() {
    at_ = tensor_.values.data() + static_cast<size_t>(block_slots(tensor_)) * item();
    visit_singles(tensor_, [&](int64_t element) {
      find(element);
      put_(output_, input_, tap_, at_);
      at_ += item();
    });
  }

 private:
  [[nodiscard]] size_t item() const {
    return tensor_.type == WeightType::kFloat ? sizeof(float) : sizeof(int8_t);
  }
  void find(int64_t element) {
    output_ = element / places_.rows();
    const int64_t rest = element - output_ * places_.rows();
    input_ = rest / places_.taps;
    tap_ = rest - input_ * places_.taps;
  }

  const SynapseTensor& tensor_;
  const Places& places_;
  Put& put_;
  const uint8_t* at_ = nullptr;
  int64_t output_ = 0, input_ = 0, tap_ = 0;  // of position 0 of a block
};

// Calls put(output channel, input channel, tap, bytes of the value) for every weight that is kept;
// on several threads, each for blocks of 64 output channels of its own.
template <class Put>
void each_weight(const SynapseTensor& tensor, const Places& places, const Put& put) {
  if (tensor.rule) {
    const nm::BlockLayout layout =
        nm::make_layout(tensor.shape, tensor.rule->pattern, tensor.rule->axis, "synapse");
    const int64_t together = std::lcm<int64_t>(layout.share, kernels::kSpikeBlock);
    parallel_for(layout.n_channels, together, [&](int64_t begin, int64_t end) {
      WeightWalk(tensor, places, put).blocks({begin, end});
    });
  }
  WeightWalk(tensor, places, put).singles();
}

}  // namespace spikenm::runtime
