// The bits that a tile reads, with zeros around the map, so that every window lies inside. Included behind
// spike_layer_inl.h.
//
//   map          of the tile, padding 1
//   a b c        0 0 0 0 0
//   d e f   ->   0 a b c 0      a window of 3x3 is three runs of words, wherever it lies
//                0 d e f 0
//                0 0 0 0 0
//
// A pixel that is a sum has several sources; each has a copy of its own, a slot. Slots of one plane lie
// side by side.

struct TileWords {
  uint64_t* data;
  int64_t words;                                            // of a pixel
  int64_t row_words, step_words, sample_words, slot_words;  // from one to the next

  TileWords(const SpikeLayer& layer, const TilePlan& plan, std::byte* base)
      : data(reinterpret_cast<uint64_t*>(base + plan.words)),
        words(layer.input.words()),
        row_words(plan.row_words),
        step_words(plan.bit_rows * row_words),
        sample_words(layer.steps * step_words),
        slot_words(plan.samples * sample_words) {}

  // The window whose first row is `row` of the tile's and whose first pixel is `column`.
  [[nodiscard]] SPIKENM_INLINE uint64_t* at(int64_t slot, int64_t sample, int64_t step, int64_t row,
                                            int64_t column) const {
    return data + slot * slot_words + sample * sample_words + step * step_words + row * row_words +
           column * words;
  }
  [[nodiscard]] int64_t step() const { return step_words; }
  [[nodiscard]] int64_t slot() const { return slot_words; }
};

// The slots of a plane.
struct Slots {
  int64_t begin = 0, end = 0;
};

// Whether it is the same plane at all pixels: else there is a slot for each source and plane.
inline bool has_plane(const LayerInput& in, int64_t source, int64_t plane) {
  if (in.planes == 1 || in.regular == nullptr) return true;
  return plane == (in.map_plane == nullptr ? 0 : in.map_plane[in.regular[source].map]);
}

inline Slots slots_of(const LayerInput& in, int64_t plane) {
  Slots found;
  for (int64_t p = 0; p <= plane; ++p) {
    found.begin = found.end;
    for (int64_t source = 0; source < in.most_sources; ++source)
      found.end += has_plane(in, source, p) ? 1 : 0;
  }
  return found;
}

// One row of the map, pixel by pixel: the spikes of one source and plane.
inline void copy_pixels(const SpikeLayer& layer, int64_t sample, int64_t step, int64_t y,
                        int64_t source, int64_t plane, uint64_t* to) {
  const LayerInput& in = layer.input;
  const int64_t words = in.words();
  for (int64_t pixel = y * in.width; pixel < (y + 1) * in.width; ++pixel, to += words) {
    const int32_t at = in.begin[pixel] + static_cast<int32_t>(source);
    const bool there =
        at < in.begin[pixel + 1] && (in.planes == 1 || plane_of(in, in.sources[at]) == plane);
    const uint64_t* const from =
        there ? source_words(layer, sample, step, in.sources[at]) : nullptr;
    for (int64_t w = 0; w < words; ++w) to[w] = there ? from[w] : 0;
  }
}

SPIKENM_INLINE void fill_words(uint64_t* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] = 0;
}

// One row of the map at one step.
inline void copy_row(const SpikeLayer& layer, int64_t sample, int64_t step, int64_t y,
                     int64_t source, int64_t plane, uint64_t* to) {
  const LayerInput& in = layer.input;
  const int64_t pad = layer.window.padding * in.words(), middle = in.width * in.words();
  if (y < 0 || y >= in.height) return fill_words(to, middle + 2 * pad);
  fill_words(to, pad);
  if (in.regular != nullptr && in.regular_column == 1) {
    const RegularSource& from = in.regular[source];
    const int64_t pixel =
        (sample * layer.steps + step) * in.map_pixels[from.map] + from.first + y * in.regular_row;
    __builtin_memcpy(to + pad, in.maps[from.map] + pixel * in.words(),
                     static_cast<size_t>(middle) * sizeof *to);
  } else {
    copy_pixels(layer, sample, step, y, source, plane, to + pad);
  }
  fill_words(to + pad + middle, pad);
}

// The bits of plan.samples samples from `sample` on.
void copy_words(const SpikeLayer& layer, const LayerTile& tile, const TilePlan& plan,
                int64_t sample, const TileWords& to) {
  const LayerWindow& w = layer.window;
  const int64_t first = tile.row_begin * w.stride - w.padding;
  const int64_t rows = (tile.row_end - tile.row_begin - 1) * w.stride + w.kernel_height;
  int64_t slot = 0;
  for (int64_t plane = 0; plane < layer.input.planes; ++plane)
    for (int64_t source = 0; source < layer.input.most_sources; ++source) {
      if (!has_plane(layer.input, source, plane)) continue;
      for (int64_t s = 0; s < plan.samples; ++s)
        for (int64_t t = 0; t < layer.steps; ++t)
          for (int64_t row = 0; row < rows; ++row)
            copy_row(layer, sample + s, t, first + row, source, plane, to.at(slot, s, t, row, 0));
      ++slot;
    }
}
