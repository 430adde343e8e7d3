#include "spikenm/kernels/spike_layer.h"

#include "spikenm/core/error.h"
#include "support/spike_layer_trial.h"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <vector>

namespace spikenm::kernels {
namespace {

using trial::Aligned, trial::Rows, trial::Shape, trial::Trial, trial::Way;

// One channel, 64 and around it, odd maps, strides, kernels as large as the map, T = 1, no sample.
const Shape kShapes[] = {
    {1, 4, 70, 5, 7, 65, 3, 1, 1},  {2, 1, 64, 4, 4, 64, 3, 1, 1},  {1, 3, 1, 6, 5, 1, 3, 2, 1},
    {2, 2, 63, 3, 3, 130, 1, 1, 0}, {3, 5, 130, 1, 1, 10, 1, 1, 0}, {2, 3, 20, 4, 3, 100, 3, 1, 0},
    {1, 9, 200, 9, 2, 64, 5, 3, 2}, {0, 3, 8, 4, 4, 8, 3, 1, 1},    {3, 4, 90, 4, 4, 70, 4, 1, 0},
};

std::string text(const Shape& s, const Way& w) {
  return fmt::format("{}x{} {}x{}x{} -> {} kernel {} int8 {} rows {} rate {} sources {}", s.samples,
                     s.steps, s.channels, s.height, s.width, s.outputs, s.kernel, w.int8,
                     static_cast<int>(w.rows), w.rate, w.sources);
}

void expect_levels_agree(const Shape& shape, const Way& way) {
  Trial trial(shape, way);
  const Trial::Result wanted = trial.run(Isa::kRef);
  for (const Isa isa : supported_isas())
    for (const int lanes : {1, 3})
      EXPECT_TRUE(trial.run(isa, lanes) == wanted) << isa_name(isa) << " " << text(shape, way);
  if (way.fires && way.rate == 0.1 && shape.samples * shape.steps * shape.outputs > 100) {
    EXPECT_GT(trial.fired(wanted), 0) << text(shape, way);
  }
}

TEST(SpikeLayer, LevelsAgreeOnOddSizes) {
  for (const Shape& shape : kShapes)
    for (const bool int8 : {true, false})
      for (const Rows rows : {Rows::kAll, Rows::kKept, Rows::kSameForAllTaps})
        for (const int64_t sources : {1, 3})
          expect_levels_agree(shape, {.int8 = int8, .rows = rows, .sources = sources});
}

TEST(SpikeLayer, LevelsAgreeOnNoSpikesAndOnAll) {
  for (const Shape& shape : std::span(kShapes).first(6))
    for (const double rate : {0.0, 0.5, 1.0})
      for (const bool int8 : {true, false})
        for (const Rows rows : {Rows::kAll, Rows::kKept, Rows::kSameForAllTaps})
          for (const bool regular : {false, true})
            expect_levels_agree(shape,
                                {.int8 = int8, .rows = rows, .rate = rate, .regular = regular});
}

TEST(SpikeLayer, LevelsAgreeOnEveryNumberOfRowsOfAWord) {
  for (const Shape& shape : std::span(kShapes).first(5))
    for (const int32_t word_rows : {1, 2, 4, 8, 16, 32, 64})
      for (const Rows rows : {Rows::kKept, Rows::kSameForAllTaps})
        for (const bool picks : {true, false})
          expect_levels_agree(shape, {.rows = rows, .word_rows = word_rows, .picks = picks});
}

// Of 3 x 3 windows over 1 to 9 words a pixel, at borders too: words that fill a unit of bits, that are left
// over, that go on in the next row.
TEST(SpikeLayer, LevelsAgreeOnFullWords) {
  for (const int64_t words : {1, 2, 3, 4, 5, 8, 9})
    for (const int32_t word_rows : {8, 16, 32, 64})
      for (const bool same_taps : {false, true})
        for (const double rate : {0.06, 0.4})
          expect_levels_agree({1, 2, 64 * words, 4, 5, 70, 3, 1, 1},
                              {.rows = same_taps ? Rows::kSameForAllTaps : Rows::kKept,
                               .rate = rate,
                               .word_rows = word_rows,
                               .regular = true,
                               .full_words = true});
}

// Kernels of other sizes, strides, linear layers over maps and rows, several sources.
TEST(SpikeLayer, LevelsAgreeOnFullWordsOfOtherWindows) {
  const Shape shapes[] = {{1, 3, 256, 7, 6, 64, 5, 2, 2},   {2, 4, 128, 6, 6, 70, 6, 1, 0},
                          {3, 2, 2048, 1, 1, 100, 1, 1, 0}, {2, 5, 256, 8, 8, 64, 8, 1, 0},
                          {1, 2, 512, 3, 3, 64, 3, 1, 1},   {1, 1, 64, 9, 70, 64, 3, 1, 1}};
  for (const Shape& shape : shapes)
    for (const int32_t word_rows : {8, 32})
      for (const Rows rows : {Rows::kAll, Rows::kKept, Rows::kSameForAllTaps})
        for (const int64_t sources : {1, 3})
          for (const bool int8 : {true, false})
            if (int8 || word_rows == 8)
              expect_levels_agree(shape, {.int8 = int8,
                                          .rows = rows,
                                          .word_rows = word_rows,
                                          .sources = sources,
                                          .regular = sources == 1,
                                          .full_words = true});
}

// Lists of no row, of one to five, of as many as 16 bits can add up, of one more.
TEST(SpikeLayer, LevelsAgreeOnListsOfEveryLength) {
  for (const int64_t channels :
       {1, 2, 3, 4, 5, 7, 8, 9, 255, 256, 257, 260, 261, 511, 512, 513, 767, 769})
    for (const bool int8 : {true, false}) {
      expect_levels_agree({2, 2, channels, 1, 1, 64, 1, 1, 0}, {.int8 = int8, .rate = 1});
      expect_levels_agree({1, 2, channels, 2, 3, 64, 3, 1, 1}, {.int8 = int8, .rate = 1});
    }
}

// The largest sums that so many rows can have: 256 rows of -128 just fit 16 bits, one more does not.
TEST(SpikeLayer, LevelsAgreeOnRowsOfTheLargestWeights) {
  for (const int64_t channels : {1, 4, 64, 255, 256, 257, 258, 320, 512, 769})
    for (const bool planes : {false, true}) {
      const Way way{
          .rate = 1, .sources = planes ? 3 : 1, .planes = planes, .fires = false, .extreme = true};
      expect_levels_agree({2, 2, channels, 1, 1, 64, 1, 1, 0}, way);
      expect_levels_agree({1, 2, channels, 2, 3, 64, 3, 1, 1}, way);
      Way kept = way;
      kept.rows = Rows::kKept;
      kept.word_rows = 64;
      kept.full_words = channels % 64 == 0;
      expect_levels_agree({2, 2, channels, 1, 1, 64, 1, 1, 0}, kept);
    }
}

TEST(SpikeLayer, LevelsAgreeOnPlanesOfCounts) {
  for (const Shape& shape : std::span(kShapes).first(6))
    for (const bool int8 : {true, false})
      for (const Rows rows : {Rows::kAll, Rows::kKept, Rows::kSameForAllTaps})
        for (const bool regular : {true, false})
          for (const double rate : {0.1, 1.0})
            expect_levels_agree(shape, {.int8 = int8,
                                        .rows = rows,
                                        .rate = rate,
                                        .word_rows = 16,
                                        .sources = 3,
                                        .planes = true,
                                        .regular = regular});
}

// Rows of weights that fit no cache: more pixels at once, and tiles of some blocks.
TEST(SpikeLayer, LevelsAgreeOnManyRows) {
  expect_levels_agree({2, 2, 256, 6, 5, 330, 3, 1, 1}, {});
  expect_levels_agree({1, 2, 256, 12, 12, 330, 3, 1, 1}, {.sources = 2, .planes = true});
}

// Kept rows that are cut in the middle of a row of the kernel, at every fourth word: 157 words of a pixel,
// and 3 x 7 of a row.
TEST(SpikeLayer, LevelsAgreeOnPartsThatEndAtFourWords) {
  for (const Shape& shape :
       {Shape{2, 2, 157 * 64, 1, 1, 70, 1, 1, 0}, {1, 2, 448, 3, 4, 70, 3, 1, 1}})
    for (const bool int8 : {true, false})
      for (const int32_t word_rows : {8, 32, 64})
        for (const bool full_words : {false, true})
          expect_levels_agree(shape, {.int8 = int8,
                                      .rows = Rows::kKept,
                                      .word_rows = word_rows,
                                      .regular = true,
                                      .full_words = full_words});
}

// A flattened map with more taps than a kernel has that lists nothing.
TEST(SpikeLayer, LevelsAgreeOnAMapOfManyPixels) {
  for (const Rows rows : {Rows::kAll, Rows::kKept, Rows::kSameForAllTaps})
    expect_levels_agree({2, 2, 3, 40, 40, 64, 40, 1, 0},
                        {.rows = rows, .word_rows = 4, .regular = true});
}

// Channels of one of four taps: of a part of their own, or cut at some multiple of 64 of them.
TEST(SpikeLayer, LevelsAgreeOnManyChannelsOfATap) {
  for (const int64_t channels : {8190, 8200, 129 * 64})
    expect_levels_agree({1, 1, channels, 2, 3, 64, 2, 1, 0}, {.rate = 0.02, .regular = true});
}

TEST(SpikeLayer, LevelsAgreeOnDenseAndPackedWeights) {
  for (const Shape& shape : std::span(kShapes).first(6))
    for (const double rate : {0.0, 0.1, 1.0})
      for (const bool planes : {false, true}) {
        Way way{.rows = Rows::kDense, .rate = rate, .sources = planes ? 3 : 1, .planes = planes};
        expect_levels_agree(shape, way);
        way.rows = Rows::kPacked;
        way.word_rows = planes ? 4 : 8;
        expect_levels_agree(shape, way);
      }
  for (const int64_t steps : {4, 5, 6, 7, 8, 10, 11, 12, 17})  // every way to cut steps
    for (const Rows rows : {Rows::kDense, Rows::kPacked})
      expect_levels_agree({1, steps, 70, 3, 3, 20, 3, 1, 1},
                          {.rows = rows, .word_rows = 8, .streams = true});
}

// Packed weights of a row of pixels, which are worked on two at a time inside the map.
TEST(SpikeLayer, LevelsAgreeOnPackedWeightsOfPixelsSideBySide) {
  for (const int64_t width : {1, 3, 4, 11})
    for (const auto& [kernel, stride, padding] :
         {std::array{3, 1, 1}, {3, 2, 1}, {1, 1, 0}, {1, 2, 0}, {3, 1, 0}, {5, 1, 2}, {3, 1, 2}})
      for (const int64_t steps : {1, 8, 9, 17})
        if (width + 2 * padding >= kernel)
          expect_levels_agree({1, steps, 70, 5, width, 70, kernel, stride, padding},
                              {.rows = Rows::kPacked, .rate = 0.3, .word_rows = 8});
}

// Two products of 128 and -128 are the least number of 16 bits.
TEST(SpikeLayer, LevelsAgreeOnPackedWeightsThatAreLargest) {
  for (const double rate : {0.5, 1.0})
    expect_levels_agree({1, 8, 128, 3, 4, 70, 3, 1, 1},
                        {.rows = Rows::kPacked, .rate = rate, .word_rows = 8, .extreme = true});
}

// By hand: of channels 0 to 63 output 0 keeps 1, 2, 5 and 60.
TEST(SpikeLayer, PacksTheWeightsOfEachOutput) {
  const uint64_t bits[2] = {0b100110, uint64_t{1} << 60 | 1};
  const uint64_t* const map = bits;
  const int64_t one = 1;
  const int32_t begin[] = {0, 1};
  const SpikeSource source;
  alignas(64) int8_t rows[4 * 128] = {1, 2, 5, 60};
  rows[64] = 10, rows[65] = 20, rows[66] = -50, rows[67] = 7;
  std::vector<float> scale(64, 1.0f), shift(64, 0.0f), values(2);
  const SpikeLayer layer{
      .steps = 2,
      .out_channels = 1,
      .input =
          {.channels = 64, .begin = begin, .sources = &source, .maps = &map, .map_pixels = &one},
      .rows = {.form = RowForm::kPacked, .int8 = true, .data = rows, .word_rows = 4},
      .neurons = {.fires = false, .scale = scale.data(), .shift = shift.data()},
      .values = values.data()};
  for (const Isa isa : supported_isas()) {
    Aligned<std::byte> scratch(spike_layer_scratch(layer, 1), 4096);
    spike_layer_cpu(layer, {scratch.data, scratch.size}, 1, isa);
    EXPECT_EQ(values, (std::vector<float>{-20.0f, 7.0f})) << isa_name(isa);
  }
}

// Sums of many rows of one sign do not fit 16 bits.
TEST(SpikeLayer, SumsOfThousandsOfRowsAreExact) {
  expect_levels_agree({1, 2, 300, 4, 4, 64, 3, 1, 1}, {.rate = 1, .sources = 4});
  expect_levels_agree({2, 3, 256, 4, 4, 64, 4, 1, 0}, {.rate = 1});  // in chunks
  expect_levels_agree({2, 3, 2000, 1, 1, 70, 1, 1, 0}, {.rate = 0.3});
}

// Of small weights more rows do: lists of fewer and of more rows than the lengths that are sorted.
TEST(SpikeLayer, SumsOfThousandsOfSmallRowsAreExact) {
  for (const Rows rows : {Rows::kAll, Rows::kKept})
    for (const double rate : {0.1, 0.5, 1.0}) {
      expect_levels_agree({1, 2, 300, 4, 4, 64, 3, 1, 1},
                          {.rows = rows, .rate = rate, .small = true});
      expect_levels_agree({2, 3, 2000, 1, 1, 70, 1, 1, 0},
                          {.rows = rows, .rate = rate, .small = true});
      expect_levels_agree(
          {1, 2, 200, 4, 4, 64, 3, 1, 1},
          {.rows = rows, .rate = rate, .sources = 2, .planes = true, .small = true});
    }
}

TEST(SpikeLayer, LevelsAgreeOnEveryKindOfNeuron) {
  for (const Shape& shape : kShapes) {
    expect_levels_agree(shape, {.fires = false});
    expect_levels_agree(shape, {.soft = true});
    expect_levels_agree(shape, {.rows = Rows::kKept, .alive = true, .streams = true});
    expect_levels_agree(shape, {.int8 = false, .fires = false, .streams = true});
  }
}

TEST(SpikeLayer, LevelsAgreeOnRealValues) {
  for (const Shape& shape : kShapes)
    for (const double rate : {0.0, 0.1, 1.0})
      for (const bool constant : {false, true})
        expect_levels_agree(shape, {.rate = rate, .real = true, .constant = constant});
}

// By hand: two inputs, one output, weights 3 and -100.
TEST(SpikeLayer, AddsTheRowsOfTheSpikes) {
  const uint64_t bits[3] = {0b01, 0b10, 0b11};
  const uint64_t* const map = bits;
  const int64_t one = 1;
  const int32_t begin[] = {0, 1};
  const SpikeSource source;
  alignas(64) uint8_t rows[3 * 64];
  for (size_t i = 0; i < sizeof rows; ++i) rows[i] = i % 2 == 0 ? 128 : 0;
  rows[0] = 128 + 3;
  rows[64] = 128 - 100;
  std::vector<float> scale(64, 0.5f), shift(64, 1.0f), values(3);
  const SpikeLayer layer{.steps = 3,
                         .out_channels = 1,
                         .input = {.channels = 2,
                                   .begin = begin,
                                   .sources = &source,
                                   .maps = &map,
                                   .map_pixels = &one},
                         .rows = {.int8 = true, .data = rows, .rows = 2, .part_rows = 2},
                         .neurons = {.fires = false, .scale = scale.data(), .shift = shift.data()},
                         .values = values.data()};
  for (const Isa isa : supported_isas()) {
    Aligned<std::byte> scratch(spike_layer_scratch(layer, 1), 4096);
    spike_layer_cpu(layer, {scratch.data, scratch.size}, 1, isa);
    EXPECT_EQ(values, (std::vector<float>{2.5f, -49.0f, -47.5f})) << isa_name(isa);
  }
}

// A file can ask for sizes whose product is beyond a number of 64 bits.
TEST(SpikeLayer, ScratchOfHostileSizesIsMoreThanAnyMachineHas) {
  const SpikeLayer layer{.samples = 1 << 20,
                         .steps = 1 << 16,
                         .out_channels = 1,
                         .input = {.channels = 64, .most_sources = 4096},
                         .window = {.padding = int64_t{1} << 30},
                         .rows = {.int8 = true, .rows = 64, .part_rows = 64}};
  EXPECT_GE(spike_layer_scratch(layer, 1), size_t{1} << 49);
}

}  // namespace
}  // namespace spikenm::kernels
