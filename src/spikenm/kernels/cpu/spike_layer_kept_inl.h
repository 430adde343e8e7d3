// Layers of which a block keeps few rows (masks that 64 outputs share): lists are made for each
// block, of the kept channels alone. Included behind spike_layer_inl.h.
//
//   bits of a word      0 1 1 0 1 0 0 1       keep of the block  1 0 1 0 1 0 1 0
//   extracted             1   1   0           (pext: the bits under the ones of `keep`)
//   words put together  | word 0 | word 1 | … |   word_rows bits each, 64 in all, then emitted
//
// With one mask for all taps, a pixel's bits are extracted once for the whole tile and reused by
// every window that holds it.

// Appends the rows of `count` words that lie side by side; the first one's rows begin at `row`. kAt
// words of 64 / kAt bits fill 64 bits.
template <int kAt>
SPIKENM_INLINE uint16_t* emit_words(const uint64_t* bits, const uint64_t* keep, int64_t count,
                                    int32_t row, uint16_t* p) {
  constexpr int kBits = 64 / kAt;
  int64_t w = 0;
  for (; w + kAt <= count; w += kAt, row += 64) {
    uint64_t joined = 0;
    for (int j = 0; j < kAt; ++j) joined |= extract(bits[w + j], keep[w + j]) << j * kBits;
    p = emit(p, joined, row);
  }
  if (w == count) return p;
  uint64_t joined = 0;
  for (int j = 0; w < count; ++w, ++j) joined |= extract(bits[w], keep[w]) << j * kBits;
  return emit(p, joined, row);
}

// What is the same for all windows of a block.
struct KeptBlock {
  const uint64_t* keep;  // [taps, words]
  int32_t word_rows;
  int64_t words;
  // A window inside the map is so many runs of words that lie side by side.
  int64_t runs, run_words, run_stride;
};

KeptBlock kept_block_of(const SpikeLayer& layer, int64_t block) {
  const LayerInput& in = layer.input;
  const LayerWindow& w = layer.window;
  KeptBlock own{.keep = layer.rows.keep + block * w.taps() * in.words(),
                .word_rows = layer.rows.word_rows,
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

// The lists of one window at all steps.
template <int kAt>
void list_window(const SpikeLayer& layer, const ListPlan& plan, const Scratch& scratch,
                 int64_t sample, const KeptBlock& own, int64_t y, int64_t x, Taps& taps) {
  const LayerInput& in = layer.input;
  int64_t corner;
  const bool side_by_side =
      lies_inside(layer, plan, y, x, corner) && in.regular != nullptr && in.regular_column == 1;
  if (side_by_side)  // from the pixel of the input to that of its map
    corner = (y * layer.window.stride - layer.window.padding) * in.regular_row +
             x * layer.window.stride - layer.window.padding;
  else
    find_taps(layer, plan, y, x, taps);
  const int64_t steps = layer.steps, sources = plan.most_sources, room = plan.list_room;
  const int32_t zero_row = layer.rows.rows_of[0];
  const auto run_rows = static_cast<int32_t>(own.run_words * own.word_rows);
  for (int64_t t = 0; t < steps; ++t) {
    uint16_t* const list = scratch.joined + t * room;
    uint16_t* p = list;
    for (int64_t source = 0; source < sources; ++source) {
      if (!side_by_side) {
        p = emit_taps<kAt>(layer, plan, own, taps, sample, t, source, p);
        continue;
      }
      const RegularSource& from = in.regular[source];
      const uint64_t* bits =
          in.maps[from.map] +
          ((sample * steps + t) * in.map_pixels[from.map] + from.first + corner) * own.words;
      for (int64_t run = 0; run < own.runs; ++run, bits += own.run_stride)
        p = emit_words<kAt>(bits, own.keep + run * own.run_words, own.run_words,
                            static_cast<int32_t>(run) * run_rows, p);
    }
    end_list(p, zero_row);
    scratch.counts[t] = static_cast<int32_t>(p - list);
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
          const int64_t stride = in.regular_column * own.words;
          for (int64_t x = 0; x < width; ++x, bits += stride) *out++ = extract_words(bits, own);
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

// Taps whose bits are emitted together, for the windows inside the map.
struct TapGroups {
  int32_t place[Taps::kMost];  // of each tap's pixel, from that of tap 0
  int32_t together;            // taps whose bits fit 64
};

SPIKENM_INLINE uint16_t* emit_inside(const uint64_t* bits, const TapGroups& groups, int32_t taps,
                                     int32_t kept, uint16_t* p) {
  for (int32_t k = 0; k < taps;) {
    const int32_t first = k, end = k + groups.together < taps ? k + groups.together : taps;
    uint64_t joined = 0;
    for (int shift = 0; k < end; ++k, shift += kept) joined |= bits[groups.place[k]] << shift;
    p = emit(p, joined, first * kept);
  }
  return p;
}

// The same at the border, where some taps are outside.
uint16_t* emit_border(const uint64_t* bits, const Taps& taps, int32_t kept, uint16_t* p) {
  for (int k = 0; k < taps.count; ++k) p = emit(p, bits[taps.pixel[k]], taps.tap[k] * kept);
  return p;
}

// A block whose taps keep the same channels, in `kept` rows each.
void run_same_taps(const SpikeLayer& layer, const LayerTile& tile, const ListPlan& plan,
                   const Scratch& scratch, int64_t sample, int64_t block, int32_t kept,
                   Taps& taps) {
  const LayerWindow& w = layer.window;
  const int64_t pixels = plan.input_rows * layer.input.width, steps = layer.steps;
  const auto n_taps = static_cast<int32_t>(w.taps());
  extract_pixels(layer, plan, sample, kept_block_of(layer, block), scratch.words);
  TapGroups groups;
  groups.together = 64 / kept;
  for (int32_t k = 0; k < n_taps; ++k)
    groups.place[k] =
        static_cast<int32_t>(k / w.kernel_width * layer.input.width + k % w.kernel_width);
  const int32_t zero_row = layer.rows.rows_of[block];
  const int64_t sources = plan.most_sources, room = plan.list_room;
  for (int64_t y = tile.row_begin; y < tile.row_end; ++y)
    for (int64_t x = 0; x < w.out_width; ++x) {
      int64_t corner;
      const bool inside = lies_inside(layer, plan, y, x, corner);
      if (!inside) find_taps(layer, plan, y, x, taps);
      for (int64_t t = 0; t < steps; ++t) {
        uint16_t* const list = scratch.joined + t * room;
        uint16_t* p = list;
        for (int64_t source = 0; source < sources; ++source) {
          const uint64_t* const bits = scratch.words + (source * steps + t) * pixels;
          p = inside ? emit_inside(bits + corner, groups, n_taps, kept, p)
                     : emit_border(bits, taps, kept, p);
        }
        end_list(p, zero_row);
        scratch.counts[t] = static_cast<int32_t>(p - list);
      }
      run_listed(layer, {sample, y * w.out_width + x, block}, scratch.joined, scratch.counts, room);
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
