// One tile of a layer, compiled once per instruction set: the includer defines, inside its unnamed
// namespace,
//
//   Floats            64 floats: load, store, fill
//   Whole             64 sums of int8 rows: clear, add(rows, list, n), twice, floats(rows added),
//                     add_to(sums, rows added, shift), floats_of(sums)
//   emit<many>(p, bits, b)  appends b + the number of each set bit; returns the new end
//   append(p, s, n, b)  appends b + s[0..n)
//   fire<soft>(rule, current, v)  the bits of the neurons that fire
//   add_scaled(sums, row, value)  sums += value * row
//   any_set(words, n)  whether a bit of n words is set
//
// and includes this. Stores of emit and append may go kListSlack entries past the end.

// The parts of a tile's scratch.
struct Scratch {
  int32_t* offsets;       // [planes, steps, input pixels + 1]: where the list of a pixel begins
  uint16_t* pixel_lists;  // channels that fire
  uint16_t* joined;       // rows to add
  int32_t* begins;        // [lists]: where a list begins in `joined`
  int32_t* counts;        // [lists, planes]
  int32_t* cuts;          // [lists, chunks + 1]: where the rows of a chunk begin in a list
  int32_t* sums;          // [lists, 64]
  uint64_t* words;        // bits of the kept channels

  Scratch(const ListPlan& plan, std::byte* base)
      : offsets(reinterpret_cast<int32_t*>(base + plan.offsets)),
        pixel_lists(reinterpret_cast<uint16_t*>(base + plan.pixel_lists)),
        joined(reinterpret_cast<uint16_t*>(base + plan.joined)),
        begins(reinterpret_cast<int32_t*>(base + plan.begins)),
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

// The plane of source s: its spikes count 2^plane.
inline int32_t plane_of(const LayerInput& in, const SpikeSource& s) {
  return in.map_plane == nullptr ? 0 : in.map_plane[s.map];
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

// The rows of one output pixel, list by list. A list has a part for each plane, the highest first;
// each part ends with rows of zeros, at a multiple of eight.
struct RowLists {
  const uint16_t* entries;
  const int32_t *begins, *counts;  // [steps], [steps, planes]
  int64_t planes;
};

SPIKENM_INLINE int64_t to_eight(int64_t n) {
  return (n + 7) & ~int64_t{7};
}

// Eight numbers of the row of zeros end a part, so that rows are added eight at a time: short lists
// then take nearly the same number of rounds, which a processor can foresee.
SPIKENM_INLINE void end_list(uint16_t* end, int32_t zero_row) {
  const uint64_t four = static_cast<uint64_t>(zero_row) * 0x0001000100010001;
  __builtin_memcpy(end, &four, sizeof four);
  __builtin_memcpy(end + 4, &four, sizeof four);
}

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

// The sums of more rows than 16 bits can hold.
SPIKENM_NOINLINE void sum_wide(const uint8_t* rows, const uint16_t* list, const int32_t* counts,
                               int64_t planes, int32_t* wide) {
  for (int64_t i = 0; i < kSpikeBlock; ++i) wide[i] = 0;
  for (int64_t k = 0; k < planes; ++k) {
    const int64_t n = counts[k];
    for (int64_t done = 0; done < n; done += kNarrowRows) {
      const int64_t left = n - done < kNarrowRows ? n - done : kNarrowRows;
      Whole sums;
      sums.clear();
      sums.add(rows, list + done, left);
      sums.add_to(wide, to_eight(left), static_cast<int>(planes - 1 - k));
    }
    list += to_eight(n);
  }
}

inline Floats sum_int8(const uint8_t* rows, const uint16_t* list, const int32_t* counts,
                       int64_t planes) {
  int64_t total = 0;
  for (int64_t k = 0; k < planes; ++k) total = 2 * total + counts[k];
  if (total > kNarrowRows) {
    alignas(64) int32_t wide[kSpikeBlock];
    sum_wide(rows, list, counts, planes, wide);
    return Whole::floats_of(wide);
  }
  Whole sums;
  sums.clear();
  sums.add(rows, list, counts[0]);
  int64_t added = to_eight(counts[0]);
  for (int64_t k = 1; k < planes; ++k) {
    list += to_eight(counts[k - 1]);
    sums.twice();
    sums.add(rows, list, counts[k]);
    added = 2 * added + to_eight(counts[k]);
  }
  return sums.floats(added);
}

inline Floats sum_floats(const float* rows, const uint16_t* list, const int32_t* counts,
                         int64_t planes) {
  Floats sums = Floats::fill(0);
  for (int64_t k = 0; k < planes; ++k) {
    const auto value = static_cast<float>(int64_t{1} << (planes - 1 - k));
    for (int64_t i = 0; i < counts[k]; ++i) add_scaled(sums, rows + list[i] * kSpikeBlock, value);
    list += to_eight(counts[k]);
  }
  return sums;
}

// One pixel and block.
void run_listed(const SpikeLayer& layer, const Place& place, const RowLists& lists) {
  const int64_t first = layer.rows.first_row[place.block] * kSpikeBlock;
  const int64_t planes = lists.planes;
  if (!layer.rows.int8) {
    const float* const rows = static_cast<const float*>(layer.rows.data) + first;
    return run_place(layer, place, [&](int64_t t) {
      return sum_floats(rows, lists.entries + lists.begins[t], lists.counts + t * planes, planes);
    });
  }
  const uint8_t* const rows = static_cast<const uint8_t*>(layer.rows.data) + first;
  const uint16_t* const entries = lists.entries;
  const int32_t *const begins = lists.begins, *const counts = lists.counts;
  if (planes == 1)
    run_place(layer, place,
              [=](int64_t t) { return sum_int8(rows, entries + begins[t], counts + t, 1); });
  else
    run_place(layer, place, [=](int64_t t) {
      return sum_int8(rows, entries + begins[t], counts + t * planes, planes);
    });
}
