#include "spikenm/kernels/cpu/spike_layer.h"

#include "spikenm/core/parallel.h"

#include <algorithm>
#include <atomic>

namespace spikenm::kernels {
namespace {

// How a layer is cut: by rows of pixels, or, with one pixel, by blocks of outputs. A linear layer's
// rows do not fit a cache, so one tile reads them for all samples.
struct Cut {
  int64_t rows = 1, blocks = 1, samples = 1;  // of a tile
  int64_t row_tiles = 1, block_tiles = 1, sample_tiles = 1;

  explicit Cut(const SpikeLayer& layer) {
    const int64_t height = layer.window.out_height;
    const bool one_pixel = layer.window.pixels() == 1;
    rows = std::clamp<int64_t>((height + 3) / 4, 1, 8);
    blocks = one_pixel ? std::min<int64_t>(layer.blocks(), 4) : layer.blocks();
    samples = one_pixel ? layer.samples : 1;
    row_tiles = (height + rows - 1) / rows;
    block_tiles = (layer.blocks() + blocks - 1) / blocks;
    sample_tiles = (layer.samples + samples - 1) / std::max<int64_t>(samples, 1);
  }
  [[nodiscard]] int64_t tiles() const { return row_tiles * block_tiles * sample_tiles; }
  [[nodiscard]] LayerTile tile(const SpikeLayer& layer, int64_t index) const {
    const int64_t row = index % row_tiles * rows;
    const int64_t block = index / row_tiles % block_tiles * blocks;
    const int64_t sample = index / (row_tiles * block_tiles) * samples;
    return {sample, std::min(layer.samples, sample + samples),
            row,    std::min(layer.window.out_height, row + rows),
            block,  std::min(layer.blocks(), block + blocks)};
  }
};

// The tiles of one call; lanes take them one by one, each with its own scratch.
struct Work {
  const SpikeLayer& layer;
  Cut cut;
  SpikeTile run;
  std::byte* scratch;
  size_t lane_bytes;
  std::atomic<int64_t> next = 0;

  void lane(int64_t index) {
    for (int64_t tile = next++; tile < cut.tiles(); tile = next++)
      run(layer, cut.tile(layer, tile), scratch + static_cast<size_t>(index) * lane_bytes);
  }
};

void run_plain(const SpikeLayer& layer, const LayerTile& tile, std::byte*) {
  spike_layer_ref(layer, tile);
}

SpikeTile tile_at([[maybe_unused]] Isa isa) {
  return run_plain;
}

size_t lane_bytes(const SpikeLayer& layer) {
  const size_t bytes = spike_tile_scratch(layer, Cut(layer).tile(layer, 0));
  return (bytes + 4095) / 4096 * 4096;
}

}  // namespace

size_t spike_tile_scratch(const SpikeLayer&, const LayerTile&) {
  return 0;
}

size_t spike_layer_scratch(const SpikeLayer& layer, int lanes) {
  return lane_bytes(layer) * static_cast<size_t>(std::max(lanes, 1));
}

void spike_layer_cpu(const SpikeLayer& layer, std::byte* scratch, int lanes, Isa isa) {
  if (layer.samples == 0) return;
  Work work{layer, Cut(layer), tile_at(isa), scratch, lane_bytes(layer)};
  Work* const shared = &work;  // one pointer: the loop's body then needs no memory of its own
  parallel_for(std::min<int64_t>(lanes, work.cut.tiles()), 1,
               [shared](int64_t begin, int64_t) { shared->lane(begin); });
}

}  // namespace spikenm::kernels
