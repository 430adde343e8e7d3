// Layers of which a block keeps few rows (masks that 64 outputs share): lists are made for each
// block, of the kept channels alone. Included behind spike_layer_inl.h.
//
//   bits of a word      0 1 1 0 1 0 0 1       keep of the block  1 0 1 0 1 0 1 0
//   extracted             1   1   0           (pext: the bits under the ones of `keep`)
//   words put together  | tap 0, word 0 | tap 0, word 1 | tap 1, … |   64 bits at most, then emitted
//
// With one mask for all taps, a pixel's bits are extracted once for the whole tile and reused by
// every window that holds it.

// How the words of a window become numbers of rows.
struct KeptWords {
  static constexpr int kMost = 4096;  // taps * words
  int count = 0;
  uint64_t keep[kMost];
  int32_t tap[kMost], word[kMost];
  uint8_t shift[kMost];
  int32_t base[kMost];  // the row of bit 0 of the 64 bits it is part of
  bool ends[kMost];     // the last of its 64 bits
};

void plan_words(const SpikeLayer& layer, int64_t block, KeptWords& plan) {
  const int64_t words = layer.input.words(), taps = layer.window.taps();
  const uint64_t* const keep = layer.rows.keep + block * taps * words;
  int32_t row = 0, base = 0, filled = 0;
  plan.count = 0;
  for (int64_t i = 0; i < taps * words; ++i) {
    const int32_t bits = __builtin_popcountll(keep[i]);
    if (bits == 0) continue;
    const int at = plan.count++;
    if (filled + bits > 64) {
      plan.ends[at - 1] = true;
      base = row;
      filled = 0;
    }
    plan.keep[at] = keep[i];
    plan.tap[at] = static_cast<int32_t>(i / words);
    plan.word[at] = static_cast<int32_t>(i % words);
    plan.shift[at] = static_cast<uint8_t>(filled);
    plan.base[at] = base;
    plan.ends[at] = false;
    filled += bits;
    row += bits;
  }
  if (plan.count > 0) plan.ends[plan.count - 1] = true;
}

// Whether all taps of the block keep the same channels, and those fit 64 bits; then how many.
int32_t same_for_all_taps(const SpikeLayer& layer, int64_t block) {
  const int64_t words = layer.input.words(), taps = layer.window.taps();
  const uint64_t* const keep = layer.rows.keep + block * taps * words;
  if (taps == 1) return 0;
  int32_t kept = 0;
  for (int64_t w = 0; w < words; ++w) kept += __builtin_popcountll(keep[w]);
  if (kept > 64) return 0;
  for (int64_t i = words; i < taps * words; ++i)
    if (keep[i] != keep[i - words]) return 0;
  return kept;
}

// The words of a source of every tap; zeros where there is none.
struct TapWords {
  const uint64_t* of[Taps::kMost];
};

void find_words(const SpikeLayer& layer, const ListPlan& plan, const Taps& taps, int64_t sample,
                int64_t step, int64_t source, const uint64_t* zeros, TapWords& words) {
  const LayerInput& in = layer.input;
  const int64_t n_taps = layer.window.taps(), first = plan.input_row_begin * in.width;
  if (taps.count < n_taps)
    for (int64_t k = 0; k < n_taps; ++k) words.of[k] = zeros;
  for (int k = 0; k < taps.count; ++k) {
    const int32_t begin = in.begin[first + taps.pixel[k]];
    const bool has = begin + source < in.begin[first + taps.pixel[k] + 1];
    words.of[taps.tap[k]] =
        has ? source_words(layer, sample, step, in.sources[begin + source]) : zeros;
  }
}

inline uint16_t* emit_kept(const KeptWords& kept, const TapWords& words, uint16_t* p) {
  uint64_t bits = 0;
  for (int i = 0; i < kept.count; ++i) {
    bits |= extract(words.of[kept.tap[i]][kept.word[i]], kept.keep[i]) << kept.shift[i];
    if (!kept.ends[i]) continue;
    p = emit(p, bits, kept.base[i]);
    bits = 0;
  }
  return p;
}

void kept_block(const SpikeLayer& layer, const LayerTile& tile, const ListPlan& plan,
                const Scratch& scratch, int64_t sample, int64_t block, const KeptWords& kept,
                Taps& taps) {
  const int64_t width = layer.window.out_width;
  TapWords words;
  for (int64_t pixel = tile.row_begin * width; pixel < tile.row_end * width; ++pixel) {
    find_taps(layer, plan, pixel / width, pixel % width, taps);
    for (int64_t t = 0; t < layer.steps; ++t) {
      uint16_t* const list = scratch.joined + t * plan.list_room;
      uint16_t* p = list;
      for (int64_t source = 0; source < plan.most_sources; ++source) {
        find_words(layer, plan, taps, sample, t, source, scratch.words, words);
        p = emit_kept(kept, words, p);
      }
      end_list(p, layer.rows.rows_of[block]);
      scratch.counts[t] = static_cast<int32_t>(p - list);
    }
    run_listed(layer, {sample, pixel, block}, scratch.joined, scratch.counts, plan.list_room);
  }
}

// The kept bits of every pixel that the tile reads: [sources, steps, input pixels].
void extract_pixels(const SpikeLayer& layer, const ListPlan& plan, int64_t sample, int64_t block,
                    uint64_t* out) {
  const LayerInput& in = layer.input;
  const int64_t words = in.words(), first = plan.input_row_begin * in.width;
  const int64_t pixels = plan.input_rows * in.width;
  const uint64_t* const keep = layer.rows.keep + block * layer.window.taps() * words;
  for (int64_t source = 0; source < plan.most_sources; ++source)
    for (int64_t t = 0; t < layer.steps; ++t)
      for (int64_t i = 0; i < pixels; ++i) {
        const int32_t at = in.begin[first + i] + static_cast<int32_t>(source);
        uint64_t bits = 0;
        if (at < in.begin[first + i + 1]) {
          const uint64_t* const from = source_words(layer, sample, t, in.sources[at]);
          int shift = 0;
          for (int64_t w = 0; w < words && shift < 64; ++w) {
            bits |= extract(from[w], keep[w]) << shift;
            shift += __builtin_popcountll(keep[w]);
          }
        }
        *out++ = bits;
      }
}

// The same for a block whose taps keep the same `kept` channels.
void same_taps_block(const SpikeLayer& layer, const LayerTile& tile, const ListPlan& plan,
                     const Scratch& scratch, int64_t sample, int64_t block, int32_t kept,
                     Taps& taps) {
  const int64_t width = layer.window.out_width, pixels = plan.input_rows * layer.input.width;
  uint64_t* const extracted = scratch.words + layer.input.words();
  extract_pixels(layer, plan, sample, block, extracted);
  const int32_t together = 64 / kept;  // taps whose bits fit 64
  for (int64_t pixel = tile.row_begin * width; pixel < tile.row_end * width; ++pixel) {
    find_taps(layer, plan, pixel / width, pixel % width, taps);
    for (int64_t t = 0; t < layer.steps; ++t) {
      uint16_t* const list = scratch.joined + t * plan.list_room;
      uint16_t* p = list;
      for (int64_t source = 0; source < plan.most_sources; ++source) {
        const uint64_t* const bits = extracted + (source * layer.steps + t) * pixels;
        for (int k = 0; k < taps.count;) {
          const int32_t tap = taps.tap[k];
          uint64_t joined = bits[taps.pixel[k++]];
          for (; k < taps.count && taps.tap[k] < tap + together; ++k)
            joined |= bits[taps.pixel[k]] << (taps.tap[k] - tap) * kept;
          p = emit(p, joined, tap * kept);
        }
      }
      end_list(p, layer.rows.rows_of[block]);
      scratch.counts[t] = static_cast<int32_t>(p - list);
    }
    run_listed(layer, {sample, pixel, block}, scratch.joined, scratch.counts, plan.list_room);
  }
}

void kept_tile(const SpikeLayer& layer, const LayerTile& tile, const ListPlan& plan,
               const Scratch& scratch) {
  Taps taps;
  KeptWords kept;
  for (int64_t w = 0; w < layer.input.words(); ++w) scratch.words[w] = 0;
  for (int64_t block = tile.block_begin; block < tile.block_end; ++block) {
    const int32_t same = same_for_all_taps(layer, block);
    if (same == 0) plan_words(layer, block, kept);
    for (int64_t sample = tile.sample_begin; sample < tile.sample_end; ++sample) {
      if (same > 0)
        same_taps_block(layer, tile, plan, scratch, sample, block, same, taps);
      else
        kept_block(layer, tile, plan, scratch, sample, block, kept, taps);
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
