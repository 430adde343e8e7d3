// What the driver of spike_layer.h and its instruction-set files share.
#pragma once

#include "spikenm/kernels/spike_layer.h"

namespace spikenm::kernels {

// Lists of places and steps whose sums are kept at once; more where one row of pixels has more.
constexpr int64_t kListsAtOnce = 512, kKeptListsAtOnce = 512;
// A list holds eight times the number of a row: a processor multiplies it by eight on the way to the
// row. The rows of a part, and the one of zeros, fit 16 bits.
constexpr int64_t kEntryUnit = 8;
static_assert((kMostPartRows + 1) * kEntryUnit < 1 << 16);
// List entries that vector stores may write behind the end of a list, and words that vector loads may
// read behind the end of the bits.
constexpr int64_t kListSlack = 128, kWordSlack = 16;
// Bytes of the tables for one word of kept bits: PlacedUnits and TapPiece of the instruction-set files.
constexpr int64_t kKeptUnitBytes = 128;
// Lists of up to this many rounds of four rows are sorted by their length.
constexpr int64_t kSortedRounds = 64;

// Which rows of the window a part of the rows belongs to: `kernel_rows` rows of the kernel, or `taps`
// taps of one row, or the channels of one tap from word `word` on.
struct RowPart {
  int64_t ky = 0, kernel_rows = 1;
  int64_t kx = 0, taps = 1;
  int64_t word = 0, words = 1;
};
// Of rows that are all there.
RowPart part_of_rows(const SpikeLayer& layer, int64_t part);
// Parts that lie side by side, with the same ky.
int64_t parts_across(const SpikeLayer& layer);

// How a tile is worked on, and where the pieces of its scratch lie.
struct TilePlan {
  int64_t input_row_begin = 0, input_rows = 0;  // of the map, that the tile reads
  int64_t samples = 1;                          // whose lists are made at once
  int64_t lists = 1;  // of a row of output pixels: [samples, out_width, steps]
  int64_t band = 1;   // rows of output pixels whose sums are kept at once
  // The bits that the tile reads: [slots, samples, steps, bit_rows, row_words].
  int64_t slots = 1, bit_rows = 0, row_words = 0;
  // Groups of lists, one for each part of the rows and each place that the part can have.
  int64_t groups = 1, group_lists = 1;
  int64_t mark_bytes = 0;    // of real values: bits of a row of the input
  bool many = false;         // words of the input have many spikes
  bool packs_steps = false;  // a packed layer whose inputs' bytes hold the spikes of several steps
  // Offsets of the pieces, in bytes.
  size_t words = 0, entries = 0, segments = 0, sorted = 0, ends = 0, sums = 0, kept_bits = 0,
         units = 0, windows = 0;
  size_t bytes = 0;
};

TilePlan plan_tile(const SpikeLayer& layer, const LayerTile& tile);

using SpikeTile = void (*)(const SpikeLayer&, const LayerTile&, const TilePlan&,
                           std::byte* scratch);

void spike_tile_avx2(const SpikeLayer& layer, const LayerTile& tile, const TilePlan& plan,
                     std::byte* scratch);
void spike_tile_avx512(const SpikeLayer& layer, const LayerTile& tile, const TilePlan& plan,
                       std::byte* scratch);

}  // namespace spikenm::kernels
