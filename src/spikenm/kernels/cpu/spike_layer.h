// What the driver of spike_layer.h and its instruction-set files share.
#pragma once

#include "spikenm/kernels/spike_layer.h"

namespace spikenm::kernels {

// Output pixels whose lists are made before their rows are read: one block's rows stay in the cache
// for all of them. Fewer where all lists are long; more where the rows come from far.
constexpr int64_t kPixelsAtOnce = 32, kMostPixelsAtOnce = 64;
// Pixels whose longest lists have room at once.
constexpr int64_t kLongPixelsAtOnce = 4;
// Rows of a linear layer that are read for all samples and steps before the next ones.
constexpr int64_t kRowsAtOnce = 512;
// List entries that vector stores may write behind the end of a list.
constexpr int64_t kListSlack = 128;
// Rows whose sums surely fit 16 bits.
constexpr int64_t kNarrowRows = 256;

// Sizes of the lists of a tile, and where they lie in its scratch.
struct ListPlan {
  int64_t input_row_begin = 0, input_rows = 0;  // of the map, that the tile reads
  int64_t most_sources = 1;                     // of a pixel
  int64_t planes = 1;                           // of the input
  int64_t list_room = 0;                        // most entries of a joined list
  int64_t joined_room = 0;                      // entries of all that are there at once
  int64_t pixels_at_once = kPixelsAtOnce;
  int64_t mark_bytes = 0;  // of real values: bits of a row of the input
  int64_t chunks = 1;      // pieces of kRowsAtOnce rows, of a linear layer
  bool many = false;       // words of the input have many spikes
  // Offsets of the parts, in bytes.
  size_t offsets = 0, pixel_lists = 0, joined = 0, begins = 0, counts = 0, cuts = 0, sums = 0,
         words = 0;
  size_t bytes = 0;
};

ListPlan plan_lists(const SpikeLayer& layer, const LayerTile& tile);

using SpikeTile = void (*)(const SpikeLayer&, const LayerTile&, const ListPlan&,
                           std::byte* scratch);

void spike_tile_avx2(const SpikeLayer& layer, const LayerTile& tile, const ListPlan& plan,
                     std::byte* scratch);
void spike_tile_avx512(const SpikeLayer& layer, const LayerTile& tile, const ListPlan& plan,
                       std::byte* scratch);

}  // namespace spikenm::kernels
