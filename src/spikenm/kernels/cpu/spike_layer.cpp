#include "spikenm/kernels/cpu/spike_layer.h"

#include "spikenm/core/parallel.h"

#include <algorithm>
#include <atomic>
#include <bit>

namespace spikenm::kernels {
namespace {

// Bytes of the rows of one block that every pixel may read.
int64_t block_bytes(const SpikeLayer& layer) {
  if (layer.rows.form != RowForm::kEvents)
    return layer.window.taps() * layer.input.words() * kSpikeBlock * kSpikeBlock;
  return layer.rows.rows_of[0] * kSpikeBlock *
         static_cast<int64_t>(layer.rows.int8 ? sizeof(int8_t) : sizeof(float));
}

// Whether the rows of all blocks are too many to stay in a core's own cache.
bool reads_far_rows(const SpikeLayer& layer) {
  constexpr int64_t kOwnCache = 700 << 10;
  return block_bytes(layer) * layer.blocks() > kOwnCache;
}

// How a layer is cut: by rows of pixels, and, where a map is small and its rows of weights are many,
// by blocks of outputs. A linear layer's rows do not fit a cache, so one tile reads them for all
// samples.
struct Cut {
  int64_t rows = 1, blocks = 1, samples = 1;  // of a tile
  int64_t row_tiles = 1, block_tiles = 1, sample_tiles = 1;

  explicit Cut(const SpikeLayer& layer) {
    const int64_t height = layer.window.out_height, pixels = layer.window.pixels();
    const bool one_pixel = pixels == 1;
    const bool by_blocks =
        one_pixel || (pixels <= kMostPixelsAtOnce && reads_far_rows(layer) && layer.blocks() > 4);
    rows = by_blocks ? height : std::clamp<int64_t>((height + 3) / 4, 1, 8);
    blocks = by_blocks ? std::min<int64_t>(layer.blocks(), 4) : layer.blocks();
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
  SpikeTile run;  // null: plain loops
  std::byte* scratch;
  size_t lane_bytes;
  bool many;
  std::atomic<int64_t> next = 0;

  void lane(int64_t index) {
    std::byte* const own = scratch + static_cast<size_t>(index) * lane_bytes;
    for (int64_t i = next++; i < cut.tiles(); i = next++) {
      const LayerTile tile = cut.tile(layer, i);
      if (run == nullptr) {
        spike_layer_ref(layer, tile);
        continue;
      }
      ListPlan plan = plan_lists(layer, tile);
      plan.many = many;
      run(layer, tile, plan, own);
    }
  }
};

// Whether the vector forms can hold the window and number the rows.
bool fits_vectors(const SpikeLayer& layer) {
  constexpr int64_t kMostTaps = 1024;  // spike_layer_inl.h
  if (layer.window.taps() > kMostTaps) return false;
  return layer.input.values != nullptr || layer.rows.form != RowForm::kEvents ||
         layer.rows.rows_of[0] <= kMostListedRows;
}

SpikeTile tile_at([[maybe_unused]] Isa isa) {
#if defined(SPIKENM_X86)
  static const bool avx2 = __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
  static const bool avx512 = avx2 && __builtin_cpu_supports("avx512vbmi") &&
                             __builtin_cpu_supports("avx512vbmi2") &&
                             __builtin_cpu_supports("avx512vnni");
  if (isa == Isa::kAvx512 && avx512) return spike_tile_avx512;
  if (isa != Isa::kRef && avx2) return spike_tile_avx2;
#endif
  return nullptr;
}

size_t lane_bytes(const SpikeLayer& layer) {
  return plan_lists(layer, Cut(layer).tile(layer, 0)).bytes;
}

// A linear layer whose lists are in order is read in chunks.
bool reads_in_chunks(const SpikeLayer& layer) {
  return layer.rows.form == RowForm::kEvents && layer.window.pixels() == 1 && layer.rows.int8 &&
         layer.rows.keep == nullptr && layer.input.most_sources == 1 &&
         layer.rows.rows_of[0] > 2 * kRowsAtOnce;
}

// Whether the words of the first source hold more than 9 spikes on average, by a few of them. It
// changes how lists are written, not what is in them.
bool has_many_spikes(const SpikeLayer& layer) {
  constexpr int64_t kLooks = 256, kMany = 9;
  const LayerInput& in = layer.input;
  if (in.regular == nullptr) return false;
  const int32_t map = in.regular[0].map;
  const int64_t words = layer.samples * layer.steps * in.map_pixels[map] * in.words();
  const int64_t apart = words / kLooks + 1;
  int64_t looks = 0, spikes = 0;
  for (int64_t i = 0; i < words; i += apart, ++looks) spikes += std::popcount(in.maps[map][i]);
  return spikes > kMany * looks;
}

// Gives parts of a scratch their places, one after the other.
struct Layout {
  size_t at = 0;
  size_t take(int64_t count, size_t item) {
    const size_t begin = at;
    at += (static_cast<size_t>(count) * item + 63) / 64 * 64;
    return begin;
  }
};

}  // namespace

ListPlan plan_lists(const SpikeLayer& layer, const LayerTile& tile) {
  const LayerInput& in = layer.input;
  const LayerWindow& w = layer.window;
  ListPlan plan;
  plan.most_sources = in.most_sources;
  plan.input_row_begin = std::max<int64_t>(0, tile.row_begin * w.stride - w.padding);
  const int64_t end =
      std::min(in.height, (tile.row_end - 1) * w.stride - w.padding + w.kernel_height);
  plan.input_rows = std::max<int64_t>(0, end - plan.input_row_begin);

  // Tiles inside the map read more rows than the first one.
  const int64_t most_rows = std::min(in.height, (Cut(layer).rows - 1) * w.stride + w.kernel_height);
  Layout layout;
  if (in.values != nullptr) {
    plan.mark_bytes = (in.width * in.channels + 7) / 8 + 8;
    const int64_t words = (in.input_steps * most_rows * plan.mark_bytes + 7) / 8;
    plan.words = layout.take(words, sizeof(uint64_t));
    plan.bytes = (layout.at + 4095) / 4096 * 4096;
    return plan;
  }

  if (layer.rows.form != RowForm::kEvents) {
    plan.words = layout.take(most_rows * in.width * layer.steps * in.words(), kSpikeBlock);
    plan.sums = layout.take(layer.steps * kSpikeBlock, sizeof(int32_t));
    plan.bytes = (layout.at + 4095) / 4096 * 4096;
    return plan;
  }

  const bool packs = layer.rows.keep != nullptr;
  plan.planes = in.planes;
  if (reads_in_chunks(layer)) plan.chunks = (layer.rows.rows_of[0] + kRowsAtOnce - 1) / kRowsAtOnce;
  if (plan.chunks == 1 && !packs && reads_far_rows(layer)) plan.pixels_at_once = kMostPixelsAtOnce;
  int64_t rows = 0;
  for (int64_t b = 0; b < layer.blocks(); ++b)
    rows = std::max<int64_t>(rows, layer.rows.rows_of[b]);
  plan.list_room = (rows * in.most_sources + 8 * plan.planes + kListSlack + 31) / 32 * 32;
  const int64_t long_lists = layer.steps * (packs             ? 1
                                            : plan.chunks > 1 ? tile.sample_end - tile.sample_begin
                                                              : kLongPixelsAtOnce);
  const int64_t lists = packs || plan.chunks > 1 ? long_lists : layer.steps * plan.pixels_at_once;
  plan.joined_room = long_lists * plan.list_room;

  const int64_t pixels = most_rows * in.width * layer.steps;
  plan.offsets = layout.take(packs ? 0 : plan.planes * (pixels + layer.steps), sizeof(int32_t));
  plan.pixel_lists = layout.take(packs ? 0 : pixels * in.most_sources * in.channels + kListSlack,
                                 sizeof(uint16_t));
  plan.joined = layout.take(plan.joined_room, sizeof(uint16_t));
  plan.begins = layout.take(lists, sizeof(int32_t));
  plan.counts = layout.take(lists * plan.planes, sizeof(int32_t));
  plan.cuts = layout.take(plan.chunks > 1 ? lists * (plan.chunks + 1) : 0, sizeof(int32_t));
  plan.sums = layout.take(plan.chunks > 1 ? lists * kSpikeBlock : 0, sizeof(int32_t));
  plan.words = layout.take(packs ? pixels * in.most_sources : 0, sizeof(uint64_t));
  plan.bytes = (layout.at + 4095) / 4096 * 4096;
  return plan;
}

size_t spike_layer_scratch(const SpikeLayer& layer, int lanes) {
  return lane_bytes(layer) * static_cast<size_t>(std::max(lanes, 1));
}

bool has_byte_products([[maybe_unused]] Isa isa) {
#if defined(SPIKENM_X86)
  return tile_at(isa) == spike_tile_avx512;
#else
  return false;
#endif
}

void spike_layer_cpu(const SpikeLayer& layer, std::byte* scratch, int lanes, Isa isa) {
  if (layer.samples == 0) return;
  const SpikeTile run = fits_vectors(layer) ? tile_at(isa) : nullptr;
  const bool lists = layer.input.values == nullptr && layer.rows.form == RowForm::kEvents;
  const bool many = run != nullptr && lists && has_many_spikes(layer);
  Work work{layer, Cut(layer), run, scratch, lane_bytes(layer), many};
  Work* const shared = &work;  // one pointer: the loop's body then needs no memory of its own
  parallel_for(std::min<int64_t>(lanes, work.cut.tiles()), 1,
               [shared](int64_t begin, int64_t) { shared->lane(begin); });
}

}  // namespace spikenm::kernels
