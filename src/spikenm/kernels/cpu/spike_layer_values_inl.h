// Layers that read real values: rows times the values of a window that are not 0. Included behind
// spike_layer_inl.h.
//
//   values of a row of the input   0 .3 0 0 | 0 0 .1 0 | …     one bit each: 0100 0010 …
//   window of 2 rows               bits 010010 and 000100  ->  joined 000100 010010: rows 1, 4, 8
//
// Frames of events are nearly empty. A branch for each value would be wrong too often; the bits of a
// small window are joined in one word, and its ones are counted off.

// Values of a window whose bits are joined.
constexpr int64_t kJoinedValues = 64;

inline bool joins_values(const SpikeLayer& layer) {
  const int64_t in_row = layer.window.kernel_width * layer.input.channels;
  return layer.window.kernel_height * in_row <= kJoinedValues && in_row <= 56;
}

// Which values of the rows that the tile reads are not 0: [input steps, rows, row_bytes].
struct ValueMarks {
  const uint8_t* bits;
  int64_t row_bytes, rows;

  [[nodiscard]] SPIKENM_INLINE uint64_t at(int64_t step, int64_t row, int64_t first,
                                           int64_t count) const {
    uint64_t word;
    __builtin_memcpy(&word, bits + (step * rows + row) * row_bytes + first / 8, sizeof word);
    return word >> first % 8 & ((uint64_t{1} << count) - 1);
  }
};

void mark_values(const LayerInput& in, const TilePlan& plan, const float* values, uint8_t* bits) {
  const int64_t in_row = in.width * in.channels;
  for (int64_t t = 0; t < in.input_steps; ++t)
    for (int64_t y = 0; y < plan.input_rows; ++y, bits += plan.mark_bytes) {
      const float* const row = values + (t * in.height + plan.input_row_begin + y) * in_row;
      for (int64_t i = 0; i < plan.mark_bytes; ++i) bits[i] = 0;
      for (int64_t i = 0; i < in_row; ++i)
        bits[i / 8] = static_cast<uint8_t>(bits[i / 8] | (row[i] != 0 ? 1 : 0) << i % 8);
    }
}

// The part of a window that lies inside the map.
struct InsideWindow {
  int64_t top, row_begin, row_end;  // rows of the kernel
  int64_t first_bit, bits, shift;   // of a row of the input; and where they stand in a joined row
  int64_t corner;                   // the value at the window's corner, which may lie outside

  InsideWindow(const SpikeLayer& layer, int64_t y, int64_t x) {
    const LayerInput& in = layer.input;
    const LayerWindow& w = layer.window;
    top = y * w.stride - w.padding;
    const int64_t left = x * w.stride - w.padding;
    row_begin = top < 0 ? -top : 0;
    row_end = in.height - top < w.kernel_height ? in.height - top : w.kernel_height;
    const int64_t begin = left < 0 ? -left : 0;
    const int64_t end = in.width - left < w.kernel_width ? in.width - left : w.kernel_width;
    first_bit = (left + begin) * in.channels;
    bits = (end - begin) * in.channels;
    shift = begin * in.channels;
    corner = (top * in.width + left) * in.channels;
  }
};

// The sums of a small window at one step.
SPIKENM_INLINE Floats sum_joined(const SpikeLayer& layer, const TilePlan& plan,
                                 const InsideWindow& inside, const ValueMarks& marks, int64_t step,
                                 const float* values, const int32_t* place, const float* rows) {
  const int64_t in_row = layer.window.kernel_width * layer.input.channels;
  uint64_t joined = 0;
  if (inside.bits > 0)
    for (int64_t ky = inside.row_begin; ky < inside.row_end; ++ky)
      joined |=
          marks.at(step, inside.top + ky - plan.input_row_begin, inside.first_bit, inside.bits)
          << (ky * in_row + inside.shift);
  Floats sums = Floats::fill(0);
  for (; joined != 0; joined &= joined - 1) {
    const int j = __builtin_ctzll(joined);
    add_scaled(sums, rows + j * kSpikeBlock, values[inside.corner + place[j]]);
  }
  return sums;
}

// The sums of a large window at one step.
inline Floats sum_taps(const SpikeLayer& layer, const TilePlan& plan, const Taps& taps,
                       const float* values, const float* rows) {
  const LayerInput& in = layer.input;
  Floats sums = Floats::fill(0);
  for (int k = 0; k < taps.count; ++k) {
    const float* const x = values + (taps.pixel[k] + plan.input_row_begin * in.width) * in.channels;
    const float* const row = rows + taps.tap[k] * in.channels * kSpikeBlock;
    for (int64_t c = 0; c < in.channels; ++c)
      if (x[c] != 0) add_scaled(sums, row + c * kSpikeBlock, x[c]);
  }
  return sums;
}

// Neurons of one place; sum_at(values, step) gives its sums. What lasts is summed once.
template <class SumAt>
void run_values(const SpikeLayer& layer, const Place& place, const float* values,
                const SumAt& sum_at) {
  const int64_t map = layer.input.height * layer.input.width * layer.input.channels;
  if (layer.input.input_steps == 1) {
    const Floats constant = sum_at(values, int64_t{0});
    return run_place(layer, place, [&](int64_t) { return constant; });
  }
  run_place(layer, place, [&](int64_t t) { return sum_at(values + t * map, t); });
}

void values_tile(const SpikeLayer& layer, const LayerTile& tile, const TilePlan& plan,
                 const Scratch& scratch) {
  const LayerInput& in = layer.input;
  const int64_t width = layer.window.out_width, map = in.height * in.width * in.channels;
  const bool joins = joins_values(layer);
  auto* const bits = reinterpret_cast<uint8_t*>(scratch.words);
  int32_t place[kJoinedValues];  // of each value of a window, from its corner
  const int64_t in_row = layer.window.kernel_width * in.channels;
  for (int64_t j = 0; joins && j < layer.window.kernel_height * in_row; ++j)
    place[j] = static_cast<int32_t>(j / in_row * in.width * in.channels + j % in_row);

  Taps taps;
  const ValueMarks marks{bits, plan.mark_bytes, plan.input_rows};
  for (int64_t sample = tile.sample_begin; sample < tile.sample_end; ++sample) {
    const float* const values = in.values + sample * in.input_steps * map;
    if (joins) mark_values(in, plan, values, bits);
    for (int64_t pixel = tile.row_begin * width; pixel < tile.row_end * width; ++pixel) {
      const InsideWindow inside(layer, pixel / width, pixel % width);
      if (!joins) find_taps(layer, plan, pixel / width, pixel % width, taps);
      for (int64_t block = tile.block_begin; block < tile.block_end; ++block) {
        const float* const rows = static_cast<const float*>(layer.rows.data) +
                                  block * layer.rows.block_rows() * kSpikeBlock;
        if (joins)
          run_values(layer, {sample, pixel, block}, values, [&](const float* at, int64_t t) {
            return sum_joined(layer, plan, inside, marks, t, at, place, rows);
          });
        else
          run_values(layer, {sample, pixel, block}, values, [&](const float* at, int64_t) {
            return sum_taps(layer, plan, taps, at, rows);
          });
      }
    }
  }
}
