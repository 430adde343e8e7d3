// How the kept bits of a window are taken out of its words, 64 at a time: tables for processors that
// gather bits of eight words in one instruction (AVX-512 BITALG), made once for a layer.
//
//   words of a unit       w0 | w1 | … | w7            eight words of 64 channels, each keeps up to eight
//   places                1 4 9 … | 0 3 … | …         the kept channels of each, eight bytes for a word
//   gathered              0 1 0 … | 1 0 … | …         their bits, 64 in all, eight for a word
//   numbers               0 1 2 … | 8 9 … | …         of their rows, counted from the unit's first row
//
// Where a word keeps up to 16, 32 or 64 channels, a unit has four, two or one words, each of them twice,
// four or eight times.
//
// A whole unit has words that lie side by side, and all of its bits are kept; the numbers of all whole
// units are the same. Other units are what is left: two pieces of up to four words, or words that keep
// fewer.
#pragma once

#include "spikenm/kernels/spike_layer.h"

namespace spikenm::kernels {

// Of a part of the rows: first whole units, then others.
struct PickPart {
  int64_t begin = 0, others = 0, end = 0;
};

// The same for all blocks of outputs.
struct PickUnit {
  int32_t row = 0, word = 0;  // where its words begin: row of the window, word of the row
  int32_t second_row = 0, second_word = 0;  // of words 4 to 7, where a unit has eight
  int32_t first = 0;                        // its first row in the part
  alignas(64) uint8_t numbers[kSpikeBlock] = {};
};

// Of one block.
struct PickPlaces {
  alignas(64) uint8_t places[kSpikeBlock] = {};
  uint64_t valid = 0;  // which of the 64 are kept
};

}  // namespace spikenm::kernels
