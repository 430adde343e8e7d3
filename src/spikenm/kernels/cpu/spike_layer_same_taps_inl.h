// Blocks whose taps all keep the same channels: a pixel's kept bits are extracted once for the whole
// tile and reused by every window that holds it. Included behind spike_layer_kept_inl.h.
//
//   bits of a pixel   word 0 | word 1 | …      extracted once      kept bits of the pixel
//                     under the keep of the block  ──────────>     a b c … (`kept` of them)
//
//   window at x:      pixel x-1      pixel x        pixel x+1      tap k begins at bit k * kept
//                     | a b c …    | a b c …      | a b c …    |   of a joined list
//   window at x + 1:                 the same word as its tap 0, and so on

// Whether all taps of the block keep the same channels, in at most 64 rows; then how many rows.
int32_t same_for_all_taps(const SpikeLayer& layer, int64_t block) {
  const int64_t words = layer.input.words(), taps = layer.window.taps();
  const uint64_t* const keep = layer.rows.keep + block * taps * words;
  const int64_t rows = words * layer.rows.word_rows;
  if (taps == 1 || rows > 64) return 0;
  if (layer.input.planes > 1 && layer.input.regular == nullptr) return 0;
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

// One part of the lists of a window inside the map whose taps keep the same channels. kTogether taps
// of `kept` bits are emitted at once; `place`: each tap's pixel, from that of tap 0.
template <int kTogether, bool kMany>
SPIKENM_NOINLINE void list_same_taps(const uint64_t* bits, int64_t pixels, const int32_t* place,
                                     int32_t taps, int32_t kept, const PartWriter& to) {
  const PartWriter writer = to;
  for (int64_t t = 0; t < writer.steps; ++t, bits += pixels) {
    uint16_t* p = writer.open(t);
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
    writer.close(t, p);
  }
}

using ListSameTaps = void (*)(const uint64_t*, int64_t, const int32_t*, int32_t, int32_t,
                              const PartWriter&);

// As many taps as fit 64 bits, or fewer.
template <bool kMany>
ListSameTaps same_taps_lister(int32_t kept) {
  return kept > 32   ? list_same_taps<1, kMany>
         : kept > 16 ? list_same_taps<2, kMany>
                     : list_same_taps<4, kMany>;
}

// The same at the border, where some taps are outside.
void list_border(const uint64_t* bits, int64_t pixels, const Taps& taps, int32_t kept,
                 const PartWriter& to) {
  for (int64_t t = 0; t < to.steps; ++t, bits += pixels) {
    uint16_t* p = to.open(t);
    for (int k = 0; k < taps.count; ++k)
      p = emit<false>(p, bits[taps.pixel[k]], taps.tap[k] * kept);
    to.close(t, p);
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
      PartWriter to = writer_for(layer, plan, scratch, zero_row);
      const auto list = [&](int64_t plane, int64_t source) {
        const uint64_t* const bits = scratch.words + source * steps * pixels;
        if (inside)
          (plane == 0 ? first : few)(bits + corner, pixels, place, n_taps, kept, to);
        else
          list_border(bits, pixels, taps, kept, to);
      };
      if (layer.input.regular != nullptr)
        each_source(layer.input, to, list);
      else
        for (int64_t source = 0; source < plan.most_sources; ++source, to.opens = false)
          list(0, source);
      run_listed(layer, {sample, y * w.out_width + x, block},
                 {scratch.joined, scratch.begins, scratch.counts, plan.planes});
    }
}

// Several steps read nearly all rows of a linear layer. Those of all blocks may fit the last cache:
// then fetches are enough.
void fetch_rows(const SpikeLayer& layer, const LayerTile& tile, int64_t block) {
  constexpr int64_t kFewRows = 1024, kFewLists = 4, kLastCache = 6 << 20;
  const int64_t lists = (tile.sample_end - tile.sample_begin) * layer.steps;
  const int64_t rows = layer.rows.rows_of[block];
  if (layer.window.pixels() > 1 || rows < kFewRows || lists < kFewLists || !layer.rows.int8) return;
  const uint8_t* const first =
      static_cast<const uint8_t*>(layer.rows.data) + layer.rows.first_row[block] * kSpikeBlock;
  if (rows * kSpikeBlock * layer.blocks() > kLastCache) return read_in_order(first, rows);
  for (int64_t i = 0; i < rows; ++i) __builtin_prefetch(first + i * kSpikeBlock, 0, 2);
}

void kept_tile(const SpikeLayer& layer, const LayerTile& tile, const ListPlan& plan,
               const Scratch& scratch) {
  Taps taps;
  for (int64_t t = 0; t < layer.steps; ++t)
    scratch.begins[t] = static_cast<int32_t>(t * plan.list_room);
  const RunKept run = kept_runner(layer.rows.word_rows);
  for (int64_t block = tile.block_begin; block < tile.block_end; ++block) {
    const int32_t same = same_for_all_taps(layer, block);
    fetch_rows(layer, tile, block);
    for (int64_t sample = tile.sample_begin; sample < tile.sample_end; ++sample) {
      if (same > 0)
        run_same_taps(layer, tile, plan, scratch, sample, block, same, taps);
      else
        run(layer, tile, plan, scratch, sample, block, taps);
    }
  }
}
