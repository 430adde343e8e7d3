// Kept bits for processors that gather those of eight words at once: kernels/spike_picks.h has a drawing.
// Included behind spike_layer_kept_inl.h where there is such an instruction. The includer also defines
//
//   UnitWords              a register of eight words
//   load_words<n>(from)    n words that lie side by side, each of them 8 / n times
//   load_pieces(a, b)      four words from a on, and four from b on
//   gather(words, places)  one bit for each place
//   gather(words, places, valid)  the same where `valid` has a bit

// The units of a block as the windows of a tile have them.
struct PlacedUnits {
  struct Places {
    alignas(64) uint8_t place[kSpikeBlock];
  };
  Places* places;
  FirstRow* rows;
  int32_t *first, *second;  // where their words lie, from the first one of a window
  uint64_t* valid;
  const PickUnit* unit;  // for its numbers

  PlacedUnits(const SpikePicks& picks, std::byte* room)
      : places(reinterpret_cast<Places*>(room)),
        rows(reinterpret_cast<FirstRow*>(places + picks.count)),
        first(reinterpret_cast<int32_t*>(rows + picks.count)),
        second(first + picks.count),
        valid(reinterpret_cast<uint64_t*>(second + picks.count)),
        unit(picks.units) {
    static_assert(sizeof(Places) + sizeof(FirstRow) + 16 <= kKeptUnitBytes);
  }

  void place(const SpikePicks& picks, int64_t block, const TileWords& bits) const {
    for (int64_t u = 0; u < picks.count; ++u) {
      const PickUnit& from = picks.units[u];
      const PickPlaces& own = picks.places[block * picks.count + u];
      __builtin_memcpy(places[u].place, own.places, sizeof own.places);
      rows[u] = first_row(from.first);
      first[u] = static_cast<int32_t>(from.row * bits.row_words + from.word);
      second[u] = static_cast<int32_t>(from.second_row * bits.row_words + from.second_word);
      valid[u] = own.valid;
    }
  }
};

template <int kWords, bool kMany>
SPIKENM_NOINLINE uint16_t* list_picked_part(const Windows<uint64_t>& windows,
                                            const PlacedUnits& units, const PickPart& part,
                                            const SegmentWriter& writer) {
  const PlacedUnits at = units;
  const int64_t begin = part.begin, others = part.others, end = part.end;
  const Numbers whole = numbers_of(at.unit[begin].numbers);
  return list_windows(windows, writer, [=](uint16_t* p, const uint64_t* window) {
    int64_t u = begin;
    for (; u < others; ++u)
      p = emit<kMany>(p, gather(load_words<kWords>(window + at.first[u]), at.places[u].place),
                      at.rows[u], whole);
    for (; u < end; ++u) {
      const uint64_t* const from = window + at.first[u];
      const UnitWords words =
          kWords == 8 ? load_pieces(from, window + at.second[u]) : load_words<kWords>(from);
      p = emit<kMany>(p, gather(words, at.places[u].place, at.valid[u]), at.rows[u],
                      numbers_of(at.unit[u].numbers));
    }
    return p;
  });
}

// Before the lists of a block.
inline void place_units(const SpikePicks& picks, int64_t block, const TileWords& bits,
                        std::byte* room) {
  PlacedUnits(picks, room).place(picks, block, bits);
}

template <bool kMany>
uint16_t* list_picked(const Band& band, const Windows<uint64_t>& windows, int64_t part,
                      const SegmentWriter& writer) {
  const SpikePicks& picks = band.layer.rows.picks;
  const auto list = picks.words_of_unit == 8   ? list_picked_part<8, kMany>
                    : picks.words_of_unit == 4 ? list_picked_part<4, kMany>
                    : picks.words_of_unit == 2 ? list_picked_part<2, kMany>
                                               : list_picked_part<1, kMany>;
  return list(windows, PlacedUnits(picks, band.scratch.units), picks.parts[part], writer);
}
