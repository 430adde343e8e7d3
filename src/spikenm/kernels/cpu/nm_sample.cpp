#include "spikenm/kernels/nm_sample.h"

#include "spikenm/core/parallel.h"
#include "spikenm/kernels/cpu/noise_table.h"
#include "spikenm/kernels/math/straight_through.h"

namespace spikenm::kernels {

void nm_draw_cpu(const DrawInputs<float>& in, uint8_t* draws, Isa isa) {
  const CpuKernels& kernels = cpu_kernels(isa);
  parallel_for(
      in.layout.n_blocks, NoiseTable::blocks_per_chunk(in), [&](int64_t begin, int64_t end) {
        const NoiseTable noise(in, begin, end, kernels);
        float values[nm::NmPattern::kMaxM];
        for (int64_t b = begin; b < end; ++b) {
          load_block_values<AnyBlock>(in, b, values);
          draw_block<AnyBlock>(
              in, values, in.replace, in.noise,
              [&](int32_t k, int32_t s) { return noise.at(b, k, s); }, draws + b * in.n_draws);
        }
      });
}

void nm_straight_through_cpu(const StraightThrough<float>& args, Isa isa) {
  const DrawInputs<float>& in = args.draw;
  const CpuKernels& kernels = cpu_kernels(isa);
  parallel_for(in.layout.n_blocks, NoiseTable::blocks_per_chunk(in),
               [&](int64_t begin, int64_t end) {
                 const NoiseTable noise(in, begin, end, kernels);
                 for (int64_t b = begin; b < end; ++b) {
                   straight_through_block<AnyBlock>(
                       args, b, [&](int32_t k, int32_t s) { return noise.at(b, k, s); });
                 }
               });
}

}  // namespace spikenm::kernels
