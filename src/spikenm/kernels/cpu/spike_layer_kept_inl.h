// Layers of which a block keeps few rows (masks that 64 outputs share): lists are made for each
// block, of the kept channels alone. Included behind spike_layer_inl.h.
//
//   bits of a word      0 1 1 0 1 0 0 1       keep of the block  1 0 1 0 1 0 1 0
//   extracted             1   1   0           (pext: the bits under the ones of `keep`)
//   words put together  | tap 0, word 0 | tap 0, word 1 | tap 1, … |   64 bits at most, then emitted
//
// With one mask for all taps, a pixel's bits are extracted once for the whole tile and reused by
// every window that holds it.

// The words of a window that a block keeps something of, in order, and how they are put together.
struct KeptWords {
  static constexpr int kMost = 4096;  // taps * words
  int count = 0, groups = 0;
  uint64_t keep[kMost];
  int32_t tap[kMost], word[kMost];
  uint8_t shift[kMost];
  int32_t place[kMost];      // of the word, from the first of a window in the map
  int32_t group_end[kMost];  // words of a group are emitted together
  int32_t group_row[kMost];  // the row of a group's bit 0
};

void plan_words(const SpikeLayer& layer, int64_t block, KeptWords& plan) {
  const LayerInput& in = layer.input;
  const int64_t words = in.words(), taps = layer.window.taps();
  const uint64_t* const keep = layer.rows.keep + block * taps * words;
  int32_t row = 0, filled = 65;
  plan.count = plan.groups = 0;
  for (int64_t i = 0; i < taps * words; ++i) {
    const int32_t bits = __builtin_popcountll(keep[i]);
    if (bits == 0) continue;
    if (filled + bits > 64) {
      plan.group_row[plan.groups++] = row;
      filled = 0;
    }
    const int64_t tap = i / words, ky = tap / layer.window.kernel_width;
    const int64_t kx = tap % layer.window.kernel_width;
    const int at = plan.count++;
    plan.keep[at] = keep[i];
    plan.tap[at] = static_cast<int32_t>(tap);
    plan.word[at] = static_cast<int32_t>(i % words);
    plan.shift[at] = static_cast<uint8_t>(filled);
    plan.place[at] =
        static_cast<int32_t>((ky * in.regular_row + kx * in.regular_column) * words + i % words);
    plan.group_end[plan.groups - 1] = plan.count;
    filled += bits;
    row += bits;
  }
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

// Appends the rows of one window; word(i) is the i-th word that the block keeps something of.
template <class WordAt>
SPIKENM_INLINE uint16_t* emit_kept(const KeptWords& kept, const WordAt& word, uint16_t* p) {
  int i = 0;
  for (int group = 0; group < kept.groups; ++group) {
    const int end = kept.group_end[group];
    uint64_t bits = 0;
    for (; i < end; ++i) bits |= extract(word(i), kept.keep[i]) << kept.shift[i];
    p = emit(p, bits, kept.group_row[group]);
  }
  return p;
}

// A window at the border, or of pixels at irregular places.
uint16_t* emit_slowly(const SpikeLayer& layer, const ListPlan& plan, const KeptWords& kept,
                      const Taps& taps, int64_t sample, int64_t step, int64_t source, uint16_t* p) {
  const LayerInput& in = layer.input;
  const int64_t first = plan.input_row_begin * in.width;
  const uint64_t* words[Taps::kMost];  // by tap; null: none
  for (int64_t k = 0; k < layer.window.taps(); ++k) words[k] = nullptr;
  for (int k = 0; k < taps.count; ++k) {
    const int32_t begin = in.begin[first + taps.pixel[k]];
    if (begin + source < in.begin[first + taps.pixel[k] + 1])
      words[taps.tap[k]] = source_words(layer, sample, step, in.sources[begin + source]);
  }
  return emit_kept(
      kept,
      [&](int i) {
        const uint64_t* const at = words[kept.tap[i]];
        return at == nullptr ? uint64_t{0} : at[kept.word[i]];
      },
      p);
}

// The lists of one window at all steps.
SPIKENM_INLINE void list_window(const SpikeLayer& layer, const ListPlan& plan,
                                const Scratch& scratch, int64_t sample, int64_t block, int64_t y,
                                int64_t x, const KeptWords& kept, const Taps& taps) {
  const LayerInput& in = layer.input;
  const LayerWindow& w = layer.window;
  const bool regular = in.regular != nullptr && taps.count == w.taps();
  const int64_t corner =
      (y * w.stride - w.padding) * in.regular_row + (x * w.stride - w.padding) * in.regular_column;
  const int64_t words = in.words();
  for (int64_t t = 0; t < layer.steps; ++t) {
    uint16_t* const list = scratch.joined + t * plan.list_room;
    uint16_t* p = list;
    for (int64_t source = 0; source < plan.most_sources; ++source) {
      if (!regular) {
        p = emit_slowly(layer, plan, kept, taps, sample, t, source, p);
        continue;
      }
      const RegularSource& from = in.regular[source];
      const uint64_t* const at =
          in.maps[from.map] +
          ((sample * layer.steps + t) * in.map_pixels[from.map] + from.first + corner) * words;
      p = emit_kept(kept, [&](int i) { return at[kept.place[i]]; }, p);
    }
    end_list(p, layer.rows.rows_of[block]);
    scratch.counts[t] = static_cast<int32_t>(p - list);
  }
}

void kept_block(const SpikeLayer& layer, const LayerTile& tile, const ListPlan& plan,
                const Scratch& scratch, int64_t sample, int64_t block, const KeptWords& kept,
                Taps& taps) {
  for (int64_t y = tile.row_begin; y < tile.row_end; ++y)
    for (int64_t x = 0; x < layer.window.out_width; ++x) {
      find_taps(layer, plan, y, x, taps);
      list_window(layer, plan, scratch, sample, block, y, x, kept, taps);
      run_listed(layer, {sample, y * layer.window.out_width + x, block}, scratch.joined,
                 scratch.counts, plan.list_room);
    }
}

// The kept bits of every pixel that the tile reads: [sources, steps, input pixels].
void extract_pixels(const SpikeLayer& layer, const ListPlan& plan, int64_t sample, int64_t block,
                    uint64_t* out) {
  const LayerInput& in = layer.input;
  const int64_t words = in.words(), first = plan.input_row_begin * in.width;
  const int64_t pixels = plan.input_rows * in.width, steps = layer.steps;
  const int64_t sources = plan.most_sources;
  const uint64_t* const keep = layer.rows.keep + block * layer.window.taps() * words;
  for (int64_t source = 0; source < sources; ++source)
    for (int64_t t = 0; t < steps; ++t)
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

// Appends the rows of one window whose taps keep the same `kept` channels.
SPIKENM_INLINE uint16_t* emit_same(const uint64_t* bits, const Taps& taps, int32_t kept,
                                   int32_t together, uint16_t* p) {
  for (int k = 0; k < taps.count;) {
    const int32_t tap = taps.tap[k];
    uint64_t joined = bits[taps.pixel[k++]];
    for (; k < taps.count && taps.tap[k] < tap + together; ++k)
      joined |= bits[taps.pixel[k]] << (taps.tap[k] - tap) * kept;
    p = emit(p, joined, tap * kept);
  }
  return p;
}

// The same for a block whose taps keep the same `kept` channels.
void same_taps_block(const SpikeLayer& layer, const LayerTile& tile, const ListPlan& plan,
                     const Scratch& scratch, int64_t sample, int64_t block, int32_t kept,
                     Taps& taps) {
  const int64_t width = layer.window.out_width, pixels = plan.input_rows * layer.input.width;
  uint64_t* const extracted = scratch.words;
  extract_pixels(layer, plan, sample, block, extracted);
  const int32_t together = 64 / kept;  // taps whose bits fit 64
  for (int64_t pixel = tile.row_begin * width; pixel < tile.row_end * width; ++pixel) {
    find_taps(layer, plan, pixel / width, pixel % width, taps);
    for (int64_t t = 0; t < layer.steps; ++t) {
      uint16_t* const list = scratch.joined + t * plan.list_room;
      uint16_t* p = list;
      for (int64_t source = 0; source < plan.most_sources; ++source)
        p = emit_same(extracted + (source * layer.steps + t) * pixels, taps, kept, together, p);
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
