// Linear layers whose rows fit no cache: they come from memory once, a chunk at a time, for all
// samples and steps. Included behind spike_layer_listed_inl.h.
//
//   rows of a block     | chunk 0: 512 rows | chunk 1 | …      read in order, then added in no order
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

// Adds the rows of one list that lie in a chunk to its sums.
inline void add_chunk(const uint8_t* rows, const uint16_t* entries, int32_t count, int32_t* sums) {
  for (int32_t at = 0; at < count; at += static_cast<int32_t>(kNarrowRows)) {
    const int64_t n = count - at < kNarrowRows ? count - at : kNarrowRows;
    Whole whole;
    whole.clear();
    whole.add_some(rows, entries + at, n);
    whole.add_to(sums, n, 0);
  }
}

// One block of a linear layer.
void run_chunks(const SpikeLayer& layer, const LayerTile& tile, const ListPlan& plan,
                const Scratch& scratch, int64_t block) {
  const int64_t lists = (tile.sample_end - tile.sample_begin) * layer.steps;
  const uint8_t* const rows =
      static_cast<const uint8_t*>(layer.rows.data) + layer.rows.first_row[block] * kSpikeBlock;
  const int64_t stride = plan.chunks + 1, all = layer.rows.rows_of[block];
  for (int64_t i = 0; i < lists * kSpikeBlock; ++i) scratch.sums[i] = 0;
  for (int64_t chunk = 0; chunk < plan.chunks; ++chunk) {
    const int64_t first = chunk * kRowsAtOnce;
    const int64_t count = all - first < kRowsAtOnce ? all - first : kRowsAtOnce;
    int64_t to_add = 0;
    for (int64_t list = 0; list < lists; ++list) {
      const int32_t* const cuts = scratch.cuts + list * stride + chunk;
      to_add += cuts[1] - cuts[0];
    }
    // In order a row comes in a third of the time.
    if (3 * to_add > count) read_in_order(rows + first * kSpikeBlock, count);
    for (int64_t list = 0; list < lists; ++list) {
      const int32_t* const cuts = scratch.cuts + list * stride + chunk;
      add_chunk(rows, scratch.joined + list * plan.list_room + cuts[0], cuts[1] - cuts[0],
                scratch.sums + list * kSpikeBlock);
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
