#include "spikenm/data/transforms/mix.h"

#include "spikenm/core/error.h"
#include "spikenm/core/random.h"

#include <cmath>
#include <numbers>
#include <numeric>

namespace spikenm::data {
namespace {

// The random numbers of one batch, in the order of the calls.
class BatchDraws {
 public:
  BatchDraws(uint64_t seed, int64_t epoch, int64_t batch)
      : random_(seed, random_stream(RandomUse::kMix), static_cast<uint32_t>(epoch)),
        next_(static_cast<uint64_t>(batch) << 32) {}

  double uniform() { return random_.uniform(next_++); }
  int64_t below(int64_t n) { return random_.below(next_++, static_cast<uint32_t>(n)); }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  RandomAddress random_;
  uint64_t next_;
};

// The logarithm of a Gamma(alpha) variate: one of Gamma(alpha + 1) [Marsaglia00] times
// U^(1/alpha), which is too small for a double when alpha is small.
double log_gamma_variate(BatchDraws& draws, double alpha) {
  const double d = alpha + 1 - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = draws.normal(), root = 1 + c * x, v = root * root * root;
    const double log_u = std::log(draws.uniform());
    if (root > 0 && log_u < 0.5 * x * x + d - d * v + d * std::log(v))
      return std::log(d * v) + std::log(draws.uniform()) / alpha;
  }
}

double beta_variate(BatchDraws& draws, double alpha) {
  const double first = log_gamma_variate(draws, alpha);
  return 1 / (1 + std::exp(log_gamma_variate(draws, alpha) - first));
}

// A box with the plane's proportions around any pixel, cut at the border; `share` is set from its
// area.
void draw_box(BatchDraws& draws, const SampleShape& shape, Mix& mix) {
  const double half = 0.5 * std::sqrt(1 - mix.share);
  const auto range = [&](int64_t n, int32_t& begin, int32_t& end) {
    const int64_t centre = draws.below(n);
    const auto reach = static_cast<int64_t>(half * static_cast<double>(n));
    begin = static_cast<int32_t>(std::max<int64_t>(0, centre - reach));
    end = static_cast<int32_t>(std::min(n, centre + reach));
  };

  Box& box = mix.box;
  mix.boxed = true;
  range(shape.height, box.top, box.bottom);
  range(shape.width, box.left, box.right);
  const int64_t area = int64_t{box.bottom - box.top} * (box.right - box.left);
  mix.share = 1 - static_cast<double>(area) / static_cast<double>(shape.plane());
}

void check_alpha(double alpha, const char* name) {
  // Below 1e-6 a share is almost always 0 or 1, above 1e6 it is always about a half.
  SPIKENM_CHECK(alpha == 0 || (alpha >= 1e-6 && alpha <= 1e6),
                "{}: found alpha {}, wanted 0 or a number from 1e-6 to 1e6", name, alpha);
}

}  // namespace

MixEdit Mix::edit() const {
  return {.share = static_cast<float>(share),
          .rest = static_cast<float>(1 - share),
          .boxed = boxed,
          .box = box};
}

Mix draw_mix(const MixOptions& options, const SampleShape& shape, int64_t B, uint64_t seed,
             int64_t epoch, int64_t batch) {
  check_alpha(options.mixup_alpha, "mixup");
  check_alpha(options.cutmix_alpha, "cutmix");
  Mix mix;
  if (options.mixup_alpha == 0 && options.cutmix_alpha == 0) return mix;

  BatchDraws draws(seed, epoch, batch);
  const bool either = options.mixup_alpha > 0 && options.cutmix_alpha > 0;
  const bool cut = either ? draws.below(2) == 1 : options.cutmix_alpha > 0;
  mix.share = beta_variate(draws, cut ? options.cutmix_alpha : options.mixup_alpha);
  if (cut) draw_box(draws, shape, mix);

  mix.partner.resize(static_cast<size_t>(B));
  std::iota(mix.partner.begin(), mix.partner.end(), int64_t{0});
  for (int64_t i = B; i > 1; --i)
    std::swap(mix.partner[static_cast<size_t>(i - 1)],
              mix.partner[static_cast<size_t>(draws.below(i))]);
  return mix;
}

void apply_mix(const Mix& mix, const SampleShape& shape, int64_t B, const float* in, float* out) {
  const auto [T, C, H, W] = shape;
  const int64_t frame = C * H * W;
  if (mix.partner.empty()) {
    std::copy(in, in + T * B * frame, out);
    return;
  }
  SPIKENM_ASSERT(static_cast<int64_t>(mix.partner.size()) == B);

  const MixEdit edit = mix.edit();
  const Box& box = edit.box;
  for (int64_t i = 0; i < T * B; ++i) {
    const float* const own = in + i * frame;
    const float* const other = in + (i - i % B + mix.partner[static_cast<size_t>(i % B)]) * frame;
    float* const to = out + i * frame;
    if (!edit.boxed) {
      for (int64_t k = 0; k < frame; ++k) to[k] = edit.blend(own[k], other[k]);
      continue;
    }

    std::copy(own, own + frame, to);
    for (int64_t c = 0; c < C; ++c)
      for (int64_t row = c * H + box.top; row < c * H + box.bottom; ++row)
        std::copy(other + row * W + box.left, other + row * W + box.right, to + row * W + box.left);
  }
}

}  // namespace spikenm::data
