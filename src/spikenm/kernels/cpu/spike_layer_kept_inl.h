// Layers of which a block keeps few rows (masks that 64 outputs share): lists are made for each
// block, of the kept channels alone. Included behind spike_layer_band_inl.h.
//
//   words of a window     0 1 1 0 1 0 0 1 | 1 1 0 0 0 0 1 0 | …
//   keep of the block     1 0 1 0 1 0 1 0 | 0 1 0 0 1 1 1 0 | …
//                         │   │   │   │       │     │ │ │
//   kept bits             0   1   1   0       1     0 0 1   …
//   list of the window    1 2 4 7 …           numbers of the kept bits that are set: rows to add
//
// Kept bits are gathered until they fill 64 and then become entries. There are three ways to do so.

// The windows of a band in the bits that they are read from: those of a slot and step lie `slot` and `step`
// behind those of the first.
template <class Unit>
struct Windows {
  const Unit** begin;  // [places]: at the first slot and step
  int64_t places, steps, step, slots, slot;

  // `bits`: TileWords, or SameTaps.
  template <class Bits>
  Windows(const Band& band, const Slots& of, const Bits& bits)
      : begin(reinterpret_cast<const Unit**>(band.scratch.windows)),
        places(0),
        steps(band.layer.steps),
        step(bits.step()),
        slots(of.end - of.begin),
        slot(bits.slot()) {
    band.each_window([&](int64_t s, int64_t row, int64_t column) {
      begin[places++] = bits.at(of.begin, s, 0, row, column);
    });
  }
};

// The segments of a group; list_window(p, window) appends the entries of one. Returns where the next
// group's entries begin. Arguments are copies, which stay in registers: for all that the compiler knows,
// entries could be written over them.
template <class Unit, class ListWindow>
SPIKENM_INLINE uint16_t* list_windows(const Windows<Unit> windows, SegmentWriter writer,
                                      const ListWindow list_window) {
  if (windows.slots == 1) {  // nearly always
    for (const Unit** place = windows.begin; place != windows.begin + windows.places; ++place) {
      const Unit* window = *place;
      for (int64_t t = windows.steps; t > 0; --t, window += windows.step)
        writer.close(list_window(writer.at, window));
    }
    return writer.at;
  }
  for (int64_t place = 0; place < windows.places; ++place)
    for (int64_t t = 0; t < windows.steps; ++t) {
      uint16_t* p = writer.at;
      for (int64_t slot = 0; slot < windows.slots; ++slot)
        p = list_window(p, windows.begin[place] + t * windows.step + slot * windows.slot);
      writer.close(p);
    }
  return writer.at;
}

// Word by word: the kept bits of words of word_rows rows are put together.
SPIKENM_NOINLINE uint16_t* list_by_word(const Band& band, int64_t block,
                                        const Windows<uint64_t>& windows, int64_t row_words,
                                        int64_t part, const SegmentWriter& writer) {
  const LayerRows& rows = band.layer.rows;
  const int64_t words = band.layer.input.words(), run = band.layer.window.kernel_width * words;
  const int64_t each = rows.word_rows, together = kSpikeBlock / each;
  const int64_t first = part * rows.part_rows / each, end = first + rows.rows_in(part) / each;
  const uint64_t* const keep = rows.keep + block * band.layer.window.taps() * words;
  return list_windows(windows, writer, [=](uint16_t* p, const uint64_t* window) {
    FirstRow row = first_row(0);
    for (int64_t w = first; w < end; row = next_word(row)) {
      uint64_t joined = 0;
      for (int64_t j = 0; j < together && w < end; ++j, ++w)
        joined |= extract(window[w / run * row_words + w % run], keep[w]) << j * each;
      p = emit<false>(p, joined, row, numbers_of(kNumbers));
    }
    return p;
  });
}
