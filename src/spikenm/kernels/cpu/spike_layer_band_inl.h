// A band: rows of output pixels whose lists are ready. One block of outputs after the other, their rows are
// added and their neurons fire. Included behind spike_layer_segments_inl.h.

// The lists of some rows of pixels: [rows, samples, out_width, steps] of one tile.
struct Band {
  const SpikeLayer& layer;
  const LayerTile& tile;
  const TilePlan& plan;
  const Scratch& scratch;
  int64_t sample, row_begin, row_end;

  [[nodiscard]] int64_t rows() const { return row_end - row_begin; }
  // Calls call(place of a pixel, its first list).
  template <class Call>
  SPIKENM_INLINE void each_place(int64_t block, const Call& call) const {
    const int64_t width = layer.window.out_width, steps = layer.steps;
    int64_t list = 0;
    for (int64_t y = row_begin; y < row_end; ++y)
      for (int64_t s = 0; s < plan.samples; ++s)
        for (int64_t x = 0; x < width; ++x, list += steps)
          call(Place{sample + s, y * width + x, block}, list);
  }
  // Calls call(sample, row and column of the window in the tile's bits), in the same order.
  template <class Call>
  SPIKENM_INLINE void each_window(const Call& call) const {
    const int64_t stride = layer.window.stride, width = layer.window.out_width;
    for (int64_t y = row_begin - tile.row_begin; y < row_end - tile.row_begin; ++y)
      for (int64_t s = 0; s < plan.samples; ++s)
        for (int64_t x = 0; x < width; ++x) call(s, y * stride, x * stride);
  }
};

// Where a group of lists belongs: that of a plane, a part of the rows and a piece of the band. Pieces are
// the rows of pixels, or one: the whole band.
struct PieceOfPart {
  int64_t plane, part, piece;
};

// Touches rows one after the other before they are read in no order: memory gives a row that is the
// next one several times as fast. Fetches alone do not do it: a processor forgets those that it
// cannot begin at once.
inline void read_in_order(const uint8_t* rows, int64_t count) {
  constexpr int64_t kAhead = 64;
  for (int64_t i = 0; i < count; ++i, rows += kSpikeBlock) {
    __builtin_prefetch(rows + kAhead * kSpikeBlock, 0, 2);
    static_cast<void>(*static_cast<const volatile uint8_t*>(rows));
  }
}

// Whether so many rows of a part are added that it is worth while to read all of them in order: they
// come from memory, and in order a row comes in a third of the time.
inline bool reads_most(const Group& group, int64_t lists, int64_t rows) {
  int64_t count = 0;
  for (int64_t i = 0; i < lists; ++i) count += group.segments[i].count;
  return 3 * count > rows;
}

// Whether no list of a piece has more rows, each as often as it counts, than 16 bits hold the sums of.
template <class GroupOf>
bool is_narrow(const SpikeLayer& layer, int64_t piece, int64_t lists, const GroupOf& group_of) {
  constexpr int64_t kAtOnce = 64;
  int64_t most = 0;  // if the longest pieces were of one list
  for (int64_t plane = 0; plane < layer.input.planes; ++plane)
    for (int64_t part = 0; part < layer.rows.parts(); ++part)
      most += most_rows(group_of({plane, part, piece})) << plane;
  if (most <= layer.rows.narrow_rows) return true;
  for (int64_t first = 0; first < lists; first += kAtOnce) {
    const int64_t n = lists - first < kAtOnce ? lists - first : kAtOnce;
    int64_t total[kAtOnce] = {};
    for (int64_t plane = 0; plane < layer.input.planes; ++plane)
      for (int64_t part = 0; part < layer.rows.parts(); ++part) {
        const Segment* const own = group_of({plane, part, piece}).segments + first;
        for (int64_t i = 0; i < n; ++i) total[i] += own[i].count << plane;
      }
    for (int64_t i = 0; i < n; ++i)
      if (total[i] > layer.rows.narrow_rows) return false;
  }
  return true;
}

// Adds the rows of one block to the sums of all lists of the band.
template <class Sum, class GroupOf>
void sum_band(const Band& band, int64_t block, int64_t pieces, const GroupOf& group_of, Sum* sums) {
  const LayerRows& rows = band.layer.rows;
  const auto* const own =
      static_cast<const uint8_t*>(rows.data) + block * rows.block_rows() * kSpikeBlock;
  const int64_t lists = band.rows() * band.plan.lists / pieces;
  const bool from_memory = band.layer.window.pixels() == 1 && rows.parts() > 1;
  for (int64_t plane = band.layer.input.planes - 1; plane >= 0; --plane)
    for (int64_t part = 0; part < rows.parts(); ++part) {
      const uint8_t* const first = own + rows.part_begin(part) * kSpikeBlock;
      const bool highest = plane + 1 == band.layer.input.planes;
      const Add add = part > 0 ? Add::kMore : highest ? Add::kSet : Add::kTwice;
      for (int64_t piece = 0; piece < pieces; ++piece) {
        const Group group = group_of({plane, part, piece});
        if (from_memory && reads_most(group, lists, rows.rows_in(part)))
          read_in_order(first, rows.rows_in(part) + 1);
        sum_group_as(add, first, group, sums + piece * lists * kSpikeBlock);
      }
    }
}

template <class Sum>
void fire_band(const Band& band, int64_t block, const Sum* sums) {
  band.each_place(block, [&](const Place& place, int64_t list) {
    const Sum* const own = sums + list * kSpikeBlock;
    run_place(band.layer, place,
              [own](int64_t t) { return Whole::floats_of(own + t * kSpikeBlock); });
  });
}

// Rows of floats, in the order of the lists: sums of floats depend on it.
template <class GroupOf>
void run_float_band(const Band& band, int64_t block, int64_t pieces, const GroupOf& group_of) {
  const LayerRows& rows = band.layer.rows;
  const auto* const own =
      static_cast<const float*>(rows.data) + block * rows.block_rows() * kSpikeBlock;
  const int64_t lists = band.rows() * band.plan.lists / pieces;
  band.each_place(block, [&](const Place& place, int64_t first_list) {
    run_place(band.layer, place, [&](int64_t t) {
      const int64_t piece = (first_list + t) / lists, list = (first_list + t) % lists;
      Floats sums = Floats::fill(0);
      for (int64_t plane = band.layer.input.planes - 1; plane >= 0; --plane)
        for (int64_t part = 0; part < rows.parts(); ++part) {
          const Group group = group_of({plane, part, piece});
          const Segment& own_list = group.segments[list];
          const float* const first = own + rows.part_begin(part) * kSpikeBlock;
          for (int64_t i = 0; i < own_list.count; ++i)
            add_scaled(sums, first + own_list.entries[i] / kEntryUnit * kSpikeBlock,
                       static_cast<float>(int64_t{1} << plane));
        }
      return sums;
    });
  });
}

// Blocks of outputs of a band; group_of(PieceOfPart) finds a sorted group of lists.
template <class GroupOf>
void run_band(const Band& band, int64_t block, int64_t pieces, const GroupOf& group_of) {
  if (!band.layer.rows.int8) return run_float_band(band, block, pieces, group_of);
  bool narrow = true;
  for (int64_t piece = 0; piece < pieces && narrow; ++piece)
    narrow = is_narrow(band.layer, piece, band.rows() * band.plan.lists / pieces, group_of);
  if (!narrow) {
    sum_band(band, block, pieces, group_of, band.scratch.sums);
    fire_band(band, block, band.scratch.sums);
    return;
  }
  auto* const sums = reinterpret_cast<int16_t*>(band.scratch.sums);
  sum_band(band, block, pieces, group_of, sums);
  fire_band(band, block, sums);
}
