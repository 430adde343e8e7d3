// One tile of a layer, compiled once per instruction set: the includer defines, inside its unnamed
// namespace,
//
//   Floats            64 floats: load, store, fill
//   Whole             64 sums of int8 rows: clear, add(rows, list, n), floats(n), add_to, floats
//   emit<many>(p, bits, b)  appends b + the number of each set bit; returns the new end
//   append(p, s, n, b)  appends b + s[0..n)
//   fire<soft>(rule, current, v)  the bits of the neurons that fire
//   add_scaled(sums, row, value)  sums += value * row
//
// and includes this. Stores of emit and append may go kListSlack entries past the end.

// The parts of a tile's scratch.
struct Scratch {
  int32_t* offsets;       // [steps, input pixels + 1]: where the list of a pixel begins
  uint16_t* pixel_lists;  // channels that fire
  uint16_t* joined;       // [lists, list_room]: rows to add
  int32_t* counts;        // [lists]
  int32_t* cuts;          // [lists, chunks + 1]: where the rows of a chunk begin in a list
  int32_t* sums;          // [lists, 64]
  uint64_t* words;        // bits of the kept channels

  Scratch(const ListPlan& plan, std::byte* base)
      : offsets(reinterpret_cast<int32_t*>(base + plan.offsets)),
        pixel_lists(reinterpret_cast<uint16_t*>(base + plan.pixel_lists)),
        joined(reinterpret_cast<uint16_t*>(base + plan.joined)),
        counts(reinterpret_cast<int32_t*>(base + plan.counts)),
        cuts(reinterpret_cast<int32_t*>(base + plan.cuts)),
        sums(reinterpret_cast<int32_t*>(base + plan.sums)),
        words(reinterpret_cast<uint64_t*>(base + plan.words)) {}
};

// A window of the input: the taps that lie inside the map.
struct Taps {
  static constexpr int kMost = 1024;
  int count = 0;
  int32_t pixel[kMost];  // counted from the first row that the tile reads
  int32_t tap[kMost];
};

void find_taps(const SpikeLayer& layer, const ListPlan& plan, int64_t y, int64_t x, Taps& taps) {
  const LayerWindow& w = layer.window;
  const int64_t top = y * w.stride - w.padding, left = x * w.stride - w.padding;
  taps.count = 0;
  for (int64_t ky = 0; ky < w.kernel_height; ++ky) {
    const int64_t iy = top + ky;
    if (iy < 0 || iy >= layer.input.height) continue;
    for (int64_t kx = 0; kx < w.kernel_width; ++kx) {
      const int64_t ix = left + kx;
      if (ix < 0 || ix >= layer.input.width) continue;
      taps.pixel[taps.count] =
          static_cast<int32_t>((iy - plan.input_row_begin) * layer.input.width + ix);
      taps.tap[taps.count++] = static_cast<int32_t>(ky * w.kernel_width + kx);
    }
  }
}

// Whether the window at (y, x) lies inside the map; then `corner` is the pixel of its first tap.
SPIKENM_INLINE bool lies_inside(const SpikeLayer& layer, const ListPlan& plan, int64_t y, int64_t x,
                                int64_t& corner) {
  const LayerWindow& w = layer.window;
  const int64_t top = y * w.stride - w.padding, left = x * w.stride - w.padding;
  corner = (top - plan.input_row_begin) * layer.input.width + left;
  return top >= 0 && left >= 0 && top + w.kernel_height <= layer.input.height &&
         left + w.kernel_width <= layer.input.width;
}

// The words of source s at a step.
inline const uint64_t* source_words(const SpikeLayer& layer, int64_t sample, int64_t step,
                                    const SpikeSource& s) {
  const LayerInput& in = layer.input;
  return in.maps[s.map] +
         ((sample * layer.steps + step) * in.map_pixels[s.map] + s.pixel) * in.words();
}

// The list of each pixel that the tile reads, at all steps.
template <bool kMany>
void list_all_pixels(const SpikeLayer& layer, const ListPlan& plan, int64_t sample,
                     const Scratch& scratch) {
  const LayerInput& in = layer.input;
  const int64_t pixels = plan.input_rows * in.width, first = plan.input_row_begin * in.width;
  const int64_t words = in.words();
  uint16_t* p = scratch.pixel_lists;
  int32_t* offset = scratch.offsets;
  for (int64_t t = 0; t < layer.steps; ++t) {
    for (int64_t i = 0; i < pixels; ++i) {
      *offset++ = static_cast<int32_t>(p - scratch.pixel_lists);
      for (int32_t s = in.begin[first + i]; s < in.begin[first + i + 1]; ++s) {
        const uint64_t* const bits = source_words(layer, sample, t, in.sources[s]);
        for (int64_t w = 0; w < words; ++w) p = emit<kMany>(p, bits[w], static_cast<int>(w * 64));
      }
    }
    *offset++ = static_cast<int32_t>(p - scratch.pixel_lists);
  }
}

void list_pixels(const SpikeLayer& layer, const ListPlan& plan, int64_t sample,
                 const Scratch& scratch) {
  if (plan.many)
    list_all_pixels<true>(layer, plan, sample, scratch);
  else
    list_all_pixels<false>(layer, plan, sample, scratch);
}

// Eight numbers of the row of zeros end a list, so that rows are added eight at a time: short lists
// then take nearly the same number of rounds, which a processor can foresee.
SPIKENM_INLINE void end_list(uint16_t* end, int32_t zero_row) {
  const uint64_t four = static_cast<uint64_t>(zero_row) * 0x0001000100010001;
  __builtin_memcpy(end, &four, sizeof four);
  __builtin_memcpy(end + 4, &four, sizeof four);
}

// The rows of one output pixel at one step; returns how many.
inline int32_t join_taps(const SpikeLayer& layer, const ListPlan& plan, const Scratch& scratch,
                         const Taps& taps, int64_t step, uint16_t* list) {
  const int64_t per_step = plan.input_rows * layer.input.width + 1;
  const int32_t* const offsets = scratch.offsets + step * per_step;
  const auto channels = static_cast<int32_t>(layer.input.channels);
  uint16_t* p = list;
  for (int k = 0; k < taps.count; ++k) {
    const int32_t begin = offsets[taps.pixel[k]], end = offsets[taps.pixel[k] + 1];
    p = append(p, scratch.pixel_lists + begin, end - begin, taps.tap[k] * channels);
  }
  end_list(p, layer.rows.rows_of[0]);
  return static_cast<int32_t>(p - list);
}

// The place of an output pixel's words or values, and how they go on with the steps.
struct Place {
  int64_t sample, pixel, block;

  [[nodiscard]] int64_t word(const SpikeLayer& layer, int64_t step) const {
    return ((sample * layer.steps + step) * layer.window.pixels() + pixel) * layer.blocks() + block;
  }
  [[nodiscard]] float* membrane(const SpikeLayer& layer) const {
    float* const all = layer.neurons.membrane;
    return all == nullptr
               ? nullptr
               : all + ((sample * layer.window.pixels() + pixel) * layer.blocks() + block) *
                           kSpikeBlock;
  }
};

void store_values(const SpikeLayer& layer, const Place& place, int64_t step,
                  const Floats& current) {
  alignas(64) float values[kSpikeBlock];
  current.store(values);
  const int64_t first = place.block * kSpikeBlock;
  const int64_t count =
      layer.out_channels - first < kSpikeBlock ? layer.out_channels - first : kSpikeBlock;
  float* const to = layer.values +
                    ((place.sample * layer.steps + step) * layer.window.pixels() + place.pixel) *
                        layer.out_channels +
                    first;
  for (int64_t i = 0; i < count; ++i) to[i] = values[i];
}

// Neurons or scores of one pixel and block over all steps; sums(t) gives the sums of a step.
template <class SumsAt>
inline void run_place(const SpikeLayer& layer, const Place& place, const SumsAt& sums) {
  const LayerNeurons& n = layer.neurons;
  const Floats scale = Floats::load(n.scale + place.block * kSpikeBlock);
  const Floats shift = Floats::load(n.shift + place.block * kSpikeBlock);
  if (!n.fires) {
    for (int64_t t = 0; t < layer.steps; ++t)
      store_values(layer, place, t, multiply_add(sums(t), scale, shift));
    return;
  }

  float* const membrane = place.membrane(layer);
  Floats v = membrane == nullptr ? Floats::fill(n.rest) : Floats::load(membrane);
  const uint64_t alive =
      n.alive == nullptr ? ~uint64_t{0} : n.alive[place.pixel * layer.blocks() + place.block];
  const FireRule rule(n);
  // Taken out of the loop: the spikes that it writes could be sizes of the layer, for all that the
  // compiler knows.
  const int64_t steps = layer.steps, stride = layer.window.pixels() * layer.blocks();
  uint64_t* out = layer.spikes + place.word(layer, 0);
  if (n.soft == 0) {
    for (int64_t t = 0; t < steps; ++t, out += stride)
      *out = fire<false>(rule, multiply_add(sums(t), scale, shift), v) & alive;
  } else {
    for (int64_t t = 0; t < steps; ++t, out += stride)
      *out = fire<true>(rule, multiply_add(sums(t), scale, shift), v) & alive;
  }
  if (membrane != nullptr) v.store(membrane);
}

// The sums of the rows in a list.
inline Floats sum_int8(const uint8_t* rows, const uint16_t* list, int64_t n) {
  if (n <= kNarrowRows) {
    Whole sums;
    sums.clear();
    sums.add(rows, list, n);
    return sums.floats(n);
  }
  alignas(64) int32_t wide[kSpikeBlock] = {};
  for (int64_t done = 0; done < n; done += kNarrowRows) {
    const int64_t left = n - done < kNarrowRows ? n - done : kNarrowRows;
    Whole sums;
    sums.clear();
    sums.add(rows, list + done, left);
    sums.add_to(wide, left);
  }
  return Whole::floats_of(wide);
}

inline Floats sum_floats(const float* rows, const uint16_t* list, int64_t n) {
  Floats sums = Floats::fill(0);
  for (int64_t i = 0; i < n; ++i) add_row(sums, rows + list[i] * kSpikeBlock);
  return sums;
}

// One pixel and block; its lists are list_room apart, one for each step.
void run_listed(const SpikeLayer& layer, const Place& place, const uint16_t* lists,
                const int32_t* counts, int64_t list_room) {
  const int64_t first = layer.rows.first_row[place.block] * kSpikeBlock;
  if (layer.rows.int8) {
    const uint8_t* const rows = static_cast<const uint8_t*>(layer.rows.data) + first;
    run_place(layer, place,
              [=](int64_t t) { return sum_int8(rows, lists + t * list_room, counts[t]); });
  } else {
    const float* const rows = static_cast<const float*>(layer.rows.data) + first;
    run_place(layer, place,
              [&](int64_t t) { return sum_floats(rows, lists + t * list_room, counts[t]); });
  }
}

// Layers whose rows are all there: lists are made once for all blocks.
void listed_tile(const SpikeLayer& layer, const LayerTile& tile, const ListPlan& plan,
                 const Scratch& scratch) {
  Taps taps;
  const int64_t width = layer.window.out_width;
  for (int64_t sample = tile.sample_begin; sample < tile.sample_end; ++sample) {
    list_pixels(layer, plan, sample, scratch);
    const int64_t end = tile.row_end * width;
    for (int64_t pixel = tile.row_begin * width; pixel < end; pixel += kPixelsAtOnce) {
      const int64_t count = end - pixel < kPixelsAtOnce ? end - pixel : kPixelsAtOnce;
      for (int64_t q = 0; q < count; ++q) {
        find_taps(layer, plan, (pixel + q) / width, (pixel + q) % width, taps);
        for (int64_t t = 0; t < layer.steps; ++t) {
          const int64_t list = q * layer.steps + t;
          scratch.counts[list] =
              join_taps(layer, plan, scratch, taps, t, scratch.joined + list * plan.list_room);
        }
      }
      for (int64_t block = tile.block_begin; block < tile.block_end; ++block)
        for (int64_t q = 0; q < count; ++q)
          run_listed(layer, {sample, pixel + q, block},
                     scratch.joined + q * layer.steps * plan.list_room,
                     scratch.counts + q * layer.steps, plan.list_room);
    }
  }
}

// Where the rows of each chunk begin in a list that is in order.
inline void cut_list(const uint16_t* list, int32_t count, int64_t chunks, int32_t* cuts) {
  int32_t at = 0;
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    while (at < count && list[at] < chunk * kRowsAtOnce) ++at;
    cuts[chunk] = at;
  }
  cuts[chunks] = count;
}

// One block of a linear layer: rows come from memory once, a chunk at a time, for all lists.
void run_chunks(const SpikeLayer& layer, const LayerTile& tile, const ListPlan& plan,
                const Scratch& scratch, int64_t block) {
  const int64_t lists = (tile.sample_end - tile.sample_begin) * layer.steps;
  const uint8_t* const rows =
      static_cast<const uint8_t*>(layer.rows.data) + layer.rows.first_row[block] * kSpikeBlock;
  const int64_t n_rows = layer.rows.rows_of[block];
  for (int64_t i = 0; i < lists * kSpikeBlock; ++i) scratch.sums[i] = 0;
  const int64_t ahead = (kRowsAtOnce + lists - 1) / lists;  // lines to fetch during each list
  for (int64_t chunk = 0; chunk < plan.chunks; ++chunk) {
    const uint8_t* next = rows + (chunk + 1) * kRowsAtOnce * kSpikeBlock;
    const uint8_t* const end = rows + n_rows * kSpikeBlock;
    for (int64_t list = 0; list < lists; ++list) {
      for (int64_t i = 0; i < ahead && next < end; ++i, next += kSpikeBlock)
        __builtin_prefetch(next, 0, 2);
      const int32_t* const cuts = scratch.cuts + list * (plan.chunks + 1) + chunk;
      const uint16_t* const entries = scratch.joined + list * plan.list_room;
      for (int32_t at = cuts[0]; at < cuts[1]; at += static_cast<int32_t>(kNarrowRows)) {
        const int32_t left = cuts[1] - at;
        const int64_t n = left < kNarrowRows ? left : kNarrowRows;
        Whole sums;
        sums.clear();
        sums.add_some(rows, entries + at, n);
        sums.add_to(scratch.sums + list * kSpikeBlock, n, /*padded=*/false);
      }
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
      const int32_t count = join_taps(layer, plan, scratch, taps, t, entries);
      cut_list(entries, count, plan.chunks, scratch.cuts + list * (plan.chunks + 1));
    }
  }
  for (int64_t block = tile.block_begin; block < tile.block_end; ++block)
    run_chunks(layer, tile, plan, scratch, block);
}

// Real values: rows times the values of a window that are not 0.
void real_tile(const SpikeLayer& layer, const LayerTile& tile, const ListPlan& plan) {
  const LayerInput& in = layer.input;
  const int64_t width = layer.window.out_width, map = in.height * in.width * in.channels;
  Taps taps;
  const auto sum_at = [&](const float* values, const float* rows) {
    Floats sums = Floats::fill(0);
    for (int k = 0; k < taps.count; ++k) {
      const float* const x =
          values + (taps.pixel[k] + plan.input_row_begin * in.width) * in.channels;
      const float* const row = rows + taps.tap[k] * in.channels * kSpikeBlock;
      for (int64_t c = 0; c < in.channels; ++c)
        if (x[c] != 0) add_scaled(sums, row + c * kSpikeBlock, x[c]);
    }
    return sums;
  };
  for (int64_t sample = tile.sample_begin; sample < tile.sample_end; ++sample) {
    const float* const values = in.values + sample * in.input_steps * map;
    for (int64_t pixel = tile.row_begin * width; pixel < tile.row_end * width; ++pixel) {
      find_taps(layer, plan, pixel / width, pixel % width, taps);
      for (int64_t block = tile.block_begin; block < tile.block_end; ++block) {
        const float* const rows =
            static_cast<const float*>(layer.rows.data) + layer.rows.first_row[block] * kSpikeBlock;
        const Place place{sample, pixel, block};
        if (in.input_steps == 1) {
          const Floats constant = sum_at(values, rows);
          run_place(layer, place, [&](int64_t) { return constant; });
        } else {
          run_place(layer, place, [&](int64_t t) { return sum_at(values + t * map, rows); });
        }
      }
    }
  }
}
