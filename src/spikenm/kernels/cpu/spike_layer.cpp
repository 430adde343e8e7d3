#include "spikenm/kernels/cpu/spike_layer.h"

#include "spikenm/core/error.h"
#include "spikenm/core/parallel.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <initializer_list>

namespace spikenm::kernels {
namespace {

bool reads_lists(const SpikeLayer& layer) {
  return layer.input.values == nullptr && layer.rows.form == RowForm::kEvents;
}

// How a layer is cut: by rows of pixels. A linear layer's rows of weights fit no cache, so one tile
// reads them for all samples, and it is cut by blocks of outputs. Lists are made for each tile anew.
struct Cut {
  int64_t rows = 1, blocks = 1, samples = 1;  // of a tile
  int64_t row_tiles = 1, block_tiles = 1, sample_tiles = 1;

  explicit Cut(const SpikeLayer& layer) {
    constexpr int64_t kBlocksAtOnce = 8;
    const int64_t height = layer.window.out_height;
    const bool one_pixel = layer.window.pixels() == 1;
    rows = std::clamp<int64_t>((height + 3) / 4, 1, 8);
    blocks = one_pixel ? std::min(layer.blocks(), kBlocksAtOnce) : layer.blocks();
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
      TilePlan plan = plan_tile(layer, tile);
      plan.many = many;
      run(layer, tile, plan, own);
    }
  }
};

// Whether the vector forms can number the rows, or hold the window where they list nothing.
bool fits_vectors(const SpikeLayer& layer) {
  return reads_lists(layer) ? layer.rows.part_rows <= kMostPartRows
                            : layer.window.taps() <= kMostTaps;
}

SpikeTile tile_at([[maybe_unused]] Isa isa) {
#if defined(SPIKENM_X86)
  static const bool avx2 = __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
  static const bool avx512 =
      avx2 && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
      __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bitalg");
  if (isa == Isa::kAvx512 && avx512) return spike_tile_avx512;
  if (isa != Isa::kRef && avx2) return spike_tile_avx2;
#endif
  return nullptr;
}

size_t lane_bytes(const SpikeLayer& layer) {
  return plan_tile(layer, Cut(layer).tile(layer, 0)).bytes;
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

constexpr double kMostScratch = 1e15;  // bytes

// Gives parts of a scratch their places, one after the other.
struct Layout {
  size_t at = 0;
  size_t take(int64_t count, size_t item) {
    const size_t begin = at;
    at += (static_cast<size_t>(count) * item + 63) / 64 * 64;
    return begin;
  }
};

// Whether no input is a count, and sums of the eighth step, 128 times as large, fit their 32 bits.
bool packs_steps(const SpikeLayer& layer) {
  constexpr int64_t kMostInputs = (int64_t{1} << 31) / (128 * 128) - 1;  // of an output
  return layer.rows.form == RowForm::kPacked && layer.input.planes == 1 &&
         layer.input.most_sources == 1 &&
         layer.window.taps() * layer.input.words() * layer.rows.word_rows <= kMostInputs;
}

// The pieces of a layer that reads real values, or every input.
void lay_out_bytes(const SpikeLayer& layer, int64_t most_rows, TilePlan& plan, Layout& layout) {
  const LayerInput& in = layer.input;
  if (in.values != nullptr) {
    plan.mark_bytes = (in.width * in.channels + 7) / 8 + 8;
    const int64_t words = (in.input_steps * most_rows * plan.mark_bytes + 7) / 8;
    plan.words = layout.take(words, sizeof(uint64_t));
    return;
  }
  plan.packs_steps = packs_steps(layer);
  plan.words = layout.take(most_rows * in.width * layer.steps * in.words(), kSpikeBlock);
  plan.sums = layout.take(
      (plan.packs_steps ? layer.window.out_width : 1) * layer.steps * kSpikeBlock, sizeof(int32_t));
}

// Words of kept bits of a window, whichever way they are taken out.
int64_t kept_units(const SpikeLayer& layer) {
  const LayerRows& rows = layer.rows;
  const int64_t pieces = rows.rows / kSpikeBlock + layer.window.kernel_height + 1;
  return std::max(pieces, rows.picks.count);
}

double product(std::initializer_list<int64_t> factors) {
  double all = 1;
  for (const int64_t factor : factors) all *= static_cast<double>(factor);
  return all;
}

// The pieces of a layer that is run by lists of spikes. `rows`: of output pixels, of a whole tile.
void lay_out_lists(const SpikeLayer& layer, const LayerTile& tile, int64_t rows, TilePlan& plan,
                   Layout& layout) {
  const LayerInput& in = layer.input;
  const LayerWindow& w = layer.window;
  const bool keeps = layer.rows.keep != nullptr;
  plan.samples = w.pixels() == 1 ? tile.sample_end - tile.sample_begin : 1;
  plan.lists = plan.samples * w.out_width * layer.steps;
  const int64_t at_once = keeps ? kKeptListsAtOnce : kListsAtOnce;
  plan.band = std::clamp<int64_t>(at_once / plan.lists, 1, rows);
  plan.slots = in.most_sources * (in.planes > 1 && in.regular == nullptr ? in.planes : 1);
  plan.bit_rows = (rows - 1) * w.stride + w.kernel_height;
  plan.row_words = (in.width + 2 * w.padding) * in.words();
  if (keeps) {
    plan.groups = in.planes * layer.rows.parts();
    plan.group_lists = plan.band * plan.lists;
  } else {
    const int64_t places = plan.bit_rows - part_of_rows(layer, 0).kernel_rows + 1;
    plan.groups = in.planes * places * parts_across(layer);
    plan.group_lists = plan.lists;
  }
  // The spikes of a source are all of one plane.
  const int64_t most_entries = layer.rows.part_rows * in.most_sources + 8 * in.planes;
  // More than any machine has: the products below would not fit their type.
  const double many_bits =
      product({plan.slots, plan.samples, layer.steps, plan.bit_rows, plan.row_words});
  if (many_bits + product({plan.groups, plan.group_lists, most_entries}) > kMostScratch) {
    layout.at = static_cast<size_t>(kMostScratch);
    return;
  }
  const int64_t bits = plan.slots * plan.samples * layer.steps * plan.bit_rows * plan.row_words;
  const int64_t lists = plan.groups * plan.group_lists;
  // First, at the beginning of a page: see upper_half() in spike_layer_segments_inl.h.
  plan.units = layout.take(keeps ? kept_units(layer) : 0, kKeptUnitBytes);
  plan.windows = layout.take(keeps ? plan.samples * plan.band * w.out_width : 0, sizeof(void*));
  plan.ends = layout.take(plan.groups * (kSortedRounds + 2), sizeof(int32_t));
  plan.segments = layout.take(lists, 2 * sizeof(int64_t));
  plan.sorted = layout.take(lists, 2 * sizeof(int64_t));
  plan.sums = layout.take(plan.band * plan.lists * kSpikeBlock, sizeof(int32_t));
  plan.words = layout.take(bits + kWordSlack, sizeof(uint64_t));
  plan.kept_bits = layout.take(keeps ? bits / in.words() + kWordSlack : 0, sizeof(uint64_t));
  constexpr int64_t kPage = 2048;  // of entries
  plan.entries =
      layout.take(2 * lists * most_entries / in.planes + kListSlack + kPage, sizeof(uint16_t));
}

}  // namespace

RowPart part_of_rows(const SpikeLayer& layer, int64_t part) {
  const LayerWindow& w = layer.window;
  const int64_t channels = layer.input.channels, words = layer.input.words();
  const int64_t rows = layer.rows.part_rows, run = w.kernel_width * channels;
  if (rows >= run) {
    const int64_t together = rows / run;
    return {part * together, together, 0, w.kernel_width, 0, words};
  }
  const int64_t across = parts_across(layer), ky = part / across, own = part % across;
  if (rows >= channels) return {ky, 1, own * (rows / channels), rows / channels, 0, words};
  const int64_t of_tap = across / w.kernel_width, word = own % of_tap * (rows / kSpikeBlock);
  return {ky, 1, own / of_tap, 1, word, std::min(words - word, rows / kSpikeBlock)};
}

int64_t parts_across(const SpikeLayer& layer) {
  const int64_t channels = layer.input.channels, rows = layer.rows.part_rows;
  const int64_t run = layer.window.kernel_width * channels;
  if (rows >= run) return 1;
  if (rows >= channels) return run / rows;
  return layer.window.kernel_width * ((channels + rows - 1) / rows);
}

TilePlan plan_tile(const SpikeLayer& layer, const LayerTile& tile) {
  const LayerInput& in = layer.input;
  const LayerWindow& w = layer.window;
  TilePlan plan;
  plan.input_row_begin = std::max<int64_t>(0, tile.row_begin * w.stride - w.padding);
  const int64_t end =
      std::min(in.height, (tile.row_end - 1) * w.stride - w.padding + w.kernel_height);
  plan.input_rows = std::max<int64_t>(0, end - plan.input_row_begin);

  // Tiles inside the map read more rows than the first one, and the last tile may have fewer.
  const int64_t rows = Cut(layer).rows;
  Layout layout;
  if (reads_lists(layer))
    lay_out_lists(layer, tile, rows, plan, layout);
  else
    lay_out_bytes(layer, std::min(in.height, (rows - 1) * w.stride + w.kernel_height), plan,
                  layout);
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

bool has_bit_gathers(Isa isa) {
  return has_byte_products(isa);  // the same processors
}

void spike_layer_cpu(const SpikeLayer& layer, std::span<std::byte> scratch, int lanes, Isa isa) {
  if (layer.samples == 0) return;
  SPIKENM_ASSERT(spike_layer_scratch(layer, lanes) <= scratch.size());
  const SpikeTile run = fits_vectors(layer) ? tile_at(isa) : nullptr;
  const bool many = run != nullptr && reads_lists(layer) && has_many_spikes(layer);
  Work work{layer, Cut(layer), run, scratch.data(), lane_bytes(layer), many};
  Work* const shared = &work;  // one pointer: the loop's body then needs no memory of its own
  parallel_for(std::min<int64_t>(lanes, work.cut.tiles()), 1,
               [shared](int64_t begin, int64_t) { shared->lane(begin); });
}

}  // namespace spikenm::kernels
