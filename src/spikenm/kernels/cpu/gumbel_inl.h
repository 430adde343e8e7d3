// Gumbel noise over the includer's vector types F and U: lanes are separate counters.
void gumbel_fill(const GumbelFill& a) {
  int64_t i = 0;
  for (; i + U::kLanes <= a.n; i += U::kLanes) {
    const auto words =
        philox<U>(a.seed, a.stream, a.step, U::load(a.index_low + i), U::load(a.index_high + i));
    for (int w = 0; w < 4; ++w) gumbel<F>(words.word[w]).store(a.out + w * a.n + i, F::kLanes);
  }
  for (; i < a.n; ++i) {
    const auto words = philox<uint32_t>(a.seed, a.stream, a.step, a.index_low[i], a.index_high[i]);
    for (int w = 0; w < 4; ++w) a.out[w * a.n + i] = gumbel<float>(words.word[w]);
  }
}
