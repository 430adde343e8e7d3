// A layer of a running network: a convolution that reads spikes, and the neurons behind it, over all
// time steps. Work is proportional to the spikes.
//
//   bits of a window (3x3)      0100 0010 … | 0000 … | …          nine pixels, at one step
//                                  │
//   list of the window          1 6 … | … | 2304 …                numbers of the inputs that fired
//                                  │
//        rows of one block of outputs              ▼          for each number one row is added:
//        row (tap, input channel) = the weights    ┌──────────────── 64 outputs ───────────────┐
//        of 64 output channels, 64 bytes (int8)    │  sum += row        (exact whole numbers)   │
//                                                  └────────────────────────────────────────────┘
//   after the lists of all steps, step by step:
//        h = keep v + scale sum + shift;  spike = h >= threshold;  reset v
//
// The sums of some hundred lists are kept near, in the first cache; the membrane v stays in registers
// over all steps, and spikes leave as bits. A linear layer is a convolution with one output pixel.
//
// Maps of bits are [samples, steps, pixels, words]: 64 channels a word, channel 0 the lowest bit of
// word 0; bits behind the last channel are 0.
#pragma once

#include "spikenm/core/cpu_features.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace spikenm::kernels {

constexpr int64_t kSpikeBlock = 64;  // output channels of a block; channels of a word

constexpr int64_t spike_words(int64_t channels) {
  return (channels + kSpikeBlock - 1) / kSpikeBlock;
}

// One map of bits and a pixel of it.
struct SpikeSource {
  int32_t map = 0, pixel = 0;
};

// Sources at regular places: source s of the pixel at (y, x) is pixel first + y * row + x * column
// of a map.
struct RegularSource {
  int32_t map = 0;
  int64_t first = 0;
};

// What a layer reads: spikes, or real values. The value of a pixel is the sum of the spikes at all
// its sources: one source for a plain map, two behind a residual sum. A map of plane p holds bit p of
// counts: its spikes count 2^p. An average pool of 2x2 has three planes, and so three sources.
struct LayerInput {
  int64_t height = 1, width = 1, channels = 1;
  const int32_t* begin =
      nullptr;  // [pixels + 1]: the sources of pixel p are begin[p] to begin[p+1]
  const SpikeSource* sources = nullptr;
  int64_t most_sources = 1;                // of any pixel
  const RegularSource* regular = nullptr;  // [most_sources], or null: not regular
  int64_t regular_row = 0, regular_column = 0;
  const uint64_t* const* maps = nullptr;  // [number of maps]
  const int64_t* map_pixels = nullptr;    // [number of maps]
  const int32_t* map_plane = nullptr;     // [number of maps]; null: all are of plane 0
  int64_t planes = 1;
  // Not null: real values [samples, input_steps, pixels, channels], and no sources.
  const float* values = nullptr;
  int64_t input_steps = 1;  // steps, or 1: the same at every step

  [[nodiscard]] int64_t words() const { return spike_words(channels); }
};

struct LayerWindow {
  int64_t kernel_height = 1, kernel_width = 1, stride = 1, padding = 0;
  int64_t out_height = 1, out_width = 1;

  [[nodiscard]] int64_t taps() const { return kernel_height * kernel_width; }
  [[nodiscard]] int64_t pixels() const { return out_height * out_width; }
};

// Tables for taking kept bits out: spike_picks.h. Without units, bits are taken out word by word.
struct PickPart;
struct PickUnit;
struct PickPlaces;
struct SpikePicks {
  int64_t words_of_unit = 8;           // 8, 4, 2 or 1
  int64_t count = 0;                   // of units
  const PickPart* parts = nullptr;     // [parts of the rows]
  const PickUnit* units = nullptr;     // [count]
  const PickPlaces* places = nullptr;  // [blocks, count]
};

// How the weights of a layer lie in memory.
enum class RowForm {
  kEvents,  // rows of 64 outputs, read for the inputs that fire
  // Read whatever fires; int8 and spikes alone, counts of at most 127. All are [blocks, …].
  kDense,  // [taps, channels / 4, 64 outputs, 4 channels]
  kPacked,  // [4, taps, words, word_rows / 4, 2, 16 outputs, 4]: for 4 of the word_rows channels that
            // an output keeps of a word, first their places in it, then their weights
};

// kEvents: row (tap, channel) is number tap * channels + channel of its block. With `keep`, only rows
// whose bit is set are there, in the same order: word_rows for each (tap, word of channels), and rows
// of zeros where a word keeps fewer. word_rows is 1, 2, 4, … or 64.
//
// The rows lie in parts, so that those of one part stay in the first cache while they are added to many
// sums. Behind each part is a row of zeros:
//
//   block 0  | part 0: part_rows rows | 0 | part 1 | 0 | the last part may be shorter | 0 |  block 1 …
//
// A row of int8 is 32 words of 16 bits: word i = 256 * w[32 + i] + w[i] + 128. So a sum of words
// holds both sums, and needs half the instructions. A row of floats is 64 floats.
struct LayerRows {
  RowForm form = RowForm::kEvents;
  bool int8 = false;
  const void* data = nullptr;  // aligned to 64 bytes
  int64_t rows = 0;            // of a block
  // As rows_of_parts() or kept_rows_of_parts() says; `rows` where real values are read.
  int64_t part_rows = 0;
  const uint64_t* keep = nullptr;  // [blocks, taps, words] of the input; null: every row is there
  int32_t word_rows = 0;           // with `keep`, and of kPacked, where it is a multiple of 4
  SpikePicks picks;                // with `keep`
  // Sums of lists of so many rows of int8 fit 16 bits, whichever rows they are: 256 of any.
  int64_t narrow_rows = 256;

  [[nodiscard]] int64_t parts() const { return (rows + part_rows - 1) / part_rows; }
  // Where a part begins, and where a row lies, counted from the first row of the block.
  [[nodiscard]] int64_t part_begin(int64_t part) const { return part * (part_rows + 1); }
  [[nodiscard]] int64_t place(int64_t row) const { return row + row / part_rows; }
  [[nodiscard]] int64_t rows_in(int64_t part) const {
    return part + 1 < parts() ? part_rows : rows - part * part_rows;
  }
  [[nodiscard]] int64_t block_rows() const { return rows + parts(); }
};

// Most rows of a part whose numbers fit a list, and most taps of a kernel whose inputs are read without
// lists. Beyond them a layer runs in plain loops at every level.
constexpr int64_t kMostPartRows = 8190, kMostTaps = 1024;

// Into parts of how many rows those of a block are cut: some whole rows of the kernel, or some of its
// taps, or a piece of the channels of one tap. More than kMostPartRows where one of several taps has more
// channels than that, and no multiple of 64 of them cuts it evenly.
int64_t rows_of_parts(const LayerWindow& window, int64_t channels);
// Of kept rows, which may be cut at every fourth word: never more than kMostPartRows.
int64_t kept_rows_of_parts(const LayerWindow& window, int64_t words, int32_t word_rows);

// Constants of the neurons; without neurons the result is scale * sum + shift.
struct LayerNeurons {
  bool fires = true;
  const float *scale = nullptr, *shift = nullptr;  // [blocks * 64]
  float keep = 0.5f;                               // share of the membrane that stays
  float threshold = 1;
  float soft = 0;   // 1: soft reset. After a spike v = soft h + reset
  float reset = 0;  // v_reset, or -threshold with a soft reset
  float rest = 0;   // the membrane before the first step
  float* membrane =
      nullptr;  // [samples, pixels, blocks * 64]: read and written; null: begins at rest
  const uint64_t* alive = nullptr;  // [pixels, blocks]: neurons that may fire; null: all
};

struct SpikeLayer {
  int64_t samples = 1, steps = 1, out_channels = 1;
  LayerInput input;
  LayerWindow window;
  LayerRows rows;
  LayerNeurons neurons;
  uint64_t* spikes = nullptr;  // [samples, steps, pixels, blocks], where neurons fire
  float* values = nullptr;     // [samples, steps, pixels, out_channels], where there are none

  [[nodiscard]] int64_t blocks() const { return spike_words(out_channels); }
  // The outputs of a block that are channels: what stands behind the last one never fires.
  [[nodiscard]] uint64_t channels_of(int64_t block) const {
    const int64_t left = out_channels - block * kSpikeBlock;
    return left >= kSpikeBlock ? ~uint64_t{0} : (uint64_t{1} << left) - 1;
  }
  // The neurons of a block at a pixel that may fire.
  [[nodiscard]] uint64_t alive(int64_t pixel, int64_t block) const {
    const uint64_t there = channels_of(block);
    return neurons.alive == nullptr ? there : there & neurons.alive[pixel * blocks() + block];
  }
};

// A piece of a layer's work.
struct LayerTile {
  int64_t sample_begin = 0, sample_end = 1;
  int64_t row_begin = 0, row_end = 1;      // rows of output pixels
  int64_t block_begin = 0, block_end = 1;  // blocks of output channels
};

// Plain loops, and the oracle of the others. Floats are added by plane, the highest first; then by
// part of the rows, source, tap and channel.
void spike_layer_ref(const SpikeLayer& layer, const LayerTile& tile);

// Largest sum of spikes of an input that kDense and kPacked take.
constexpr int64_t kMostCount = 127;

// The same at a given instruction-set level, cut into tiles that at most `lanes` threads work on.
// `scratch` has at least spike_layer_scratch() bytes of this very call, aligned to a page: fewer steps
// or samples may want more, because more rows of pixels are then worked on at once. Levels agree bit
// for bit.
void spike_layer_cpu(const SpikeLayer& layer, std::span<std::byte> scratch, int lanes,
                     Isa isa = active_isa());
size_t spike_layer_scratch(const SpikeLayer& layer, int lanes);

// Whether the processor multiplies four bytes at once (VNNI), at this level: kDense and kPacked pay
// earlier.
bool has_byte_products(Isa isa = active_isa());
// Whether it gathers bits of several words at once, at this level: SpikePicks are read there alone.
bool has_bit_gathers(Isa isa = active_isa());

}  // namespace spikenm::kernels
