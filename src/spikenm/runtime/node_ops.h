// What nodes that are no layer compute, in plain loops. Values are [steps, pixels, channels] of one
// sample; a row is one pixel.
#pragma once

#include "spikenm/runtime/program.h"

#include <span>

namespace spikenm::runtime {

// The values of a node as floats. Of one step that lasts, `steps` is 1.
struct RealView {
  float* data = nullptr;
  int64_t steps = 1, pixels = 1, channels = 1;

  [[nodiscard]] int64_t size() const { return pixels * channels; }  // of a step
  [[nodiscard]] float* at(int64_t step) const { return data + (steps == 1 ? 0 : step * size()); }
};

// Spikes [steps, pixels, words] of one sample.
struct BitsView {
  uint64_t* data = nullptr;
  int64_t steps = 1, pixels = 1, channels = 1;

  [[nodiscard]] int64_t words() const { return kernels::spike_words(channels); }
  [[nodiscard]] uint64_t* at(int64_t step, int64_t pixel) const {
    return data + (step * pixels + pixel) * words();
  }
  // One step of it.
  [[nodiscard]] BitsView step(int64_t t) const { return {at(t, 0), 1, pixels, channels}; }
};

// Most planes that an average pool counts with.
constexpr int64_t kMostPlanes = 8;

// [frames, C, H, W] -> [frames, pixels, C].
void channels_last(const float* frames, RealView out);

void apply_norm(const FoldedNorm& norm, RealView in, RealView out);
void apply_pool(const graph::Pool& pool, const graph::Shape& map, RealView in, RealView out);
// A largest spike is 1 where any of the window is.
void apply_pool_bits(const graph::Pool& pool, const graph::Shape& map, BitsView in, BitsView out);
// planes[p] holds bit p of the number of spikes in the window.
void apply_pool_planes(const graph::Pool& pool, const graph::Shape& map, BitsView in,
                       std::span<const BitsView> planes);
void apply_sum(std::span<const RealView> inputs, RealView out);
void apply_flatten(RealView in, RealView out);
void apply_mean(RealView in, RealView out);
void apply_vote(int64_t voters, RealView in, RealView out);

// `maps` are those of the sources, and `sources.maps` has their planes.
void apply_expand(const Sources& sources, std::span<const BitsView> maps, RealView out);

// `state` is [pixels, channels] for each state variable of the neuron: read and written.
void apply_neurons(const graph::NeuronParams& params, RealView in, const uint8_t* mask,
                   float* state, BitsView out);
void begin_neurons(const graph::NeuronParams& params, std::span<float> state);

}  // namespace spikenm::runtime
