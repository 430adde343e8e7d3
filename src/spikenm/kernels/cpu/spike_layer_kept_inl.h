// Layers of which a block keeps few rows (masks that 64 outputs share): lists are made for each
// block, of the kept channels alone. Included behind spike_layer_inl.h.
//
//   bits of a word      0 1 1 0 1 0 0 1       keep of the block  1 0 1 0 1 0 1 0
//   extracted             1   1   0           (pext: the bits under the ones of `keep`)
//   words put together  | word 0 | word 1 | … |   word_rows bits each, 64 in all, then emitted
//
// With one mask for all taps, a pixel's bits are extracted once for the whole tile and reused by
// every window that holds it.

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
    if (kFill == Fill::kNone && __builtin_expect(joined == 0, 1)) continue;
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

// What is the same for all windows of a block.
struct KeptBlock {
  const uint64_t* keep;  // [taps, words]
  int32_t word_rows, zero_row;
  int64_t words;
  // A window inside the map is so many runs of words that lie side by side.
  int64_t runs, run_words, run_stride;
};

KeptBlock kept_block_of(const SpikeLayer& layer, int64_t block) {
  const LayerInput& in = layer.input;
  const LayerWindow& w = layer.window;
  KeptBlock own{.keep = layer.rows.keep + block * w.taps() * in.words(),
                .word_rows = layer.rows.word_rows,
                .zero_row = layer.rows.rows_of[block],
                .words = in.words(),
                .runs = w.kernel_height,
                .run_words = w.kernel_width * in.words(),
                .run_stride = in.regular_row * in.words()};
  return own;
}

// A window at the border, or of pixels that are not side by side: tap by tap.
template <int kAt>
uint16_t* emit_taps(const SpikeLayer& layer, const ListPlan& plan, const KeptBlock& own,
                    const Taps& taps, int64_t sample, int64_t step, int64_t source, uint16_t* p) {
  const LayerInput& in = layer.input;
  const int32_t* const begin = in.begin + plan.input_row_begin * in.width;
  const auto tap_rows = static_cast<int32_t>(own.words * own.word_rows);
  for (int k = 0; k < taps.count; ++k) {
    const int32_t at = begin[taps.pixel[k]] + static_cast<int32_t>(source);
    if (at >= begin[taps.pixel[k] + 1]) continue;
    p = emit_words<kAt>(source_words(layer, sample, step, in.sources[at]),
                        own.keep + taps.tap[k] * own.words, own.words, taps.tap[k] * tap_rows, p);
  }
  return p;
}

// The lists of a window inside the map at all steps. `bits`: its first word at the first step;
// `step_words`: from one step to the next.
template <int kAt, Fill kFill>
SPIKENM_NOINLINE void list_inside(const KeptBlock& own, const uint64_t* bits, int64_t step_words,
                                  int64_t steps, uint16_t* list, int64_t room, int32_t* counts,
                                  bool appends) {
  const int64_t runs = own.runs, run_words = own.run_words, run_stride = own.run_stride;
  const auto run_rows = static_cast<int32_t>(run_words * own.word_rows);
  const int32_t zero_row = own.zero_row;
  for (int64_t t = 0; t < steps; ++t, bits += step_words, list += room) {
    uint16_t* p = appends ? list + counts[t] : list;
    const uint64_t *at = bits, *keep = own.keep;
    int32_t row = 0;
    for (int64_t run = 0; run < runs; ++run) {
      p = emit_words<kAt, kFill>(at, keep, run_words, row, p);
      at += run_stride;
      keep += run_words;
      row += run_rows;
    }
    end_list(p, zero_row);
    counts[t] = static_cast<int32_t>(p - list);
  }
}

// The same at the border, or of pixels that are not side by side.
template <int kAt>
SPIKENM_NOINLINE void list_taps(const SpikeLayer& layer, const ListPlan& plan,
                                const Scratch& scratch, int64_t sample, const KeptBlock& own,
                                const Taps& taps) {
  for (int64_t t = 0; t < layer.steps; ++t) {
    uint16_t* const list = scratch.joined + t * plan.list_room;
    uint16_t* p = list;
    for (int64_t source = 0; source < plan.most_sources; ++source)
      p = emit_taps<kAt>(layer, plan, own, taps, sample, t, source, p);
    end_list(p, own.zero_row);
    scratch.counts[t] = static_cast<int32_t>(p - list);
  }
}

template <int kAt>
void list_window(const SpikeLayer& layer, const ListPlan& plan, const Scratch& scratch,
                 int64_t sample, const KeptBlock& own, int64_t y, int64_t x, Taps& taps) {
  const LayerInput& in = layer.input;
  int64_t corner;
  const bool inside = lies_inside(layer, plan, y, x, corner);
  if (!inside || in.regular == nullptr || in.regular_column != 1) {
    find_taps(layer, plan, y, x, taps);
    return list_taps<kAt>(layer, plan, scratch, sample, own, taps);
  }
  corner = (y * layer.window.stride - layer.window.padding) * in.regular_row +
           x * layer.window.stride - layer.window.padding;
  for (int64_t source = 0; source < plan.most_sources; ++source) {
    const RegularSource& from = in.regular[source];
    const int64_t pixels = in.map_pixels[from.map];
    const uint64_t* const bits =
        in.maps[from.map] + (sample * layer.steps * pixels + from.first + corner) * own.words;
    // The higher levels of a pool are nearly empty.
    const auto list = source >= 2                ? list_inside<kAt, Fill::kNone>
                      : plan.many && source == 0 ? list_inside<kAt, Fill::kMany>
                                                 : list_inside<kAt, Fill::kFew>;
    list(own, bits, pixels * own.words, layer.steps, scratch.joined, plan.list_room, scratch.counts,
         source > 0);
  }
}

template <int kAt>
void run_kept(const SpikeLayer& layer, const LayerTile& tile, const ListPlan& plan,
              const Scratch& scratch, int64_t sample, int64_t block, Taps& taps) {
  const KeptBlock own = kept_block_of(layer, block);
  for (int64_t y = tile.row_begin; y < tile.row_end; ++y)
    for (int64_t x = 0; x < layer.window.out_width; ++x) {
      list_window<kAt>(layer, plan, scratch, sample, own, y, x, taps);
      run_listed(layer, {sample, y * layer.window.out_width + x, block}, scratch.joined,
                 scratch.counts, plan.list_room);
    }
}

// Whether all taps of the block keep the same channels, in at most 64 rows; then how many rows.
int32_t same_for_all_taps(const SpikeLayer& layer, int64_t block) {
  const int64_t words = layer.input.words(), taps = layer.window.taps();
  const uint64_t* const keep = layer.rows.keep + block * taps * words;
  const int64_t rows = words * layer.rows.word_rows;
  if (taps == 1 || rows > 64) return 0;
  for (int64_t i = words; i < taps * words; ++i)
    if (keep[i] != keep[i - words]) return 0;
  return static_cast<int32_t>(rows);
}

SPIKENM_INLINE uint64_t extract_words(const uint64_t* bits, const KeptBlock& own) {
  uint64_t joined = 0;
  int shift = 0;
  for (int64_t w = 0; w < own.words; ++w, shift += own.word_rows)
    joined |= extract(bits[w], own.keep[w]) << shift;
  return joined;
}

// The kept bits of `count` pixels, `stride` words apart.
SPIKENM_NOINLINE void extract_row(const KeptBlock& own, const uint64_t* bits, int64_t stride,
                                  int64_t count, uint64_t* out) {
  if (own.words == 4) {  // written out for the usual 256 channels
    const uint64_t a = own.keep[0], b = own.keep[1], c = own.keep[2], d = own.keep[3];
    const int rows = own.word_rows;
    for (int64_t x = 0; x < count; ++x, bits += stride)
      out[x] = extract(bits[0], a) | extract(bits[1], b) << rows | extract(bits[2], c) << 2 * rows |
               extract(bits[3], d) << 3 * rows;
    return;
  }
  for (int64_t x = 0; x < count; ++x, bits += stride) out[x] = extract_words(bits, own);
}

// The kept bits of every pixel that the tile reads: [sources, steps, input pixels].
void extract_pixels(const SpikeLayer& layer, const ListPlan& plan, int64_t sample,
                    const KeptBlock& own, uint64_t* out) {
  const LayerInput& in = layer.input;
  const int64_t steps = layer.steps, sources = plan.most_sources, width = in.width;
  const int64_t rows = plan.input_rows, first = plan.input_row_begin;
  const bool regular = in.regular != nullptr;
  for (int64_t source = 0; source < sources; ++source)
    for (int64_t t = 0; t < steps; ++t)
      for (int64_t y = first; y < first + rows; ++y) {
        if (regular) {
          const RegularSource& from = in.regular[source];
          const uint64_t* bits =
              in.maps[from.map] +
              ((sample * steps + t) * in.map_pixels[from.map] + from.first + y * in.regular_row) *
                  own.words;
          extract_row(own, bits, in.regular_column * own.words, width, out);
          out += width;
          continue;
        }
        for (int64_t x = 0; x < width; ++x) {
          const int64_t pixel = y * width + x;
          const int32_t at = in.begin[pixel] + static_cast<int32_t>(source);
          *out++ = at < in.begin[pixel + 1]
                       ? extract_words(source_words(layer, sample, t, in.sources[at]), own)
                       : 0;
        }
      }
}

// The lists of a window inside the map whose taps keep the same channels, at all steps. kTogether
// taps of `kept` bits are emitted at once; `place`: each tap's pixel, from that of tap 0.
template <int kTogether, bool kMany>
SPIKENM_NOINLINE void list_same_taps(const uint64_t* bits, int64_t pixels, int64_t steps,
                                     const int32_t* place, int32_t taps, int32_t kept,
                                     uint16_t* list, int64_t room, int32_t* counts,
                                     int32_t zero_row, bool appends) {
  for (int64_t t = 0; t < steps; ++t, bits += pixels, list += room) {
    uint16_t* p = appends ? list + counts[t] : list;
    int32_t k = 0, row = 0;
    for (; k + kTogether <= taps; k += kTogether, row += kTogether * kept) {
      uint64_t joined = bits[place[k]];
      for (int j = 1; j < kTogether; ++j) joined |= bits[place[k + j]] << j * kept;
      p = emit<kMany>(p, joined, row);
    }
    if (k < taps) {
      uint64_t joined = 0;
      for (int j = 0; k < taps; ++k, ++j) joined |= bits[place[k]] << j * kept;
      p = emit<kMany>(p, joined, row);
    }
    end_list(p, zero_row);
    counts[t] = static_cast<int32_t>(p - list);
  }
}

using ListSameTaps = void (*)(const uint64_t*, int64_t, int64_t, const int32_t*, int32_t, int32_t,
                              uint16_t*, int64_t, int32_t*, int32_t, bool);

// As many taps as fit 64 bits, or fewer.
template <bool kMany>
ListSameTaps same_taps_lister(int32_t kept) {
  return kept > 32   ? list_same_taps<1, kMany>
         : kept > 16 ? list_same_taps<2, kMany>
                     : list_same_taps<4, kMany>;
}

// The same at the border, where some taps are outside.
void list_border(const uint64_t* bits, int64_t pixels, int64_t steps, const Taps& taps,
                 int32_t kept, const Scratch& scratch, int64_t room, int32_t zero_row,
                 bool appends) {
  for (int64_t t = 0; t < steps; ++t, bits += pixels) {
    uint16_t* const list = scratch.joined + t * room;
    uint16_t* p = appends ? list + scratch.counts[t] : list;
    for (int k = 0; k < taps.count; ++k)
      p = emit<false>(p, bits[taps.pixel[k]], taps.tap[k] * kept);
    end_list(p, zero_row);
    scratch.counts[t] = static_cast<int32_t>(p - list);
  }
}

// A block whose taps keep the same channels, in `kept` rows each.
void run_same_taps(const SpikeLayer& layer, const LayerTile& tile, const ListPlan& plan,
                   const Scratch& scratch, int64_t sample, int64_t block, int32_t kept,
                   Taps& taps) {
  const LayerWindow& w = layer.window;
  const int64_t pixels = plan.input_rows * layer.input.width, steps = layer.steps;
  const auto n_taps = static_cast<int32_t>(w.taps());
  extract_pixels(layer, plan, sample, kept_block_of(layer, block), scratch.words);
  int32_t place[Taps::kMost];
  for (int32_t k = 0; k < n_taps; ++k)
    place[k] = static_cast<int32_t>(k / w.kernel_width * layer.input.width + k % w.kernel_width);
  const ListSameTaps few = same_taps_lister<false>(kept);
  const ListSameTaps first = plan.many ? same_taps_lister<true>(kept) : few;
  const int32_t zero_row = layer.rows.rows_of[block];
  for (int64_t y = tile.row_begin; y < tile.row_end; ++y)
    for (int64_t x = 0; x < w.out_width; ++x) {
      int64_t corner;
      const bool inside = lies_inside(layer, plan, y, x, corner);
      if (!inside) find_taps(layer, plan, y, x, taps);
      for (int64_t source = 0; source < plan.most_sources; ++source) {
        const uint64_t* const bits = scratch.words + source * steps * pixels;
        if (inside)
          (source == 0 ? first : few)(bits + corner, pixels, steps, place, n_taps, kept,
                                      scratch.joined, plan.list_room, scratch.counts, zero_row,
                                      source > 0);
        else
          list_border(bits, pixels, steps, taps, kept, scratch, plan.list_room, zero_row,
                      source > 0);
      }
      run_listed(layer, {sample, y * w.out_width + x, block}, scratch.joined, scratch.counts,
                 plan.list_room);
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

void kept_tile(const SpikeLayer& layer, const LayerTile& tile, const ListPlan& plan,
               const Scratch& scratch) {
  Taps taps;
  const RunKept run = kept_runner(layer.rows.word_rows);
  for (int64_t block = tile.block_begin; block < tile.block_end; ++block) {
    const int32_t same = same_for_all_taps(layer, block);
    for (int64_t sample = tile.sample_begin; sample < tile.sample_end; ++sample) {
      if (same > 0)
        run_same_taps(layer, tile, plan, scratch, sample, block, same, taps);
      else
        run(layer, tile, plan, scratch, sample, block, taps);
    }
  }
}

void run_tile(const SpikeLayer& layer, const LayerTile& tile, const ListPlan& plan,
              std::byte* base) {
  const Scratch scratch(plan, base);
  if (layer.input.values != nullptr) return real_tile(layer, tile, plan);
  if (layer.rows.keep != nullptr) return kept_tile(layer, tile, plan, scratch);
  if (plan.chunks > 1) return chunked_tile(layer, tile, plan, scratch);
  listed_tile(layer, tile, plan, scratch);
}
