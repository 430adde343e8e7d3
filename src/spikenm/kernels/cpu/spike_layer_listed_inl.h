// Layers whose rows are all there: lists are made once for all blocks of outputs. Included behind
// spike_layer_inl.h.

// The lists of all pixels that the tile reads at one step, of the spikes of one plane; returns the
// end of the last.
template <bool kMany>
uint16_t* list_plane(const SpikeLayer& layer, const ListPlan& plan, int64_t sample, int64_t step,
                     int64_t plane, const uint16_t* base, uint16_t* p, int32_t* offset) {
  const LayerInput& in = layer.input;
  const int64_t pixels = plan.input_rows * in.width, first = plan.input_row_begin * in.width;
  const int64_t words = in.words();
  for (int64_t i = 0; i < pixels; ++i) {
    *offset++ = static_cast<int32_t>(p - base);
    for (int32_t s = in.begin[first + i]; s < in.begin[first + i + 1]; ++s) {
      if (plane_of(in, in.sources[s]) != plane) continue;
      const uint64_t* const bits = source_words(layer, sample, step, in.sources[s]);
      for (int64_t w = 0; w < words; ++w) p = emit<kMany>(p, bits[w], static_cast<int>(w * 64));
    }
  }
  *offset = static_cast<int32_t>(p - base);
  return p;
}

void list_pixels(const SpikeLayer& layer, const ListPlan& plan, int64_t sample,
                 const Scratch& scratch) {
  const int64_t per_step = plan.input_rows * layer.input.width + 1;
  uint16_t* p = scratch.pixel_lists;
  int32_t* offset = scratch.offsets;
  for (int64_t k = 0; k < plan.planes; ++k) {
    const int64_t plane = plan.planes - 1 - k;
    const auto list = plan.many && plane == 0 ? list_plane<true> : list_plane<false>;
    for (int64_t t = 0; t < layer.steps; ++t, offset += per_step)
      p = list(layer, plan, sample, t, plane, scratch.pixel_lists, p, offset);
  }
}

// Writes the rows of one output pixel at one step to `list`, and how many each plane has; returns
// where the next list can begin.
inline uint16_t* join_taps(const SpikeLayer& layer, const ListPlan& plan, const Scratch& scratch,
                           const Taps& taps, int64_t step, uint16_t* list, int32_t* counts) {
  const int64_t per_step = plan.input_rows * layer.input.width + 1;
  const auto channels = static_cast<int32_t>(layer.input.channels);
  for (int64_t k = 0; k < plan.planes; ++k) {
    const int32_t* const offsets = scratch.offsets + (k * layer.steps + step) * per_step;
    uint16_t* p = list;
    for (int tap = 0; tap < taps.count; ++tap) {
      const int32_t begin = offsets[taps.pixel[tap]], end = offsets[taps.pixel[tap] + 1];
      p = append(p, scratch.pixel_lists + begin, end - begin, taps.tap[tap] * channels);
    }
    end_list(p, layer.rows.rows_of[0]);
    counts[k] = static_cast<int32_t>(p - list);
    list += to_eight(counts[k]);
  }
  return list;
}

// Joins the lists of pixels from `pixel` on until `end` or until there is no room for one more;
// returns how many.
int64_t join_group(const SpikeLayer& layer, const ListPlan& plan, const Scratch& scratch,
                   int64_t pixel, int64_t end, Taps& taps) {
  const int64_t width = layer.window.out_width, steps = layer.steps;
  uint16_t* at = scratch.joined;
  const uint16_t* const last = scratch.joined + (plan.joined_room - steps * plan.list_room);
  int64_t count = 0;
  for (; count < plan.pixels_at_once && pixel + count < end && at <= last; ++count) {
    find_taps(layer, plan, (pixel + count) / width, (pixel + count) % width, taps);
    for (int64_t t = 0; t < steps; ++t) {
      const int64_t list = count * steps + t;
      scratch.begins[list] = static_cast<int32_t>(at - scratch.joined);
      at = join_taps(layer, plan, scratch, taps, t, at, scratch.counts + list * plan.planes);
    }
  }
  return count;
}

void listed_tile(const SpikeLayer& layer, const LayerTile& tile, const ListPlan& plan,
                 const Scratch& scratch) {
  Taps taps;
  const int64_t width = layer.window.out_width, steps = layer.steps;
  for (int64_t sample = tile.sample_begin; sample < tile.sample_end; ++sample) {
    list_pixels(layer, plan, sample, scratch);
    const int64_t end = tile.row_end * width;
    for (int64_t pixel = tile.row_begin * width, count; pixel < end; pixel += count) {
      count = join_group(layer, plan, scratch, pixel, end, taps);
      for (int64_t block = tile.block_begin; block < tile.block_end; ++block)
        for (int64_t q = 0; q < count; ++q)
          run_listed(layer, {sample, pixel + q, block},
                     {scratch.joined, scratch.begins + q * steps,
                      scratch.counts + q * steps * plan.planes, plan.planes});
    }
  }
}
