#include "spikenm/kernels/spike_layer.h"

namespace spikenm::kernels {
namespace {

// Rows of 64 outputs in int8 that a first cache of 48 KB keeps, beside little else.
constexpr int64_t kNearRows = 768;
// Of rows that few lists read, and those few times: more, so that lists are not cut too short.
constexpr int64_t kNearKeptRows = 1152;
// Channels of a part of one tap.
constexpr int64_t kPartChannels = 512;

// The largest divisor of n that is at most `most`; 0 if that is below 1.
int64_t divisor(int64_t n, int64_t most) {
  for (int64_t d = n < most ? n : most; d > 0; --d)
    if (n % d == 0) return d;
  return 0;
}

// Parts of whole rows of the kernel, else of some of the `pieces` of one; 0 if a piece is too large.
int64_t cut(int64_t kernel_rows, int64_t pieces, int64_t piece_rows, int64_t near) {
  const int64_t whole = divisor(kernel_rows, near / (pieces * piece_rows));
  if (whole > 0) return whole * pieces * piece_rows;
  return divisor(pieces, near / piece_rows) * piece_rows;
}

}  // namespace

int64_t rows_of_parts(const LayerWindow& window, int64_t channels) {
  const int64_t found = cut(window.kernel_height, window.kernel_width, channels, kNearRows);
  if (found > 0) return found;
  if (window.taps() == 1) return kPartChannels;
  // A tap at least; or a piece of one, if the pieces of all taps begin at its multiples.
  if (channels % kPartChannels == 0) return kPartChannels;
  if (channels <= kMostPartRows || channels % kSpikeBlock != 0) return channels;
  return divisor(channels / kSpikeBlock, kPartChannels / kSpikeBlock) * kSpikeBlock;
}

int64_t kept_rows_of_parts(const LayerWindow& window, int64_t words, int32_t word_rows) {
  constexpr int64_t kTogether =
      4;  // words that are never parted, if a row of the kernel has as many
  const int64_t run = window.kernel_width * words;
  const int64_t piece = run % kTogether == 0 ? kTogether : run;
  const int64_t found = cut(window.kernel_height, run / piece, piece * word_rows, kNearKeptRows);
  if (found > 0) return found;
  // Wherever four words end, though it be in the middle of a row of the kernel.
  return kNearKeptRows / (kTogether * word_rows) * kTogether * word_rows;
}

}  // namespace spikenm::kernels
