// exp(a) for a <= 0 over the includer's vector type F: 2^n * p(r), r = a - n ln 2, |r| <= ln2/2,
// with a degree-6 Taylor polynomial (error below 3e-8). From -87 down the result is 0: otherwise a
// membrane of 1e38 would give a visible gradient of 1e-38. NaN stays NaN.
SPIKENM_HD F exp_nonpositive(F a) {
  const F lowest(-87.0);
  const F clamped = larger(lowest, a);
  const U n = round_to_int(clamped * F(1.44269504088896341));
  const F n_value = to_value(n);
  const F r = fused(n_value, F(-1.42860682e-6), fused(n_value, F(-0.693145751953125), clamped));

  F p = fused(r, F(1.0 / 720), F(1.0 / 120));
  p = fused(p, r, F(1.0 / 24));
  p = fused(p, r, F(1.0 / 6));
  p = fused(p, r, F(0.5));
  p = fused(p, r, F(1.0));
  p = fused(p, r, F(1.0));

  return select(at_least(lowest, a), F(0.0), from_bits(bits_of(p) + shift_left_23(n)));
}
