// Linear layers whose rows fit no cache: they come from memory once, a chunk at a time, for all
// samples and steps. Included behind spike_layer_listed_inl.h.
//
//   rows of a block     | chunk 0: 512 rows | chunk 1 | …      fetched while those before are added
//   list of step 0      | 3 17 90           | 530 611 | …      ─┐
//   list of step 1      | 17 204            | 515     | …      ─┼─ cut where a chunk ends
//   …                                                           │
//   sums of step 0      += rows 3 17 90     += rows 530 611     ┘  in memory between two chunks

// Where the rows of each chunk begin in a list that is in order.
inline void cut_list(const uint16_t* list, int32_t count, int64_t chunks, int32_t* cuts) {
  int32_t at = 0;
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    while (at < count && list[at] < chunk * kRowsAtOnce) ++at;
    cuts[chunk] = at;
  }
  cuts[chunks] = count;
}

// Lines of the next chunk that are fetched while the rows of this one are added, a few at a time: a
// processor forgets what it cannot begin at once.
struct FetchAhead {
  static constexpr int64_t kPiece = 16;  // rows between two times
  const uint8_t *next, *end;
  int64_t lines;  // at a time

  FetchAhead(const uint8_t* from, const uint8_t* last, int64_t rows_to_add) {
    next = from;
    end = from + kRowsAtOnce * kSpikeBlock < last ? from + kRowsAtOnce * kSpikeBlock : last;
    lines = rows_to_add == 0 ? 1 : (kRowsAtOnce * kPiece + rows_to_add - 1) / rows_to_add;
  }
  SPIKENM_INLINE void some() {
    for (int64_t i = 0; i < lines && next < end; ++i, next += kSpikeBlock)
      __builtin_prefetch(next, 0, 2);
  }
};

// Adds the rows of one list that lie in a chunk to its sums.
inline void add_chunk(const uint8_t* rows, const uint16_t* entries, int32_t count, int32_t* sums,
                      FetchAhead& ahead) {
  for (int32_t at = 0; at < count; at += static_cast<int32_t>(kNarrowRows)) {
    const int64_t n = count - at < kNarrowRows ? count - at : kNarrowRows;
    Whole whole;
    whole.clear();
    for (int64_t i = 0; i < n; i += FetchAhead::kPiece) {
      ahead.some();
      const int64_t left = n - i < FetchAhead::kPiece ? n - i : FetchAhead::kPiece;
      whole.add_some(rows, entries + at + i, left);
    }
    whole.add_to(sums, n, 0);
  }
}

// One block of a linear layer: rows come from memory once, a chunk at a time, for all lists.
void run_chunks(const SpikeLayer& layer, const LayerTile& tile, const ListPlan& plan,
                const Scratch& scratch, int64_t block) {
  const int64_t lists = (tile.sample_end - tile.sample_begin) * layer.steps;
  const uint8_t* const rows =
      static_cast<const uint8_t*>(layer.rows.data) + layer.rows.first_row[block] * kSpikeBlock;
  // The rows of the next block follow.
  const uint8_t* const end =
      rows + (block + 1 < tile.block_end ? 2 : 1) * layer.rows.rows_of[block] * kSpikeBlock;
  const int64_t stride = plan.chunks + 1;
  for (int64_t i = 0; i < lists * kSpikeBlock; ++i) scratch.sums[i] = 0;
  for (int64_t chunk = 0; chunk < plan.chunks; ++chunk) {
    int64_t to_add = 0;
    for (int64_t list = 0; list < lists; ++list) {
      const int32_t* const cuts = scratch.cuts + list * stride + chunk;
      to_add += cuts[1] - cuts[0];
    }
    FetchAhead ahead(rows + (chunk + 1) * kRowsAtOnce * kSpikeBlock, end, to_add);
    for (int64_t list = 0; list < lists; ++list) {
      const int32_t* const cuts = scratch.cuts + list * stride + chunk;
      add_chunk(rows, scratch.joined + list * plan.list_room + cuts[0], cuts[1] - cuts[0],
                scratch.sums + list * kSpikeBlock, ahead);
    }
  }
  for (int64_t sample = tile.sample_begin; sample < tile.sample_end; ++sample) {
    const int32_t* const own =
        scratch.sums + (sample - tile.sample_begin) * layer.steps * kSpikeBlock;
    run_place(layer, {sample, 0, block},
              [&](int64_t t) { return Whole::floats_of(own + t * kSpikeBlock); });
  }
}

void chunked_tile(const SpikeLayer& layer, const LayerTile& tile, const ListPlan& plan,
                  const Scratch& scratch) {
  Taps taps;
  find_taps(layer, plan, 0, 0, taps);
  for (int64_t sample = tile.sample_begin; sample < tile.sample_end; ++sample) {
    list_pixels(layer, plan, sample, scratch);
    for (int64_t t = 0; t < layer.steps; ++t) {
      const int64_t list = (sample - tile.sample_begin) * layer.steps + t;
      uint16_t* const entries = scratch.joined + list * plan.list_room;
      int32_t count;
      join_taps(layer, plan, scratch, taps, t, entries, &count);
      cut_list(entries, count, plan.chunks, scratch.cuts + list * (plan.chunks + 1));
    }
  }
  for (int64_t block = tile.block_begin; block < tile.block_end; ++block)
    run_chunks(layer, tile, plan, scratch, block);
}
