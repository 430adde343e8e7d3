// Layers of which a block keeps few rows (masks that 64 outputs share): lists are made for each
// block, of the kept channels alone. Included behind spike_layer_inl.h.
//
//   bits of a word      0 1 1 0 1 0 0 1       keep of the block  1 0 1 0 1 0 1 0
//   extracted             1   1   0           (pext: the bits under the ones of `keep`)
//   words put together  | word 0 | word 1 | … |   word_rows bits each, 64 in all, then emitted
//
// How many bits of 64 are expected to be set: nearly always none, some, or more than 9.
enum class Fill { kNone, kFew, kMany };

// Appends the rows of `count` words that lie side by side; the first one's rows begin at `row`. kAt
// words of 64 / kAt bits fill 64 bits. What
// is expected of them changes how they are emitted.
template <int kAt, Fill kFill = Fill::kFew>
SPIKENM_INLINE uint16_t* emit_words(const uint64_t* bits, const uint64_t* keep, int64_t count,
                                    int32_t row, uint16_t* p) {
  constexpr int kBits = 64 / kAt;
  int64_t w = 0;
  for (; w + kAt <= count; w += kAt, row += 64) {
    uint64_t joined = 0;
    for (int j = 0; j < kAt; ++j) joined |= extract(bits[w + j], keep[w + j]) << j * kBits;
    p = emit<kFill == Fill::kMany>(p, joined, row);
  }
  if (w == count) return p;
  uint64_t joined = 0;
  int shift = 0;
  if constexpr (kAt > 1) {
    if (w + kAt / 2 <= count) {  // 12 words of a row of taps are 8 and 4
      for (int j = 0; j < kAt / 2; ++j) joined |= extract(bits[w + j], keep[w + j]) << j * kBits;
      w += kAt / 2;
      shift = 32;
    }
  }
  for (; w < count; ++w, shift += kBits) joined |= extract(bits[w], keep[w]) << shift;
  return emit<kFill == Fill::kMany>(p, joined, row);
}

// Where the lists of a window go, and whose part of them is written: that of the k-th plane from the
// highest, from its first source on (`opens`) or behind what other sources gave.
struct PartWriter {
  const Scratch& scratch;
  int64_t steps, room, planes, k;
  int32_t zero_row;
  bool opens;

  // The part of step t begins at part_begin(t) entries of its list.
  [[nodiscard]] SPIKENM_INLINE int64_t part_begin(int64_t t) const {
    int64_t begin = 0;
    for (int64_t i = 0; i < k; ++i) begin += to_eight(scratch.counts[t * planes + i]);
    return begin;
  }
  [[nodiscard]] SPIKENM_INLINE uint16_t* open(int64_t t) const {
    return scratch.joined + t * room + part_begin(t) + (opens ? 0 : scratch.counts[t * planes + k]);
  }
  SPIKENM_INLINE void close(int64_t t, uint16_t* end) const {
    end_list(end, zero_row);
    scratch.counts[t * planes + k] =
        static_cast<int32_t>(end - (scratch.joined + t * room + part_begin(t)));
  }
};

PartWriter writer_for(const SpikeLayer& layer, const ListPlan& plan, const Scratch& scratch,
                      int32_t zero_row) {
  return {scratch, layer.steps, plan.list_room, plan.planes, 0, zero_row, true};
}

// Calls list(plane, source number) for every regular source, planes from the highest on.
template <class List>
SPIKENM_INLINE void each_source(const LayerInput& in, PartWriter& to, const List& list) {
  for (to.k = 0; to.k < to.planes; ++to.k) {
    const int64_t plane = to.planes - 1 - to.k;
    to.opens = true;
    for (int64_t source = 0; source < in.most_sources; ++source) {
      if (in.map_plane != nullptr && in.map_plane[in.regular[source].map] != plane) continue;
      list(plane, source);
      to.opens = false;
    }
    for (int64_t t = 0; to.opens && t < to.steps; ++t) to.close(t, to.open(t));
  }
}

// What is the same for all windows of a block.
struct KeptBlock {
  const uint64_t* keep;  // [taps, words]
  int32_t word_rows, zero_row;
  int64_t words;
};

KeptBlock kept_block_of(const SpikeLayer& layer, int64_t block) {
  const int64_t words = layer.input.words();
  return {.keep = layer.rows.keep + block * layer.window.taps() * words,
          .word_rows = layer.rows.word_rows,
          .zero_row = layer.rows.rows_of[block],
          .words = words};
}

// The part of a window that lies inside the map, as runs of words that lie side by side.
struct WordRuns {
  int64_t runs, words, stride;  // how many, words of each, from one to the next
  int64_t first, tap_stride;    // the same among the words of all taps
  int64_t corner;               // the pixel of the first word, by the rule of the regular sources

  WordRuns(const SpikeLayer& layer, int64_t y, int64_t x) {
    const LayerInput& in = layer.input;
    const LayerWindow& w = layer.window;
    const int64_t top = y * w.stride - w.padding, left = x * w.stride - w.padding;
    const int64_t row = top < 0 ? -top : 0, column = left < 0 ? -left : 0;
    const int64_t below = in.height - top < w.kernel_height ? in.height - top : w.kernel_height;
    const int64_t behind = in.width - left < w.kernel_width ? in.width - left : w.kernel_width;
    const int64_t columns = behind > column ? behind - column : 0;
    runs = below > row && columns > 0 ? below - row : 0;
    words = columns * in.words();
    stride = in.regular_row * in.words();
    first = (row * w.kernel_width + column) * in.words();
    tap_stride = w.kernel_width * in.words();
    corner = (top + row) * in.regular_row + left + column;
  }
};

// A window of pixels that are not side by side: tap by tap.
template <int kAt>
uint16_t* emit_taps(const SpikeLayer& layer, const ListPlan& plan, const KeptBlock& own,
                    const Taps& taps, int64_t sample, int64_t step, int64_t source, int64_t plane,
                    uint16_t* p) {
  const LayerInput& in = layer.input;
  const int32_t* const begin = in.begin + plan.input_row_begin * in.width;
  const auto tap_rows = static_cast<int32_t>(own.words * own.word_rows);
  for (int k = 0; k < taps.count; ++k) {
    const int32_t at = begin[taps.pixel[k]] + static_cast<int32_t>(source);
    if (at >= begin[taps.pixel[k] + 1] || plane_of(in, in.sources[at]) != plane) continue;
    p = emit_words<kAt>(source_words(layer, sample, step, in.sources[at]),
                        own.keep + taps.tap[k] * own.words, own.words, taps.tap[k] * tap_rows, p);
  }
  return p;
}

// One part of the lists of a window whose pixels lie side by side. `bits`: its first word at the first
// step; `step_words`: from one step to the next.
template <int kAt, Fill kFill>
SPIKENM_NOINLINE void list_runs(const KeptBlock& own, const WordRuns& window, const uint64_t* bits,
                                int64_t step_words, const PartWriter& to) {
  const int64_t runs = window.runs, words = window.words, stride = window.stride;
  const int64_t tap_stride = window.tap_stride;
  const auto first_row = static_cast<int32_t>(window.first * own.word_rows);
  const auto run_rows = static_cast<int32_t>(tap_stride * own.word_rows);
  const PartWriter writer = to;
  for (int64_t t = 0; t < writer.steps; ++t, bits += step_words) {
    uint16_t* p = writer.open(t);
    const uint64_t *at = bits, *keep = own.keep + window.first;
    int32_t row = first_row;
    for (int64_t run = 0; run < runs; ++run) {
      if (kFill != Fill::kNone || __builtin_expect(any_set(at, words), 0))
        p = emit_words<kAt, kFill>(at, keep, words, row, p);
      at += stride;
      keep += tap_stride;
      row += run_rows;
    }
    writer.close(t, p);
  }
}

// The lists of a window of pixels that are not side by side.
template <int kAt>
SPIKENM_NOINLINE void list_taps(const SpikeLayer& layer, const ListPlan& plan, int64_t sample,
                                const KeptBlock& own, const Taps& taps, PartWriter to) {
  for (to.k = 0; to.k < to.planes; ++to.k)
    for (int64_t t = 0; t < layer.steps; ++t) {
      uint16_t* p = to.open(t);
      for (int64_t source = 0; source < plan.most_sources; ++source)
        p = emit_taps<kAt>(layer, plan, own, taps, sample, t, source, to.planes - 1 - to.k, p);
      to.close(t, p);
    }
}

template <int kAt>
void list_window(const SpikeLayer& layer, const ListPlan& plan, const Scratch& scratch,
                 int64_t sample, const KeptBlock& own, int64_t y, int64_t x, Taps& taps) {
  const LayerInput& in = layer.input;
  PartWriter to = writer_for(layer, plan, scratch, own.zero_row);
  if (in.regular == nullptr || in.regular_column != 1) {
    find_taps(layer, plan, y, x, taps);
    return list_taps<kAt>(layer, plan, sample, own, taps, to);
  }
  const WordRuns window(layer, y, x);
  each_source(in, to, [&](int64_t plane, int64_t source) {
    const RegularSource& from = in.regular[source];
    const int64_t pixels = in.map_pixels[from.map];
    const uint64_t* const bits =
        in.maps[from.map] +
        (sample * layer.steps * pixels + from.first + window.corner) * own.words;
    // Four spikes of a window of four are nearly never there.
    const auto list = plane >= 2                ? list_runs<kAt, Fill::kNone>
                      : plan.many && plane == 0 ? list_runs<kAt, Fill::kMany>
                                                : list_runs<kAt, Fill::kFew>;
    list(own, window, bits, pixels * own.words, to);
  });
}

template <int kAt>
void run_kept(const SpikeLayer& layer, const LayerTile& tile, const ListPlan& plan,
              const Scratch& scratch, int64_t sample, int64_t block, Taps& taps) {
  const KeptBlock own = kept_block_of(layer, block);
  for (int64_t y = tile.row_begin; y < tile.row_end; ++y)
    for (int64_t x = 0; x < layer.window.out_width; ++x) {
      list_window<kAt>(layer, plan, scratch, sample, own, y, x, taps);
      run_listed(layer, {sample, y * layer.window.out_width + x, block},
                 {scratch.joined, scratch.begins, scratch.counts, plan.planes});
    }
}

using RunKept = void (*)(const SpikeLayer&, const LayerTile&, const ListPlan&, const Scratch&,
                         int64_t sample, int64_t block, Taps&);

RunKept kept_runner(int32_t word_rows) {
  switch (word_rows) {
    case 64:
      return run_kept<1>;
    case 32:
      return run_kept<2>;
    case 16:
      return run_kept<4>;
    case 8:
      return run_kept<8>;
    case 4:
      return run_kept<16>;
    case 2:
      return run_kept<32>;
    default:
      return run_kept<64>;
  }
}
