#include "spikenm/kernels/nm_sample.h"

#include "spikenm/kernels/math/straight_through.h"

namespace spikenm::kernels {

void gumbel_fill_ref(const GumbelFill& a) {
  for (int64_t i = 0; i < a.n; ++i) {
    const auto words = philox<uint32_t>(a.seed, a.stream, a.step, a.index_low[i], a.index_high[i]);
    for (int w = 0; w < 4; ++w) a.out[w * a.n + i] = gumbel<float>(words.word[w]);
  }
}

void nm_draw_ref(const DrawInputs<float>& in, uint8_t* draws) {
  const int32_t m = in.layout.m;
  float values[nm::NmPattern::kMaxM];
  for (int64_t b = 0; b < in.layout.n_blocks; ++b) {
    load_block_values<AnyBlock>(in, b, values);
    draw_block<AnyBlock>(
        in, values, in.replace, in.noise,
        [&](int32_t k, int32_t s) { return gumbel_at(in.seed, in.stream, in.step, b, k, s, m); },
        draws + b * in.n_draws);
  }
}

template <class T>
void nm_straight_through_ref(const StraightThrough<T>& args) {
  const DrawInputs<T>& in = args.draw;
  for (int64_t b = 0; b < in.layout.n_blocks; ++b) {
    straight_through_block<AnyBlock>(args, b, [&](int32_t k, int32_t s) {
      return gumbel_at(in.seed, in.stream, in.step, b, k, s, in.layout.m);
    });
  }
}

template void nm_straight_through_ref(const StraightThrough<float>&);
template void nm_straight_through_ref(const StraightThrough<double>&);

}  // namespace spikenm::kernels
