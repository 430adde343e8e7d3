#include "spikenm/runtime/node_ops.h"

#include "spikenm/kernels/math/neuron_step.h"
#include "spikenm/kernels/math/steps/all.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace spikenm::runtime {
namespace {

template <class StepRule>
void fire(const graph::NeuronParams& params, RealView in, const uint8_t* mask, float* state,
          BitsView out) {
  const auto constants = kernels::neuron_constants<float, float>(params);
  float* const membrane = state;
  float* const currents = StepRule::kStates > 1 ? state + in.size() : nullptr;
  std::fill_n(out.data, out.steps * out.pixels * out.words(), 0);
  for (int64_t pixel = 0; pixel < out.pixels; ++pixel)
    for (int64_t c = 0; c < out.channels; ++c) {
      const int64_t i = pixel * out.channels + c;
      const bool alive = mask == nullptr || mask[c * out.pixels + pixel] != 0;
      float current = currents == nullptr ? 0 : currents[i];
      for (int64_t t = 0; t < out.steps; ++t) {
        float h, spike;
        const float x = kernels::charging_input<StepRule>(constants, in.at(t)[i], current);
        kernels::neuron_forward_step<StepRule>(constants, params.soft_reset, x, membrane[i], h,
                                               spike);
        if (spike != 0 && alive) out.at(t, pixel)[c / 64] |= uint64_t{1} << c % 64;
      }
      if (currents != nullptr) currents[i] = current;
    }
}

// Calls window(places of the input's pixels) for each pixel of the pool's output.
template <class Window>
void each_window(const graph::Pool& pool, const graph::Shape& map, const Window& window) {
  int64_t place = 0;
  for (int64_t y = 0; y < pool.out(map.height); ++y)
    for (int64_t x = 0; x < pool.out(map.width); ++x, ++place)
      window(place, pool.inputs(y, map.height), pool.inputs(x, map.width));
}

// Windows of 2x2, the usual ones: four words become three planes without a loop, 64 channels at once.
//
//   spikes of a window      count   = fours twos ones        channel   0 1 2 3 …
//     a b                 a+b+c+d                             a        1 1 0 1
//     c d                                                     b        0 1 0 1
//                                                             c        1 0 0 1
//   a + b = two one,   c + d = too other                      d        0 1 0 1
//   ones  = one ^ other                                       ones     0 1 0 0
//   twos  = two ^ too ^ (one & other)                         twos     1 1 0 0
//   fours = two & too                                         fours    0 0 0 1     counts 2 3 0 4
void count_pairs(const graph::Pool& pool, const graph::Shape& map, BitsView in,
                 std::span<const BitsView> planes) {
  const int64_t words = in.words(), below = map.width * words;
  const int64_t height = pool.out(map.height), width = pool.out(map.width);
  for (int64_t t = 0; t < in.steps; ++t)
    for (int64_t y = 0; y < height; ++y) {
      const int64_t top = pool.inputs(y, map.height).begin;
      uint64_t* const ones = planes[0].at(t, y * width);
      uint64_t* const twos = planes[1].at(t, y * width);
      uint64_t* const fours = planes[2].at(t, y * width);
      for (int64_t x = 0; x < width; ++x) {
        const uint64_t* const from = in.at(t, top * map.width + pool.inputs(x, map.width).begin);
        for (int64_t w = 0; w < words; ++w) {
          const uint64_t a = from[w], b = from[words + w];
          const uint64_t c = from[below + w], d = from[below + words + w];
          const uint64_t one = a ^ b, other = c ^ d, two = a & b, too = c & d;
          const uint64_t carry = one & other;
          ones[x * words + w] = one ^ other;
          twos[x * words + w] = two ^ too ^ carry;
          fours[x * words + w] = two & too;  // a carry needs a window with fewer
        }
      }
    }
}

}  // namespace

void channels_last(const float* frames, RealView out) {
  for (int64_t t = 0; t < out.steps; ++t)
    for (int64_t p = 0; p < out.pixels; ++p)
      for (int64_t c = 0; c < out.channels; ++c)
        out.data[t * out.size() + p * out.channels + c] =
            frames[t * out.size() + c * out.pixels + p];
}

void apply_norm(const FoldedNorm& norm, RealView in, RealView out) {
  for (int64_t i = 0; i < out.steps * out.size(); ++i) {
    const auto c = static_cast<size_t>(i % out.channels);
    out.data[i] = norm.scale[c] * in.data[i] + norm.shift[c];
  }
}

void apply_pool(const graph::Pool& pool, const graph::Shape& map, RealView in, RealView out) {
  const bool is_max = pool.kind == graph::PoolKind::kMax;
  const auto share = 1.0f / static_cast<float>(pool.size * pool.size);
  for (int64_t t = 0; t < out.steps; ++t)
    each_window(pool, map, [&](int64_t place, graph::AxisRange rows, graph::AxisRange columns) {
      for (int64_t c = 0; c < out.channels; ++c) {
        float found = is_max ? -std::numeric_limits<float>::infinity() : 0;
        for (int64_t y = rows.begin; y < rows.end; ++y)
          for (int64_t x = columns.begin; x < columns.end; ++x) {
            const float value = in.at(t)[(y * map.width + x) * in.channels + c];
            found = is_max ? std::max(found, value) : found + value;
          }
        out.at(t)[place * out.channels + c] = is_max ? found : found * share;
      }
    });
}

// A neuron of the window fires where any bit of its channel is set: 64 channels by one | a place.
//
//   words of the window           a 0100…   b 0001…        rows outside the map are not read:
//   (2x2, channels 0 1 2 3 …)     c 0000…   d 0101…        they hold no spikes
//   word of the output            a | b | c | d = 0101…
void apply_pool_bits(const graph::Pool& pool, const graph::Shape& map, BitsView in, BitsView out) {
  for (int64_t t = 0; t < out.steps; ++t)
    each_window(pool, map, [&](int64_t place, graph::AxisRange rows, graph::AxisRange columns) {
      for (int64_t w = 0; w < out.words(); ++w) {
        uint64_t any = 0;
        for (int64_t y = rows.begin; y < rows.end; ++y)
          for (int64_t x = columns.begin; x < columns.end; ++x)
            any |= in.at(t, y * map.width + x)[w];
        out.at(t, place)[w] = any;
      }
    });
}

// Windows of any size: the words of a window are added one by one to counts of 64 channels, which are kept
// bit by bit. A carry goes up the planes as it does when numbers are added by hand.
//
//   channel          0 1 2 3 …              carry = word
//   plane 0 (ones)   1 0 1 0                for each plane:   plane, carry = plane ^ carry, plane & carry
//   plane 1 (twos)   0 1 1 0
//   + word           1 0 1 1
//   plane 0          0 0 0 1                counts  1 2 3 0  +  1 0 1 1  =  2 2 4 1
//   plane 1          1 1 0 0
//   plane 2          0 0 1 0
void apply_pool_planes(const graph::Pool& pool, const graph::Shape& map, BitsView in,
                       std::span<const BitsView> planes) {
  const size_t count = planes.size();
  const int64_t words = in.words();
  if (pool.size == 2 && count == 3) return count_pairs(pool, map, in, planes);
  for (int64_t t = 0; t < in.steps; ++t)
    each_window(pool, map, [&](int64_t place, graph::AxisRange rows, graph::AxisRange columns) {
      for (int64_t w = 0; w < words; ++w) {
        uint64_t counts[kMostPlanes] = {};  // 64 numbers, bit by bit
        for (int64_t y = rows.begin; y < rows.end; ++y)
          for (int64_t x = columns.begin; x < columns.end; ++x) {
            uint64_t carry = in.at(t, y * map.width + x)[w];
            for (size_t p = 0; p < count; ++p) {
              const uint64_t sum = counts[p] ^ carry;
              carry &= counts[p];
              counts[p] = sum;
            }
          }
        for (size_t p = 0; p < count; ++p) planes[p].at(t, place)[w] = counts[p];
      }
    });
}

void apply_sum(std::span<const RealView> inputs, RealView out) {
  for (int64_t t = 0; t < out.steps; ++t)
    for (int64_t i = 0; i < out.size(); ++i) {
      float total = 0;
      for (const RealView& in : inputs) total += in.at(t)[i];
      out.at(t)[i] = total;
    }
}

void apply_flatten(RealView in, RealView out) {
  for (int64_t t = 0; t < out.steps; ++t)
    for (int64_t p = 0; p < in.pixels; ++p)
      for (int64_t c = 0; c < in.channels; ++c)
        out.at(t)[c * in.pixels + p] = in.at(t)[p * in.channels + c];
}

void apply_mean(RealView in, RealView out) {
  for (int64_t t = 0; t < out.steps; ++t)
    for (int64_t c = 0; c < in.channels; ++c) {
      double total = 0;
      for (int64_t p = 0; p < in.pixels; ++p) total += in.at(t)[p * in.channels + c];
      out.at(t)[c] = static_cast<float>(total / static_cast<double>(in.pixels));
    }
}

void apply_vote(int64_t voters, RealView in, RealView out) {
  for (int64_t t = 0; t < out.steps; ++t)
    for (int64_t k = 0; k < out.channels; ++k) {
      float total = 0;
      for (int64_t i = 0; i < voters; ++i) total += in.at(t)[k * voters + i];
      out.at(t)[k] = total / static_cast<float>(voters);
    }
}

// Spikes as numbers: every source of a pixel adds 2^plane to the channels whose bits are set, and sums are
// then brought to what a spike counts.
//
//   pixel p of an average pool over 2x2 (unit 1/4), channels 0 1 2 3
//     plane 0   1 0 1 0
//     plane 1   0 1 1 0        counts 1 2 3 0   ->   values 0.25 0.5 0.75 0
void apply_expand(const Sources& sources, std::span<const BitsView> maps, RealView out) {
  const int64_t pixels = sources.height * sources.width;
  const auto unit = static_cast<float>(sources.unit);
  std::fill_n(out.data, out.steps * out.size(), 0.0f);
  for (int64_t t = 0; t < out.steps; ++t)
    for (int64_t p = 0; p < pixels; ++p) {
      const auto place = [&](int64_t c) -> float& {
        return out.at(t)[sources.flattened ? c * pixels + p : p * sources.channels + c];
      };
      const auto at = static_cast<size_t>(p);
      for (int32_t s = sources.begin[at]; s < sources.begin[at + 1]; ++s) {
        const kernels::SpikeSource& source = sources.list[static_cast<size_t>(s)];
        const BitsView& map = maps[static_cast<size_t>(source.map)];
        const auto count =
            static_cast<float>(int64_t{1} << sources.maps[static_cast<size_t>(source.map)].plane);
        for (int64_t w = 0; w < map.words(); ++w)
          for (uint64_t rest = map.at(t, source.pixel)[w]; rest != 0; rest &= rest - 1)
            place(w * 64 + std::countr_zero(rest)) += count;
      }
      if (unit != 1)
        for (int64_t c = 0; c < sources.channels; ++c) place(c) *= unit;
    }
}

void apply_neurons(const graph::NeuronParams& params, RealView in, const uint8_t* mask,
                   float* state, BitsView out) {
  switch (params.neuron) {
#define SPIKENM_NEURON(name, step, ...) \
  case graph::NeuronKind::name:         \
    return fire<kernels::step>(params, in, mask, state, out);
#include "spikenm/graph/neurons.inc"
#undef SPIKENM_NEURON
  }
}

void begin_neurons(const graph::NeuronParams& params, std::span<float> state) {
  const auto neurons =
      static_cast<std::ptrdiff_t>(state.size()) / graph::traits_of(params.neuron).states;
  std::fill(state.begin(), state.begin() + neurons,
            params.soft_reset ? 0.0f : static_cast<float>(params.v_reset));
  std::fill(state.begin() + neurons, state.end(), 0.0f);  // currents
}

}  // namespace spikenm::runtime
