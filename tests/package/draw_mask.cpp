// The torch-free part, from outside: draw a 2:4 mask, check it, pack a weight under it.
#include "spikenm/kernels/nm_sample.h"
#include "spikenm/nm/packed_matrix.h"

#include <cstdio>
#include <vector>

int main() {
  namespace nm = spikenm::nm;
  const nm::NmPattern pattern = nm::NmPattern::parse("2:4", "pattern");
  const nm::BlockLayout layout = nm::make_layout({8, 16, 3, 3}, pattern, nm::Axis::kIn, "weight");
  const std::vector<float> logits(static_cast<size_t>(layout.n_blocks * layout.m));
  std::vector<uint8_t> draws(static_cast<size_t>(layout.n_blocks * pattern.n));
  spikenm::kernels::nm_draw_cpu(
      {.layout = layout, .logits = logits.data(), .n_draws = 2, .seed = 1}, draws.data());
  nm::Mask mask{.kind = nm::Mask::Kind::kNm,
                .pattern = pattern,
                .layout = layout,
                .keep = std::vector<uint8_t>(static_cast<size_t>(layout.numel))};
  spikenm::kernels::nm_mask(layout, pattern.n, draws.data(), mask.keep.data());
  const std::vector<float> weight(static_cast<size_t>(layout.numel), 1.0f);
  const nm::PackedMatrix packed = nm::pack(weight, mask);
  std::printf("%lld of %lld weights kept\n", static_cast<long long>(mask.kept()),
              static_cast<long long>(layout.numel));
  return nm::audit(mask).valid() && nm::unpack(packed).size() == weight.size() ? 0 : 1;
}
