#include "spikenm/runtime/layer_rows.h"

#include "spikenm/core/parallel.h"
#include "spikenm/runtime/synapse_slots.h"

#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

namespace spikenm::runtime {
namespace {

using kernels::kSpikeBlock;

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
    const int64_t together = std::lcm<int64_t>(layout.share, kSpikeBlock);
    parallel_for(layout.n_channels, together, [&](int64_t begin, int64_t end) {
      WeightWalk(tensor, places, put).blocks({begin, end});
    });
  }
  WeightWalk(tensor, places, put).singles();
}

// [blocks, taps, words]: the rows that some output of a block keeps.
std::vector<uint64_t> kept_rows(const SynapseTensor& tensor, const Places& places) {
  std::vector<uint64_t> keep(static_cast<size_t>(places.blocks * places.taps * places.words));
  each_weight(tensor, places, [&](int64_t output, int64_t input, int64_t tap, const uint8_t*) {
    const int64_t word =
        (output / kSpikeBlock * places.taps + tap) * places.words + input / kSpikeBlock;
    keep[static_cast<size_t>(word)] |= uint64_t{1} << input % kSpikeBlock;
  });
  return keep;
}

int64_t ones(std::span<const uint64_t> words) {
  int64_t count = 0;
  for (const uint64_t word : words) count += std::popcount(word);
  return count;
}

// Rows of each word: as many as the fullest keeps, rounded up so that whole words fill 64 bits.
int32_t rows_of_words(std::span<const uint64_t> keep) {
  int most = 1;
  for (const uint64_t word : keep) most = std::max(most, std::popcount(word));
  return static_cast<int32_t>(std::bit_ceil(static_cast<unsigned>(most)));
}

void put_int8(uint8_t* row, int64_t lane, int8_t value) {
  constexpr int64_t kHalf = kSpikeBlock / 2;
  if (lane < kHalf)
    row[2 * lane] = static_cast<uint8_t>(value + 128);
  else
    row[2 * (lane - kHalf) + 1] = static_cast<uint8_t>(value);
}

// Every weight of every row is 0: a low byte of 128.
void clear_int8(uint8_t* rows, size_t bytes) {
  constexpr uint16_t kZero = 128;
  auto* const words = reinterpret_cast<uint16_t*>(rows);
  std::fill(words, words + bytes / 2, kZero);
}

}  // namespace

kernels::LayerRows PreparedRows::view() const {
  return {.int8 = int8,
          .data = data.as<void>(),
          .first_row = first_row.data(),
          .rows_of = rows_of.data(),
          .keep = keep.empty() ? nullptr : keep.data(),
          .word_rows = word_rows};
}

KeptRows find_kept_rows(const SynapseTensor& tensor, const Layer& layer) {
  constexpr int kFewest = 8;  // outputs that share a mask
  if (!tensor.rule || tensor.rule->pattern.share < kFewest) return {};
  const Places places(tensor, layer);
  KeptRows found{.keep = kept_rows(tensor, places)};
  found.share =
      static_cast<double>(ones(found.keep)) / static_cast<double>(places.blocks * places.rows());
  return found;
}

PreparedRows prepare_rows(const SynapseTensor& tensor, const Layer& layer,
                          std::vector<uint64_t> keep) {
  const Places places(tensor, layer);
  const bool packs = !keep.empty();
  PreparedRows rows;
  // Real values times int8 weights are floats; the scale is the layer's.
  rows.int8 = tensor.type == WeightType::kInt8 && layer.reads_spikes;
  int64_t own = places.rows();
  if (packs) {
    rows.keep = std::move(keep);
    rows.word_rows = rows_of_words(rows.keep);
    own = places.taps * places.words * rows.word_rows;
  }
  const int64_t total = places.blocks * (own + 1);
  for (int64_t b = 0; b < places.blocks; ++b) {
    rows.first_row.push_back(b * (own + 1));
    rows.rows_of.push_back(static_cast<int32_t>(own));
  }
  const size_t item = rows.int8 ? sizeof(int8_t) : sizeof(float);
  rows.data = AlignedBytes(static_cast<size_t>(total * kSpikeBlock) * item);
  if (rows.int8) clear_int8(rows.data.as<uint8_t>(), rows.data.size());

  const auto place = [&](int64_t output, int64_t input, int64_t tap) {
    const int64_t block = output / kSpikeBlock;
    int64_t row = tap * places.channels + input;
    if (packs) {
      const int64_t word = tap * places.words + input / kSpikeBlock;
      const uint64_t kept =
          rows.keep[static_cast<size_t>(block * places.taps * places.words + word)];
      const uint64_t below = (uint64_t{1} << input % kSpikeBlock) - 1;
      row = word * rows.word_rows + std::popcount(kept & below);
    }
    return (rows.first_row[static_cast<size_t>(block)] + row) * kSpikeBlock;
  };
  each_weight(tensor, places,
              [&](int64_t output, int64_t input, int64_t tap, const uint8_t* value) {
                const int64_t at = place(output, input, tap), lane = output % kSpikeBlock;
                if (rows.int8)
                  return put_int8(rows.data.as<uint8_t>() + at, lane, static_cast<int8_t>(*value));
                float& to = rows.data.as<float>()[at + lane];
                if (tensor.type == WeightType::kFloat)
                  std::memcpy(&to, value, sizeof to);
                else
                  to = static_cast<int8_t>(*value);
              });
  return rows;
}

}  // namespace spikenm::runtime
