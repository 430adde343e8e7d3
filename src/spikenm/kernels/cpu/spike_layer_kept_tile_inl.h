// A tile of a layer of which few rows are kept. Included behind spike_layer_kept_inl.h and the other ways
// to list kept bits.

// The lists of a band: one sorted group for each plane and part of the rows.
void list_kept_band(const Band& band, int64_t block, const TileWords& bits, const SameTaps& same) {
  const SpikeLayer& layer = band.layer;
  const bool picks = kHasPicks && layer.rows.picks.count > 0 && layer.rows.int8;
  uint16_t* entries = band.scratch.entries;
  for (int64_t plane = 0; plane < layer.input.planes; ++plane) {
    const Slots slots = slots_of(layer.input, plane);
    const bool many = band.plan.many && plane == 0;
    for (int64_t part = 0; part < layer.rows.parts(); ++part) {
      const Group group = band.scratch.group(plane * layer.rows.parts() + part);
      const SegmentWriter writer(entries, group, layer.rows.rows_in(part));
      if (same.kept > 0)
        entries = (many ? list_same_taps<true>
                        : list_same_taps<false>)(Windows<uint8_t>(band, slots, same), same, writer);
      else if (picks)
        entries =
            (many ? list_picked<true>
                  : list_picked<false>)(band, Windows<uint64_t>(band, slots, bits), part, writer);
      else
        entries = list_by_word(band, block, Windows<uint64_t>(band, slots, bits), bits.row_words,
                               part, writer);
      sort_segments(group, band.rows() * band.plan.lists);
    }
  }
}

void kept_tile(const SpikeLayer& layer, const LayerTile& tile, const TilePlan& plan,
               const Scratch& scratch, const TileWords& bits) {
  for (int64_t sample = tile.sample_begin; sample < tile.sample_end; sample += plan.samples) {
    copy_words(layer, tile, plan, sample, bits);
    for (int64_t block = tile.block_begin; block < tile.block_end; ++block) {
      const SameTaps same(layer, plan, block, bits, scratch);
      if (kHasPicks && layer.rows.picks.count > 0 && same.kept == 0)
        place_units(layer.rows.picks, block, bits, scratch.units);
      for (int64_t y = tile.row_begin; y < tile.row_end; y += plan.band) {
        const int64_t end = y + plan.band < tile.row_end ? y + plan.band : tile.row_end;
        const Band band{layer, tile, plan, scratch, sample, y, end};
        list_kept_band(band, block, bits, same);
        run_band(band, block, 1, [&](const PieceOfPart& of) {
          return scratch.group(of.plane * layer.rows.parts() + of.part);
        });
      }
    }
  }
}
