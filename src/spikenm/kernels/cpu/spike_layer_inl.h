// One tile of a layer, compiled once per instruction set: the includer defines, inside its unnamed
// namespace,
//
//   Floats            64 floats: load, store, fill
//   Whole             64 sums of int8 rows: begin(rounds), add_four(rows, entries), put<add>(sums),
//                     floats_of(sums)
//   emit<many>(p, bits, b)  appends b + the entry of each set bit; returns the new end
//   fire<soft>(rule, current, v)  the bits of the neurons that fire
//   add_scaled(sums, row, value)  sums += value * row
//   extract(bits, keep)  the bits under the ones of `keep`, side by side
//   gather_eight(words, places)  one bit for each place, eight of each of eight words, if kHasPicks
//
// and includes this. Stores of emit may go kListSlack entries past the end.

// A window of the input: the taps that lie inside the map.
struct Taps {
  int count = 0;
  int32_t pixel[kMostTaps];  // counted from the first row that the tile reads
  int32_t tap[kMostTaps];
};

void find_taps(const SpikeLayer& layer, const TilePlan& plan, int64_t y, int64_t x, Taps& taps) {
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
  const uint64_t alive = layer.alive(place.pixel, place.block);
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
