// Blocks whose taps all keep the same channels: the kept bits of a pixel are taken out once for the whole
// tile, and every window that holds the pixel reads them. Included behind spike_layer_kept_inl.h.
//
//   bits of a pixel   word 0 | word 1 | …      taken out once    kept bits of a row of pixels, side by
//                     under the keep of the block  ──────────>   side: | a b c | d e f | g h i | …
//
//   window 3x3 at x   three runs, each of the kept bits of three pixels, begin at pixel x of three rows;
//                     put together they are the rows of the block in their order, 64 at a time:
//
//                     | run 0 (96 bits)     | run 1               | run 2               |
//                     | piece 0    | piece 1     | piece 2   | piece 3    | 4  |

// Up to 64 bits of a window, from one run or from two.
struct TapPiece {
  int64_t first, second;             // where they begin, in bytes from the window
  uint64_t first_bits, second_bits;  // which of the bits there are taken; second_bits may be 0
  int shift;                         // of the second
  FirstRow row;                      // of its lowest bit

  [[nodiscard]] SPIKENM_INLINE uint64_t take(const uint8_t* window) const {
    uint64_t word;
    __builtin_memcpy(&word, window + first, sizeof word);
    word &= first_bits;
    if (second_bits == 0) return word;
    uint64_t more;
    __builtin_memcpy(&more, window + second, sizeof more);
    return word | (more & second_bits) << shift;
  }
};

SPIKENM_INLINE uint64_t lowest_bits(int64_t n) {
  return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1;
}

// Takes the kept bits of pixels out: of several pixels at once, where eight words keep eight channels each.
struct KeptPixels {
  const uint64_t* keep;  // [words]
  int64_t words, word_rows;
  bool by_eight;
  alignas(64) uint8_t places[kSpikeBlock] = {};

  KeptPixels(const uint64_t* of, int64_t n, int64_t rows_of_word)
      : keep(of), words(n), word_rows(rows_of_word), by_eight(kHasPicks && word_rows == 8) {
    by_eight = by_eight && 8 % words == 0;
    for (int64_t w = 0; w < words; ++w)
      by_eight = by_eight && __builtin_popcountll(keep[w]) == word_rows;
    for (int64_t i = 0; by_eight && i < 8; ++i) {
      uint64_t left = keep[i % words];
      for (int64_t k = 0; k < 8; ++k, left &= left - 1)
        places[8 * i + k] = static_cast<uint8_t>(__builtin_ctzll(left));
    }
  }

  // Stores go up to eight bytes beyond the last pixel.
  void take(const uint64_t* from, int64_t pixels, uint8_t* to) const {
    if (by_eight) {
      for (int64_t w = 0; w < pixels * words; w += 8, to += 8) {
        const uint64_t gathered = gather_eight(from + w, places);
        __builtin_memcpy(to, &gathered, sizeof gathered);
      }
      return;
    }
    for (int64_t x = 0; x < pixels; ++x, from += words, to += words * word_rows / 8) {
      uint64_t joined = 0;
      for (int64_t w = 0; w < words; ++w) joined |= extract(from[w], keep[w]) << w * word_rows;
      __builtin_memcpy(to, &joined, sizeof joined);
    }
  }
};

// The kept bits of all pixels that a tile reads, for one block of outputs.
struct SameTaps {
  int64_t kept = 0;  // bits of a pixel; 0: its taps differ, or they are too many
  int64_t row_bytes = 0, step_bytes = 0, sample_bytes = 0, slot_bytes = 0;
  uint8_t* data = nullptr;
  int pieces = 0;
  TapPiece* piece = nullptr;

  SameTaps(const SpikeLayer& layer, const TilePlan& plan, int64_t block, const TileWords& bits,
           const Scratch& scratch) {
    const int64_t words = layer.input.words();
    const uint64_t* const keep = layer.rows.keep + block * layer.window.taps() * words;
    if (!fits(layer, keep)) return;
    kept = words * layer.rows.word_rows;
    data = reinterpret_cast<uint8_t*>(scratch.kept_bits);
    row_bytes = (plan.row_words / words * kept / 8 + 7) / 8 * 8;
    step_bytes = plan.bit_rows * row_bytes;
    sample_bytes = layer.steps * step_bytes;
    slot_bytes = plan.samples * sample_bytes;
    piece = reinterpret_cast<TapPiece*>(scratch.units);
    find_pieces(layer.window);
    const KeptPixels pixels(keep, words, layer.rows.word_rows);
    for (int64_t row = 0; row < plan.slots * plan.samples * layer.steps * plan.bit_rows; ++row)
      pixels.take(bits.data + row * plan.row_words, plan.row_words / words, data + row * row_bytes);
  }

  [[nodiscard]] SPIKENM_INLINE const uint8_t* at(int64_t slot, int64_t sample, int64_t step,
                                                 int64_t row, int64_t column) const {
    return data + slot * slot_bytes + sample * sample_bytes + step * step_bytes + row * row_bytes +
           column * kept / 8;
  }
  [[nodiscard]] int64_t step() const { return step_bytes; }
  [[nodiscard]] int64_t slot() const { return slot_bytes; }

 private:
  // Whether all taps of the block keep the same channels, in whole bytes of at most 64 bits.
  static bool fits(const SpikeLayer& layer, const uint64_t* keep) {
    const int64_t words = layer.input.words(), taps = layer.window.taps();
    const int64_t bits = words * layer.rows.word_rows;
    if (taps == 1 || bits > 64 || bits % 8 != 0 || layer.rows.parts() > 1) return false;
    for (int64_t i = words; i < taps * words; ++i)
      if (keep[i] != keep[i - words]) return false;
    return true;
  }

  void find_pieces(const LayerWindow& w) {
    static_assert(sizeof(TapPiece) <= kKeptUnitBytes);
    const int64_t run = w.kernel_width * kept, all = w.kernel_height * run;
    for (int64_t at = 0; at < all;) {
      TapPiece& own = piece[pieces++];
      const int64_t left = run - at % run, n = left < 64 ? left : 64;
      own = {at / run * row_bytes + at % run / 8, 0, lowest_bits(n), 0, 0, first_row(at)};
      at += n;
      if (n == 64 || at == all) continue;
      const int64_t more = run < 64 - n ? run : 64 - n;
      own.second = at / run * row_bytes;
      own.second_bits = lowest_bits(more);
      own.shift = static_cast<int>(n);
      at += more;
    }
  }
};

template <bool kMany>
SPIKENM_NOINLINE uint16_t* list_same_taps(const Windows<uint8_t>& windows, const SameTaps& same,
                                          const SegmentWriter& writer) {
  const Numbers numbers = numbers_of(kNumbers);
  const TapPiece *const begin = same.piece, *const end = begin + same.pieces;
  return list_windows(windows, writer, [=](uint16_t* p, const uint8_t* window) {
    for (const TapPiece* piece = begin; piece != end; ++piece)
      p = emit<kMany>(p, piece->take(window), piece->row, numbers);
    return p;
  });
}
