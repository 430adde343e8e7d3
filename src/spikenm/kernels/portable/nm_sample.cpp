#include "spikenm/kernels/nm_sample.h"

#include "spikenm/core/parallel.h"
#include "spikenm/kernels/math/distill.h"

#include <cstring>
#include <vector>

namespace spikenm::kernels {
namespace {

using nm::BlockLayout;
using nm::NmPattern;

constexpr int64_t kBlocksPerChunk = 1024;

}  // namespace

void nm_top_n(const DrawInputs<float>& in, uint8_t* draws) {
  parallel_for(in.layout.n_blocks, kBlocksPerChunk, [&](int64_t begin, int64_t end) {
    float values[NmPattern::kMaxM];
    for (int64_t b = begin; b < end; ++b) {
      load_block_values<AnyBlock>(in, b, values);
      draw_block<AnyBlock>(
          in, values, /*replace=*/false, 0.0f, [](int32_t, int32_t) { return 0.0f; },
          draws + b * in.n_draws);
    }
  });
}

void nm_mask(const BlockLayout& layout, int32_t n_draws, const uint8_t* draws, uint8_t* keep) {
  std::memset(keep, 1, static_cast<size_t>(layout.numel));
  parallel_for(layout.n_blocks, kBlocksPerChunk, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      uint64_t bits = 0;
      for (int32_t k = 0; k < n_draws; ++k) bits |= uint64_t{1} << draws[b * n_draws + k];
      const int64_t start = layout.start(b);
      for (int32_t i = 0; i < layout.members_of(b); ++i)
        for (int32_t s = 0; s < layout.m; ++s)
          keep[start + layout.member(i) + s * layout.position_stride] = bits >> s & 1;
    }
  });
}

template <class T>
DistillSums nm_distill(const Distillation<T>& args) {
  const int64_t n = args.draw.layout.n_blocks;
  std::vector<DistillSums> parts(static_cast<size_t>((n + kBlocksPerChunk - 1) / kBlocksPerChunk));
  parallel_for(n, kBlocksPerChunk, [&](int64_t begin, int64_t end) {
    DistillSums& part = parts[static_cast<size_t>(begin / kBlocksPerChunk)];
    for (int64_t b = begin; b < end; ++b) {
      const DistillSums block = distill_block<AnyBlock>(args, b);
      part.kl += block.kl;
      part.squared_norm += block.squared_norm;
    }
  });

  DistillSums sums;
  for (const DistillSums& part : parts) {
    sums.kl += part.kl;
    sums.squared_norm += part.squared_norm;
  }
  return sums;
}

template DistillSums nm_distill(const Distillation<float>&);
template DistillSums nm_distill(const Distillation<double>&);

}  // namespace spikenm::kernels
