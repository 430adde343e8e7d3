#include "spikenm/runtime/layer_rows.h"

#include "spikenm/runtime/layer_fill.h"
#include "spikenm/runtime/narrow_rows.h"

#include <bit>
#include <cstring>
#include <utility>

namespace spikenm::runtime {
namespace {

using kernels::kSpikeBlock;

// [blocks, taps, words]: the rows that some output of a block keeps.
std::vector<uint64_t> kept_rows(const SynapseTensor& tensor, const Places& places) {
  std::vector<uint64_t> keep(static_cast<size_t>(places.blocks * places.taps * places.words));
  const auto put = [&](int64_t output, int64_t input, int64_t tap, const uint8_t*) {
    const int64_t word =
        (output / kSpikeBlock * places.taps + tap) * places.words + input / kSpikeBlock;
    keep[static_cast<size_t>(word)] |= uint64_t{1} << input % kSpikeBlock;
  };
  if (!masks_by_block(tensor)) {
    each_weight(tensor, places, put);
    return keep;
  }
  parallel_for(places.blocks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block)
      each_kept(tensor, block, [&](int64_t element) {
        put(block * kSpikeBlock, element / places.taps, element % places.taps, nullptr);
      });
  });
  WeightWalk(tensor, places, put).singles();
  return keep;
}

int64_t ones(std::span<const uint64_t> words) {
  int64_t count = 0;
  for (const uint64_t word : words) count += std::popcount(word);
  return count;
}

// Rows of each word: as many as the fullest keeps, rounded up so that whole words fill 64 bits.
int32_t rows_of_words(std::span<const uint64_t> keep) {
  int most = 1;
  for (const uint64_t word : keep) most = std::max(most, std::popcount(word));
  return static_cast<int32_t>(std::bit_ceil(static_cast<unsigned>(most)));
}

// Every weight of every row is 0: a low byte of 128.
void clear_int8(uint8_t* rows, size_t bytes) {
  constexpr uint16_t kZero = 128;
  auto* const words = reinterpret_cast<uint16_t*>(rows);
  std::fill(words, words + bytes / 2, kZero);
}

// Where the row of an input lies in its block of outputs.
int64_t row_of(const PreparedRows& rows, const Places& places, int64_t block, int64_t input,
               int64_t tap) {
  const auto place = [&](int64_t row) { return row + row / rows.part_rows; };
  if (rows.keep.empty()) return place(tap * places.channels + input);
  const int64_t word = tap * places.words + input / kSpikeBlock;
  const uint64_t kept = rows.keep[static_cast<size_t>(block * places.taps * places.words + word)];
  const uint64_t below = (uint64_t{1} << input % kSpikeBlock) - 1;
  return place(word * rows.word_rows + std::popcount(kept & below));
}

// Clears the rows and writes the weights that are in blocks, each thread in rows of its own.
void fill_by_block(const SynapseTensor& tensor, const Places& places, PreparedRows& rows) {
  constexpr int64_t kMostRows = int64_t{1} << 26;  // whose bytes 32 bits number
  SPIKENM_CHECK(rows.view().block_rows() < kMostRows,
                "model: found a layer of {} rows of weights, wanted fewer than {}",
                rows.view().block_rows(), kMostRows);
  parallel_for(places.blocks, 1, [&](int64_t block, int64_t) {
    const int64_t bytes = rows.view().block_rows() * kSpikeBlock;
    BlockRows to{.rows = rows.data.as<uint8_t>() + block * bytes};
    clear_int8(to.rows, static_cast<size_t>(bytes));
    to.row_at.reserve(static_cast<size_t>(places.rows()));
    for (int64_t input = 0; input < places.channels; ++input)
      for (int64_t tap = 0; tap < places.taps; ++tap)
        to.row_at.push_back(
            static_cast<uint32_t>(row_of(rows, places, block, input, tap) * kSpikeBlock));
    fill_block(tensor, block, to);
  });
}

}  // namespace

kernels::LayerRows PreparedRows::view() const {
  return {.form = form,
          .int8 = int8,
          .data = data.as<void>(),
          .rows = rows,
          .part_rows = part_rows,
          .keep = keep.empty() ? nullptr : keep.data(),
          .word_rows = word_rows,
          .picks = picks.view(),
          .narrow_rows = narrow_rows};
}

KeptRows find_kept_rows(const SynapseTensor& tensor, const Layer& layer) {
  constexpr int kFewest = 8;  // outputs that share a mask
  if (!tensor.rule || tensor.rule->pattern.share < kFewest) return {};
  const Places places(tensor, layer);
  KeptRows found{.keep = kept_rows(tensor, places)};
  found.share =
      static_cast<double>(ones(found.keep)) / static_cast<double>(places.blocks * places.rows());
  return found;
}

PreparedRows prepare_rows(const SynapseTensor& tensor, const Layer& layer,
                          std::vector<uint64_t> keep, const RowUse& use, const RowMemory& memory) {
  const Places places(tensor, layer);
  const bool packs = !keep.empty();
  PreparedRows rows;
  // Real values times int8 weights are floats; the scale is the layer's.
  rows.int8 = tensor.type == WeightType::kInt8 && layer.reads_spikes;
  rows.rows = places.rows();
  rows.part_rows =
      layer.reads_spikes ? kernels::rows_of_parts(layer.window, layer.channels) : rows.rows;
  if (packs) {
    rows.keep = std::move(keep);
    rows.word_rows = rows_of_words(rows.keep);
    rows.rows = places.taps * places.words * rows.word_rows;
    rows.part_rows = kernels::kept_rows_of_parts(layer.window, places.words, rows.word_rows);
  }
  if (packs && rows.int8 && kernels::has_bit_gathers(use.isa))
    rows.picks = kernels::make_picks(layer.window, places.words, places.blocks, rows.view());
  const int64_t block_rows = rows.view().block_rows();
  const int64_t item = rows.int8 ? sizeof(int8_t) : sizeof(float);
  rows.data = memory(places.blocks * block_rows * kSpikeBlock * item);

  const auto put = [&](int64_t output, int64_t input, int64_t tap, const uint8_t* value) {
    const int64_t block = output / kSpikeBlock, lane = output % kSpikeBlock;
    const int64_t row = row_of(rows, places, block, input, tap);
    const int64_t at = (block * block_rows + row) * kSpikeBlock;
    if (rows.int8) {
      const RowLane to(lane);
      rows.data.as<uint8_t>()[at + to.at] = static_cast<uint8_t>(*value ^ to.zero);
      return;
    }
    float& to = rows.data.as<float>()[at + lane];
    if (tensor.type == WeightType::kFloat)
      std::memcpy(&to, value, sizeof to);
    else
      to = static_cast<int8_t>(*value);
  };
  if (rows.int8 && fills_by_block(tensor)) {
    fill_by_block(tensor, places, rows);
    WeightWalk(tensor, places, put).singles();
  } else {
    if (rows.int8) clear_int8(rows.data.as<uint8_t>(), rows.data.size());
    each_weight(tensor, places, put);
  }
  // A linear layer has few sums, of many rows.
  if (rows.int8 && layer.window.pixels() > 1)
    rows.narrow_rows = count_narrow_rows(rows.view(), places.blocks, use.most_count);
  return rows;
}

}  // namespace spikenm::runtime
