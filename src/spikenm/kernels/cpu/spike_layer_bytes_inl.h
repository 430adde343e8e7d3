// Layers that fire so much that reading every input is cheaper than to list those that fire. Spikes
// become bytes, counts of 0 to 127, and four of them meet four weights in one lane of 32 bits.
// Included behind spike_layer_inl.h. The includer also defines
//
//   Quads                     16 lanes of 32 bits: clear, store
//   dot(sums, x, w)           lane i of sums += x[4 i .. 4 i + 3] * w[4 i .. 4 i + 3]
//   spread(x)                 the four bytes at x, in every lane
//   Word64, word64(x)         64 bytes, in a register where there is one as large
//   pick(index, word)         byte j of the result is byte index[j] of the word
//   put_counts(to, bits, n)   adds n to each of 64 bytes whose bit is set
//
//   dense         one place, 64 outputs                packed, 16 outputs
//   x: c0 c1 c2 c3 of a tap    spread                  x: 64 channels of a tap
//        │                                                 │ pick: each output's own kept channels
//   w: | o0: c0..c3 | o1: c0..c3 | … | o15 |           w: | o0: 4 kept | o1: 4 kept | … | o15 |
//        └ dot: sums of o0 … o15                            └ dot: sums of o0 … o15

// Steps whose sums are in registers at once.
constexpr int64_t kDenseSteps = 6, kPackedSteps = 8;

// The bytes of every pixel that the tile reads: [pixels, steps, channels rounded up to 64].
void count_pixels(const SpikeLayer& layer, const TilePlan& plan, int64_t sample, uint8_t* bytes) {
  const LayerInput& in = layer.input;
  const int64_t first = plan.input_row_begin * in.width, words = in.words();
  for (int64_t i = 0; i < plan.input_rows * in.width; ++i)
    for (int64_t t = 0; t < layer.steps; ++t, bytes += words * kSpikeBlock) {
      for (int64_t b = 0; b < words * kSpikeBlock; ++b) bytes[b] = 0;
      for (int32_t s = in.begin[first + i]; s < in.begin[first + i + 1]; ++s) {
        const uint64_t* const bits = source_words(layer, sample, t, in.sources[s]);
        const auto count = static_cast<uint8_t>(1 << plane_of(in, in.sources[s]));
        for (int64_t w = 0; w < words; ++w) put_counts(bytes + w * kSpikeBlock, bits[w], count);
      }
    }
}

// The sums of 64 outputs at kSteps steps. `bytes`: pixel 0 of the tile at the first of the steps.
template <int kSteps>
SPIKENM_NOINLINE void sum_dense(const Taps& taps, const uint8_t* bytes, int64_t channels,
                                int64_t steps, const int8_t* weights, int32_t* sums) {
  Quads total[kSteps][4];
  for (int t = 0; t < kSteps; ++t)
    for (int q = 0; q < 4; ++q) total[t][q].clear();
  for (int k = 0; k < taps.count; ++k) {
    const uint8_t* const x = bytes + taps.pixel[k] * steps * channels;
    const int8_t* w = weights + taps.tap[k] * channels * kSpikeBlock;
    for (int64_t c = 0; c < channels; c += 4, w += 4 * kSpikeBlock)
      for (int t = 0; t < kSteps; ++t) {
        const auto four = spread(x + t * channels + c);
        for (int q = 0; q < 4; ++q) dot(total[t][q], four, w + q * kSpikeBlock);
      }
  }
  for (int t = 0; t < kSteps; ++t)
    for (int q = 0; q < 4; ++q) total[t][q].store(sums + t * kSpikeBlock + q * 16);
}

// The same where each output keeps `kept` channels of every 64, a multiple of four.
template <int kSteps>
SPIKENM_NOINLINE void sum_packed(const Taps& taps, const uint8_t* bytes, int64_t channels,
                                 int64_t steps, int64_t kept, const int8_t* weights,
                                 int64_t part_bytes, int32_t* sums) {
  const int64_t word_bytes = kept * 32;  // indices and weights of 16 outputs
  for (int part = 0; part < 4; ++part, weights += part_bytes) {
    Quads total[kSteps];
    for (int t = 0; t < kSteps; ++t) total[t].clear();
    for (int k = 0; k < taps.count; ++k) {
      const uint8_t* x = bytes + taps.pixel[k] * steps * channels;
      const int8_t* w = weights + taps.tap[k] * (channels / kSpikeBlock) * word_bytes;
      for (int64_t c = 0; c < channels; c += kSpikeBlock, x += kSpikeBlock) {
        Word64 word[kSteps];
        for (int t = 0; t < kSteps; ++t) word[t] = word64(x + t * channels);
        for (int64_t q = 0; q < kept; q += 4, w += 2 * kSpikeBlock)
          for (int t = 0; t < kSteps; ++t) dot(total[t], pick(w, word[t]), w + kSpikeBlock);
      }
    }
    for (int t = 0; t < kSteps; ++t) total[t].store(sums + t * kSpikeBlock + part * 16);
  }
}

// How many of the steps that are left are summed now: pieces of nearly the same size.
inline int64_t steps_now(int64_t left, int64_t most) {
  const int64_t pieces = (left + most - 1) / most;
  return (left + pieces - 1) / pieces;
}

// One place and block: the sums of all steps.
void sum_bytes(const SpikeLayer& layer, const Taps& taps, const uint8_t* bytes, int64_t block,
               int32_t* sums) {
  constexpr decltype(&sum_dense<1>) kDense[kDenseSteps] = {
      sum_dense<1>, sum_dense<2>, sum_dense<3>, sum_dense<4>, sum_dense<5>, sum_dense<6>};
  constexpr decltype(&sum_packed<1>) kPacked[kPackedSteps] = {
      sum_packed<1>, sum_packed<2>, sum_packed<3>, sum_packed<4>,
      sum_packed<5>, sum_packed<6>, sum_packed<7>, sum_packed<8>};
  const int64_t channels = layer.input.words() * kSpikeBlock, steps = layer.steps;
  const int64_t words = layer.window.taps() * layer.input.words(), kept = layer.rows.word_rows;
  const auto* const weights = static_cast<const int8_t*>(layer.rows.data);
  const bool packed = layer.rows.form == RowForm::kPacked;
  for (int64_t t = 0; t < steps;) {
    const int64_t now = steps_now(steps - t, packed ? kPackedSteps : kDenseSteps);
    const uint8_t* const at = bytes + t * channels;
    int32_t* const to = sums + t * kSpikeBlock;
    if (packed) {
      const int64_t part = words * kept * 32;
      kPacked[now - 1](taps, at, channels, steps, kept, weights + block * 4 * part, part, to);
    } else {
      const int8_t* const own = weights + block * words * kSpikeBlock * kSpikeBlock;
      kDense[now - 1](taps, at, channels, steps, own, to);
    }
    t += now;
  }
}

void bytes_tile(const SpikeLayer& layer, const LayerTile& tile, const TilePlan& plan,
                const Scratch& scratch) {
  Taps taps;
  const int64_t width = layer.window.out_width;
  auto* const bytes = reinterpret_cast<uint8_t*>(scratch.words);
  for (int64_t sample = tile.sample_begin; sample < tile.sample_end; ++sample) {
    count_pixels(layer, plan, sample, bytes);
    for (int64_t block = tile.block_begin; block < tile.block_end; ++block)
      for (int64_t pixel = tile.row_begin * width; pixel < tile.row_end * width; ++pixel) {
        find_taps(layer, plan, pixel / width, pixel % width, taps);
        sum_bytes(layer, taps, bytes, block, scratch.sums);
        run_place(layer, {sample, pixel, block},
                  [&](int64_t t) { return Whole::floats_of(scratch.sums + t * kSpikeBlock); });
      }
  }
}
