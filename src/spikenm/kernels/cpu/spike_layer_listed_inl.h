// Layers whose rows are all there: lists are made once for all blocks of outputs. Included behind
// spike_layer_band_inl.h.
//
//   part of the rows: one row of the kernel     the bits of a row of the tile, at one step
//   | tap 0 | tap 1 | tap 2 | zeros |           | x-1 | x | x+1 |   ->  segment (row, x): 3 260 700 …
//
// The segment of a row of bits is the same whichever row of the kernel reads it: a list of the output
// pixel (y, x) is the segments (y-1, x), (y, x) and (y+1, x), for the parts 0, 1 and 2.

// The places of groups: [planes, rows of bits at which a part can begin, parts across].
struct ListedGroups {
  int64_t places, across, kernel_rows, rows;

  ListedGroups(const SpikeLayer& layer, const TilePlan& plan, const LayerTile& tile)
      : places(plan.groups / (layer.input.planes * parts_across(layer))),
        across(parts_across(layer)),
        kernel_rows(part_of_rows(layer, 0).kernel_rows),
        rows(tile.row_end - tile.row_begin) {}
  [[nodiscard]] int64_t index(int64_t plane, int64_t place, int64_t own) const {
    return (plane * places + place) * across + own;
  }
  // Whether an output pixel of the tile has a part that begins at this row of bits.
  [[nodiscard]] bool is_read(const LayerWindow& w, int64_t place) const {
    for (int64_t ky = 0; ky < w.kernel_height && ky <= place; ky += kernel_rows)
      if ((place - ky) % w.stride == 0 && (place - ky) / w.stride < rows) return true;
    return false;
  }
};

// A part of the rows as it lies in the windows: runs of words that lie side by side, whose rows follow
// each other.
struct PartRuns {
  int64_t first;            // word of the window
  int64_t rows, row_words;  // rows of bits, from one to the next
  int64_t runs, words;  // of each row of bits; one run if all words are full, else one for each tap
  int64_t run_words, run_rows;  // from one to the next

  PartRuns(const SpikeLayer& layer, const RowPart& part, int64_t bit_row_words) {
    const int64_t words_of_tap = layer.input.words();
    const bool full = layer.input.channels % kSpikeBlock == 0;
    first = part.kx * words_of_tap + part.word;
    rows = part.kernel_rows;
    row_words = bit_row_words;
    runs = full ? 1 : part.taps;
    words = full ? part.taps * part.words : part.words;
    run_words = words_of_tap;
    run_rows = (full ? part.taps : 1) * layer.input.channels;
  }
};

// Appends the spikes of one slot in a part of a window.
template <bool kMany>
SPIKENM_INLINE uint16_t* list_runs(const PartRuns& part, const uint64_t* window, Numbers numbers,
                                   uint16_t* p) {
  int64_t first = 0;
  const uint64_t* row_of_bits = window + part.first;
  for (int64_t y = 0; y < part.rows; ++y, row_of_bits += part.row_words) {
    const uint64_t* run = row_of_bits;
    for (int64_t i = 0; i < part.runs; ++i, run += part.run_words, first += part.run_rows) {
      FirstRow row = first_row(first);
      for (int64_t w = 0; w < part.words; ++w, row = next_word(row))
        p = emit<kMany>(p, run[w], row, numbers);
    }
  }
  return p;
}

// One group: the segments of all columns, samples and steps at a row of bits; `own`: which of the parts
// that lie side by side. Returns where the next group's entries begin.
template <bool kMany>
SPIKENM_NOINLINE uint16_t* list_group(const SpikeLayer& layer, const TilePlan& plan,
                                      const TileWords& bits, int64_t own, const Slots& slots,
                                      int64_t place, const Group& group, uint16_t* entries) {
  const PartRuns runs(layer, part_of_rows(layer, own), bits.row_words);
  const int64_t steps = layer.steps, width = layer.window.out_width, stride = layer.window.stride;
  const Numbers numbers = numbers_of(kNumbers);
  SegmentWriter writer(entries, group, layer.rows.rows_in(own));
  for (int64_t s = 0; s < plan.samples; ++s)
    for (int64_t x = 0; x < width; ++x)
      for (int64_t t = 0; t < steps; ++t) {
        const uint64_t* const window = bits.at(0, s, t, place, x * stride);
        uint16_t* p = writer.at;
        for (int64_t slot = slots.begin; slot < slots.end; ++slot)
          p = list_runs<kMany>(runs, window + slot * bits.slot_words, numbers, p);
        writer.close(p);
      }
  return writer.at;
}

// All segments of some samples.
void list_tile(const SpikeLayer& layer, const TilePlan& plan, const ListedGroups& groups,
               const TileWords& bits, const Scratch& scratch) {
  uint16_t* entries = scratch.entries;
  for (int64_t plane = 0; plane < layer.input.planes; ++plane) {
    const Slots slots = slots_of(layer.input, plane);
    for (int64_t place = 0; place < groups.places; ++place) {
      if (!groups.is_read(layer.window, place)) continue;
      for (int64_t own = 0; own < groups.across; ++own) {
        const Group group = scratch.group(groups.index(plane, place, own));
        const auto list = plan.many && plane == 0 ? list_group<true> : list_group<false>;
        entries = list(layer, plan, bits, own, slots, place, group, entries);
        sort_segments(group, plan.lists);
      }
    }
  }
}

void listed_tile(const SpikeLayer& layer, const LayerTile& tile, const TilePlan& plan,
                 const Scratch& scratch, const TileWords& bits) {
  const ListedGroups groups(layer, plan, tile);
  for (int64_t sample = tile.sample_begin; sample < tile.sample_end; sample += plan.samples) {
    copy_words(layer, tile, plan, sample, bits);
    list_tile(layer, plan, groups, bits, scratch);
    for (int64_t block = tile.block_begin; block < tile.block_end; ++block)
      for (int64_t y = tile.row_begin; y < tile.row_end; y += plan.band) {
        const int64_t end = y + plan.band < tile.row_end ? y + plan.band : tile.row_end;
        const Band band{layer, tile, plan, scratch, sample, y, end};
        const int64_t first = (y - tile.row_begin) * layer.window.stride;
        run_band(band, block, band.rows(), [&](const PieceOfPart& of) {
          const int64_t ky = of.part / groups.across * groups.kernel_rows;
          const int64_t place = first + of.piece * layer.window.stride + ky;
          return scratch.group(groups.index(of.plane, place, of.part % groups.across));
        });
      }
  }
}
