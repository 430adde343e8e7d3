#include "spikenm/kernels/spike_layer.h"

#include "spikenm/kernels/math/value.h"

#include <bit>

namespace spikenm::kernels {
namespace {

// The sums of one block of outputs at one place.
struct Sums {
  int32_t whole[kSpikeBlock] = {};
  float real[kSpikeBlock] = {};
};

// The number of a row in its block, or -1 where it is not kept.
int64_t row_number(const SpikeLayer& layer, int64_t block, int64_t tap, int64_t channel) {
  const int64_t words = layer.input.words(), taps = layer.window.taps();
  if (layer.rows.keep == nullptr) return tap * layer.input.channels + channel;
  const uint64_t* const keep = layer.rows.keep + block * taps * words;
  const int64_t word = tap * words + channel / kSpikeBlock;
  const uint64_t bit = uint64_t{1} << channel % kSpikeBlock;
  if ((keep[word] & bit) == 0) return -1;
  return word * layer.rows.word_rows + std::popcount(keep[word] & (bit - 1));
}

void add_row(const SpikeLayer& layer, int64_t block, int64_t row, float value, Sums& sums) {
  const int64_t at = (block * layer.rows.block_rows() + layer.rows.place(row)) * kSpikeBlock;
  if (!layer.rows.int8) {
    const float* const weights = static_cast<const float*>(layer.rows.data) + at;
    for (int64_t i = 0; i < kSpikeBlock; ++i) sums.real[i] = fused(value, weights[i], sums.real[i]);
    return;
  }
  const auto* const bytes = static_cast<const uint8_t*>(layer.rows.data) + at;
  for (int64_t i = 0; i < kSpikeBlock / 2; ++i) {
    const auto times = static_cast<int32_t>(value);
    sums.whole[i] += times * (bytes[2 * i] - 128);
    sums.whole[i + kSpikeBlock / 2] += times * static_cast<int8_t>(bytes[2 * i + 1]);
  }
}

// Adds the products of one input, `count` spikes at (tap, channel), whatever form the weights have.
void add_count(const SpikeLayer& layer, int64_t block, int64_t tap, int64_t channel, int32_t count,
               Sums& sums) {
  const auto* const weights = static_cast<const int8_t*>(layer.rows.data);
  const int64_t words = layer.input.words(), taps = layer.window.taps();
  if (layer.rows.form == RowForm::kDense) {
    const int64_t quad = (block * taps + tap) * words * 16 + channel / 4;
    for (int64_t i = 0; i < kSpikeBlock; ++i)
      sums.whole[i] += count * weights[(quad * kSpikeBlock + i) * 4 + channel % 4];
    return;
  }
  const int64_t quads = layer.rows.word_rows / 4;
  for (int64_t i = 0; i < kSpikeBlock; ++i) {
    const int64_t word = ((block * 4 + i / 16) * taps + tap) * words + channel / kSpikeBlock;
    for (int64_t slot = 0; slot < 4 * quads; ++slot) {
      const int64_t at = (word * quads + slot / 4) * 128 + i % 16 * 4 + slot % 4;
      if (weights[at] == channel % kSpikeBlock) sums.whole[i] += count * weights[at + 64];
    }
  }
}

// Which spikes are added: those of one plane, and, if not negative, of one source of each pixel and
// through one part of the rows.
struct Chosen {
  int64_t plane = 0, source = -1, part = -1;
};

// One pixel of the input, at one step, seen through one tap.
void add_pixel(const SpikeLayer& layer, int64_t sample, int64_t step, int64_t pixel, int64_t tap,
               int64_t block, const Chosen& chosen, Sums& sums) {
  const LayerInput& in = layer.input;
  if (in.values != nullptr) {
    const int64_t at = sample * in.input_steps + (in.input_steps == 1 ? 0 : step);
    const float* const values = in.values + (at * in.height * in.width + pixel) * in.channels;
    for (int64_t c = 0; c < in.channels; ++c) {
      const int64_t row = row_number(layer, block, tap, c);
      if (row >= 0 && values[c] != 0) add_row(layer, block, row, values[c], sums);
    }
    return;
  }

  for (int32_t s = in.begin[pixel]; s < in.begin[pixel + 1]; ++s) {
    if (chosen.source >= 0 && s - in.begin[pixel] != chosen.source) continue;
    const SpikeSource& source = in.sources[s];
    if ((in.map_plane == nullptr ? 0 : in.map_plane[source.map]) != chosen.plane) continue;
    const uint64_t* const bits =
        in.maps[source.map] +
        ((sample * layer.steps + step) * in.map_pixels[source.map] + source.pixel) * in.words();
    for (int64_t w = 0; w < in.words(); ++w)
      for (uint64_t rest = bits[w]; rest != 0; rest &= rest - 1) {
        const int64_t channel = w * kSpikeBlock + std::countr_zero(rest);
        if (layer.rows.form != RowForm::kEvents) {
          add_count(layer, block, tap, channel, 1 << chosen.plane, sums);
          continue;
        }
        const int64_t row = row_number(layer, block, tap, channel);
        if (row < 0 || (chosen.part >= 0 && row / layer.rows.part_rows != chosen.part)) continue;
        add_row(layer, block, row, static_cast<float>(1 << chosen.plane), sums);
      }
  }
}

void add_window(const SpikeLayer& layer, int64_t sample, int64_t step, int64_t y, int64_t x,
                int64_t block, const Chosen& chosen, Sums& sums) {
  const LayerWindow& w = layer.window;
  for (int64_t ky = 0; ky < w.kernel_height; ++ky)
    for (int64_t kx = 0; kx < w.kernel_width; ++kx) {
      const int64_t iy = y * w.stride - w.padding + ky, ix = x * w.stride - w.padding + kx;
      if (iy < 0 || ix < 0 || iy >= layer.input.height || ix >= layer.input.width) continue;
      add_pixel(layer, sample, step, iy * layer.input.width + ix, ky * w.kernel_width + kx, block,
                chosen, sums);
    }
}

Sums sum_at(const SpikeLayer& layer, int64_t sample, int64_t step, int64_t y, int64_t x,
            int64_t block) {
  Sums sums;
  const LayerInput& in = layer.input;
  // Whole numbers may be added in any order.
  const bool in_order = !layer.rows.int8 && in.values == nullptr;
  for (int64_t plane = in.planes - 1; plane >= 0; --plane) {
    if (!in_order) add_window(layer, sample, step, y, x, block, {.plane = plane}, sums);
    for (int64_t part = 0; in_order && part < layer.rows.parts(); ++part)
      for (int64_t source = 0; source < in.most_sources; ++source)
        add_window(layer, sample, step, y, x, block, {plane, source, part}, sums);
  }
  return sums;
}

// Neuron `i` of a block: a current becomes a spike or not.
bool fire(const LayerNeurons& n, float current, float& v) {
  const float h = fused(n.keep, v, current);
  const bool fired = h >= n.threshold;
  // Not always the sum: 0 * h is no number where h is infinite.
  const float reset = n.soft == 0 ? n.reset : fused(n.soft, h, n.reset);
  v = fired ? reset : h;
  return fired;
}

void run_place(const SpikeLayer& layer, int64_t sample, int64_t y, int64_t x, int64_t block) {
  const LayerNeurons& n = layer.neurons;
  const int64_t blocks = layer.blocks(), pixels = layer.window.pixels();
  const int64_t pixel = y * layer.window.out_width + x;
  float own[kSpikeBlock];
  float* v = own;
  for (float& each : own) each = n.rest;
  if (n.membrane != nullptr)
    v = n.membrane + ((sample * pixels + pixel) * blocks + block) * kSpikeBlock;

  for (int64_t t = 0; t < layer.steps; ++t) {
    const Sums sums = sum_at(layer, sample, t, y, x, block);
    uint64_t fired = 0;
    for (int64_t i = 0; i < kSpikeBlock; ++i) {
      const int64_t channel = block * kSpikeBlock + i;
      const float sum = layer.rows.int8 ? static_cast<float>(sums.whole[i]) : sums.real[i];
      const float current = fused(sum, n.scale[channel], n.shift[channel]);
      if (n.fires && fire(n, current, v[i])) fired |= uint64_t{1} << i;
      if (!n.fires && channel < layer.out_channels)
        layer.values[((sample * layer.steps + t) * pixels + pixel) * layer.out_channels + channel] =
            current;
    }
    if (!n.fires) continue;
    layer.spikes[((sample * layer.steps + t) * pixels + pixel) * blocks + block] =
        fired & layer.alive(pixel, block);
  }
}

}  // namespace

void spike_layer_ref(const SpikeLayer& layer, const LayerTile& tile) {
  for (int64_t sample = tile.sample_begin; sample < tile.sample_end; ++sample)
    for (int64_t y = tile.row_begin; y < tile.row_end; ++y)
      for (int64_t x = 0; x < layer.window.out_width; ++x)
        for (int64_t block = tile.block_begin; block < tile.block_end; ++block)
          run_place(layer, sample, y, x, block);
}

}  // namespace spikenm::kernels
