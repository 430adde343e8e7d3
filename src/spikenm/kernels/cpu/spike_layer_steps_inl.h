// Packed layers whose inputs fire at most once at a step: the byte of an input holds its spikes of up to eight
// steps, and the channels that an output keeps are picked once for all of them. Included behind
// spike_layer_bytes_inl.h. The includer also defines
//
//   only_bit(x, t)       bit t of every byte of x, where it is
//   Quads::divide(t)     sums / 2^t
//   kPixelsAtOnce        1 or 2, as many as there are registers for
//
//   channel       fires at step 0 1 2 3      byte           kept by an output   c1 c4 c0 c2
//   c0                          1 0 1 0      0101              pick  ─────>     0  7  5  8
//   c1                          0 0 0 0      0000              bit 0            0  1  1  0   dot w: sums of step 0
//   c2                          0 0 0 1      1000              bit 1            0  2  0  0   dot w: 2 x those of step 1
//   c4                          1 1 1 0      0111              bit 2            0  4  4  0   dot w: 4 x those of step 2
//
// The weights of 16 outputs are read for a whole row of pixels, so that they stay in the first cache.

constexpr int64_t kStepsOfByte = 8;

// Of how many steps a byte holds the spikes: pieces of nearly the same size.
inline int64_t steps_of_piece(int64_t steps) {
  return steps_now(steps, kStepsOfByte);
}

// The bytes of every pixel that the tile reads: [pixels, pieces, channels rounded up to 64].
void gather_steps(const SpikeLayer& layer, const TilePlan& plan, int64_t sample, uint8_t* bytes) {
  const LayerInput& in = layer.input;
  const int64_t first = plan.input_row_begin * in.width, words = in.words();
  const int64_t each = steps_of_piece(layer.steps);
  for (int64_t i = 0; i < plan.input_rows * in.width; ++i)
    for (int64_t begin = 0; begin < layer.steps; begin += each, bytes += words * kSpikeBlock) {
      for (int64_t b = 0; b < words * kSpikeBlock; ++b) bytes[b] = 0;
      if (in.begin[first + i] == in.begin[first + i + 1]) continue;
      const SpikeSource& source = in.sources[in.begin[first + i]];
      for (int64_t t = begin; t < begin + each && t < layer.steps; ++t) {
        const uint64_t* const bits = source_words(layer, sample, t, source);
        for (int64_t w = 0; w < words; ++w)
          put_counts(bytes + w * kSpikeBlock, bits[w], static_cast<uint8_t>(1 << (t - begin)));
      }
    }
}

// Where the bytes of a piece lie, and the weights of 16 outputs.
struct StepBytes {
  const uint8_t* bytes;  // of pixel 0 of the tile
  int64_t pixel, channels;
  const int8_t* weights;
  int64_t kept;
};

// The sums of 16 outputs at the kSteps steps of a piece, for a pixel and for its neighbour, whose window has the
// same taps `next` bytes behind.
template <int kSteps, int kPixels>
SPIKENM_NOINLINE void sum_steps(const StepBytes& from, const Taps& taps, int64_t next,
                                int32_t* const (&sums)[2]) {
  Quads total[kPixels][kSteps];
  for (int p = 0; p < kPixels; ++p)
    for (int t = 0; t < kSteps; ++t) total[p][t].clear();
  const int64_t channels = from.channels, kept = from.kept;
  for (int k = 0; k < taps.count; ++k) {
    const uint8_t* const x = from.bytes + taps.pixel[k] * from.pixel;
    const int8_t* w = from.weights + taps.tap[k] * (channels / kSpikeBlock) * kept * 32;
    for (int64_t c = 0; c < channels; c += kSpikeBlock) {
      Word64 word[kPixels];
      for (int p = 0; p < kPixels; ++p) word[p] = word64(x + p * next + c);
      for (int64_t q = 0; q < kept; q += 4, w += 2 * kSpikeBlock)
        for (int p = 0; p < kPixels; ++p) {
          const auto picked = pick(w, word[p]);
          for (int t = 0; t < kSteps; ++t) dot(total[p][t], only_bit(picked, t), w + kSpikeBlock);
        }
    }
  }
  for (int p = 0; p < kPixels; ++p)
    for (int t = 0; t < kSteps; ++t) {
      total[p][t].divide(t);
      total[p][t].store(sums[p] + t * kSpikeBlock);
    }
}

template <int kPixels>
void sum_piece(int64_t steps, const StepBytes& from, const Taps& taps, int64_t next,
               int32_t* const (&sums)[2]) {
  constexpr decltype(&sum_steps<1, kPixels>) kSum[kStepsOfByte] = {
      sum_steps<1, kPixels>, sum_steps<2, kPixels>, sum_steps<3, kPixels>, sum_steps<4, kPixels>,
      sum_steps<5, kPixels>, sum_steps<6, kPixels>, sum_steps<7, kPixels>, sum_steps<8, kPixels>};
  kSum[steps - 1](from, taps, next, sums);
}

// A row of pixels of one block: sums [pixels, steps, 64].
void sum_row(const SpikeLayer& layer, const TilePlan& plan, int64_t y, int64_t block,
             const uint8_t* bytes, int32_t* sums) {
  const LayerWindow& window = layer.window;
  const int64_t channels = layer.input.words() * kSpikeBlock, kept = layer.rows.word_rows;
  const int64_t part_bytes = window.taps() * layer.input.words() * kept * 32;
  const int64_t steps = layer.steps, each = steps_of_piece(steps);
  const int64_t pixel = (steps + each - 1) / each * channels, next = window.stride * pixel;
  const auto* weights = static_cast<const int8_t*>(layer.rows.data) + block * 4 * part_bytes;
  Taps taps;
  for (int64_t part = 0; part < 4; ++part, weights += part_bytes)
    for (int64_t x = 0; x < window.out_width; ++x) {
      find_taps(layer, plan, y, x, taps);
      const int64_t left = x * window.stride - window.padding;
      const bool two = kPixelsAtOnce == 2 && x + 1 < window.out_width && left >= 0 &&
                       left + window.stride + window.kernel_width <= layer.input.width;
      for (int64_t t = 0, piece = 0; t < steps; t += each, ++piece) {
        const StepBytes from{bytes + piece * channels, pixel, channels, weights, kept};
        int32_t* const to = sums + (x * steps + t) * kSpikeBlock + part * 16;
        int32_t* const both[2] = {to, to + steps * kSpikeBlock};
        const int64_t now = steps - t < each ? steps - t : each;
        if (two)
          sum_piece<kPixelsAtOnce>(now, from, taps, next, both);
        else
          sum_piece<1>(now, from, taps, next, both);
      }
      if (two) ++x;
    }
}

void steps_tile(const SpikeLayer& layer, const LayerTile& tile, const TilePlan& plan,
                const Scratch& scratch) {
  const int64_t width = layer.window.out_width;
  auto* const bytes = reinterpret_cast<uint8_t*>(scratch.words);
  for (int64_t sample = tile.sample_begin; sample < tile.sample_end; ++sample) {
    gather_steps(layer, plan, sample, bytes);
    for (int64_t block = tile.block_begin; block < tile.block_end; ++block)
      for (int64_t y = tile.row_begin; y < tile.row_end; ++y) {
        sum_row(layer, plan, y, block, bytes, scratch.sums);
        for (int64_t x = 0; x < width; ++x) {
          const int32_t* const own = scratch.sums + x * layer.steps * kSpikeBlock;
          run_place(layer, {sample, y * width + x, block},
                    [own](int64_t t) { return Whole::floats_of(own + t * kSpikeBlock); });
        }
      }
  }
}
