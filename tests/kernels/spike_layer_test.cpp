#include "spikenm/kernels/spike_layer.h"

#include "spikenm/core/error.h"
#include "spikenm/core/random.h"
#include "spikenm/kernels/spike_picks.h"

#include <gtest/gtest.h>

#include <bit>
#include <memory>
#include <span>
#include <vector>

namespace spikenm::kernels {
namespace {

struct Shape {
  int64_t samples, steps, channels, height, width, outputs, kernel, stride, padding;
};

enum class Rows { kAll, kKept, kSameForAllTaps, kDense, kPacked };

// How a test layer differs from a plain one.
struct Way {
  bool int8 = true;
  Rows rows = Rows::kAll;
  double rate = 0.1;
  int32_t word_rows = 32;   // of Rows::kKept, kSameForAllTaps and kPacked
  int64_t sources = 1;      // of each pixel
  bool planes = false;      // spikes of the second map count four, those of the first one
  bool regular = false;     // a rule says where the sources are
  bool full_words = false;  // every word keeps as many channels as it has rows
  bool picks = true;        // tables for taking kept bits out are given, where rows are kept
  bool fires = true;
  bool soft = false;
  bool alive = false;     // some neurons are masked
  bool streams = false;   // membranes come from memory and go there
  bool real = false;      // the input is real values
  bool constant = false;  // of one step that lasts
};

template <class T>
struct Aligned {
  explicit Aligned(size_t n, size_t alignment = 64) : size(n), room(n + alignment / sizeof(T) + 1) {
    void* p = room.data();
    size_t space = room.size() * sizeof(T);
    data = static_cast<T*>(std::align(alignment, n * sizeof(T), p, space));
  }
  size_t size;
  std::vector<T> room;
  T* data;
};

// A layer with all its arrays.
class Trial {
 public:
  Trial(const Shape& s, const Way& way) : random_(11, 3) {
    layer_.samples = s.samples;
    layer_.steps = s.steps;
    layer_.out_channels = s.outputs;
    layer_.input.height = s.height;
    layer_.input.width = s.width;
    layer_.input.channels = s.channels;
    layer_.window = {.kernel_height = s.kernel,
                     .kernel_width = s.kernel,
                     .stride = s.stride,
                     .padding = s.padding,
                     .out_height = (s.height + 2 * s.padding - s.kernel) / s.stride + 1,
                     .out_width = (s.width + 2 * s.padding - s.kernel) / s.stride + 1};
    make_input(way);
    make_rows(way);
    make_neurons(way);
  }

  // Spikes or values, and the membranes afterwards.
  struct Result {
    std::vector<uint64_t> spikes;
    std::vector<float> values, membrane;
    bool operator==(const Result&) const = default;
  };

  Result run(Isa isa, int lanes = 2) {
    const LayerNeurons before = layer_.neurons;
    Result result;
    const auto blocks = static_cast<size_t>(layer_.blocks());
    const auto places = static_cast<size_t>(layer_.samples * layer_.window.pixels());
    result.spikes.assign(places * blocks * static_cast<size_t>(layer_.steps), ~uint64_t{0});
    result.values.assign(places * static_cast<size_t>(layer_.steps * layer_.out_channels), -7);
    result.membrane = membrane_;
    layer_.spikes = result.spikes.data();
    layer_.values = result.values.data();
    if (!membrane_.empty()) layer_.neurons.membrane = result.membrane.data();
    Aligned<std::byte> scratch(spike_layer_scratch(layer_, lanes), 4096);
    spike_layer_cpu(layer_, scratch.data, lanes, isa);
    layer_.neurons = before;
    return result;
  }

  [[nodiscard]] int64_t fired(const Result& result) const {
    int64_t count = 0;
    for (const uint64_t word : result.spikes) count += std::popcount(word);
    return count;
  }

 private:
  void make_input(const Way& way) {
    LayerInput& in = layer_.input;
    const int64_t pixels = in.height * in.width;
    if (way.real) {
      in.input_steps = way.constant ? 1 : layer_.steps;
      values_.resize(static_cast<size_t>(layer_.samples * in.input_steps * pixels * in.channels));
      for (size_t i = 0; i < values_.size(); ++i)
        values_[i] = random_.uniform(i) < way.rate ? static_cast<float>(random_.normal(i)) : 0;
      in.values = values_.data();
      return;
    }

    begin_.push_back(0);
    for (int64_t p = 0; p < pixels; ++p) {
      // Pixels of another map, and some pixels with fewer sources.
      const int64_t own = p % 5 == 4 && !way.regular ? way.sources / 2 : way.sources;
      for (int64_t s = 0; s < own; ++s)
        sources_.push_back({static_cast<int32_t>(s % 2),
                            static_cast<int32_t>(way.regular ? p : (p + s) % pixels)});
      begin_.push_back(static_cast<int32_t>(sources_.size()));
    }
    for (int map = 0; map < 2; ++map) {
      std::vector<uint64_t>& bits = maps_[map];
      bits.resize(static_cast<size_t>(layer_.samples * layer_.steps * pixels * in.words()));
      for (size_t i = 0; i < bits.size(); ++i)
        for (int64_t c = 0; c < 64; ++c) {
          const bool is_channel = static_cast<int64_t>(i) % in.words() * 64 + c < in.channels;
          if (is_channel && random_.uniform(i * 64 + static_cast<size_t>(c)) < way.rate)
            bits[i] |= uint64_t{1} << c;
        }
      map_data_[map] = bits.data();
      map_pixels_[map] = pixels;
    }
    in.begin = begin_.data();
    in.sources = sources_.data();
    in.most_sources = way.sources;
    in.maps = map_data_;
    in.map_pixels = map_pixels_;
    if (way.planes) {
      in.map_plane = map_planes_;
      in.planes = 3;
    }
    if (way.regular) {
      for (int64_t s = 0; s < way.sources; ++s)
        regular_.push_back({static_cast<int32_t>(s % 2), 0});
      in.regular = regular_.data();
      in.regular_row = in.width;
      in.regular_column = 1;
    }
  }

  // Weights that are read whatever fires.
  void make_byte_rows(const Way& way) {
    const int64_t words = layer_.blocks() * layer_.window.taps() * layer_.input.words();
    const bool packed = way.rows == Rows::kPacked;
    layer_.rows.form = packed ? RowForm::kPacked : RowForm::kDense;
    layer_.rows.int8 = true;
    layer_.rows.word_rows = way.word_rows;
    const auto size = static_cast<size_t>(words * (packed ? way.word_rows * 128 : 64 * 64));
    int8_rows_ = std::make_unique<Aligned<uint8_t>>(size);
    for (size_t i = 0; i < size; ++i) {
      int8_rows_->data[i] = static_cast<uint8_t>(random_.word(i));
      // Places of different channels, which differ by output.
      if (packed && i % 128 < 64) {
        const size_t slot = i / 128 % static_cast<size_t>(way.word_rows / 4) * 4 + i % 4;
        int8_rows_->data[i] = static_cast<uint8_t>((slot * 7 + i / 4 % 16 * 5) % 64);
      }
    }
    layer_.rows.data = int8_rows_->data;
  }

  void make_rows(const Way& way) {
    if (way.rows == Rows::kDense || way.rows == Rows::kPacked) return make_byte_rows(way);
    const int64_t taps = layer_.window.taps(), words = layer_.input.words();
    const auto blocks = static_cast<size_t>(layer_.blocks());
    LayerRows& rows = layer_.rows;
    rows.rows = taps * layer_.input.channels;
    rows.part_rows = way.real ? rows.rows : rows_of_parts(layer_.window, layer_.input.channels);
    if (way.rows != Rows::kAll) {
      rows.word_rows = way.word_rows;
      rows.rows = taps * words * way.word_rows;
      rows.part_rows = kept_rows_of_parts(layer_.window, words, way.word_rows);
      for (size_t b = 0; b < blocks; ++b)
        for (int64_t i = 0; i < taps * words; ++i) {
          const int64_t word = way.rows == Rows::kKept ? i : i % words;
          uint64_t keep = 0;
          for (size_t drawn = 0; drawn < 64 || way.full_words; ++drawn) {
            if (std::popcount(keep) == way.word_rows) break;
            const size_t at = (b * 1000 + static_cast<size_t>(word)) * 64 + drawn;
            // Channels in turn, each kept or not; or any channel of the word, until there are enough.
            const int64_t c = way.full_words ? random_.word(at) % 64 : static_cast<int64_t>(drawn);
            if (i % words * 64 + c < layer_.input.channels &&
                (way.full_words || random_.below(at, 4) == 0))
              keep |= uint64_t{1} << c;
          }
          keep_.push_back(keep);
        }
    }
    fill_rows(way);
    rows.keep = keep_.empty() ? nullptr : keep_.data();
    if (rows.keep != nullptr && way.picks) {
      picks_ = make_picks(layer_.window, words, layer_.blocks(), rows);
      rows.picks = &picks_;
    }
  }

  void fill_rows(const Way& way) {
    const LayerRows& rows = layer_.rows;
    const auto values = static_cast<size_t>(layer_.blocks() * rows.block_rows() * 64);
    layer_.rows.int8 = way.int8 && !way.real;
    int8_rows_ = std::make_unique<Aligned<uint8_t>>(values);
    float_rows_ = std::make_unique<Aligned<float>>(values);
    for (size_t i = 0; i < values; ++i) {
      int8_rows_->data[i] = static_cast<uint8_t>(random_.word(i));
      float_rows_->data[i] = static_cast<float>(random_.normal(i));
    }
    for (int64_t b = 0; b < layer_.blocks(); ++b)  // the rows of zeros
      for (int64_t part = 0; part < rows.parts(); ++part)
        for (size_t lane = 0; lane < 64; ++lane) {
          const int64_t row = rows.part_begin(part) + rows.rows_in(part);
          const auto at = static_cast<size_t>(b * rows.block_rows() + row) * 64 + lane;
          int8_rows_->data[at] = lane % 2 == 0 ? 128 : 0;
          float_rows_->data[at] = 0;
        }
    layer_.rows.data = layer_.rows.int8 ? static_cast<const void*>(int8_rows_->data)
                                        : static_cast<const void*>(float_rows_->data);
  }

  void make_neurons(const Way& way) {
    const auto lanes = static_cast<size_t>(layer_.blocks() * 64);
    const auto pixels = static_cast<size_t>(layer_.window.pixels());
    for (size_t i = 0; i < lanes; ++i) {
      const bool is_channel = static_cast<int64_t>(i) < layer_.out_channels;
      scale_.push_back(is_channel ? static_cast<float>(random_.uniform(i, -0.02, 0.02)) : 0);
      shift_.push_back(is_channel ? static_cast<float>(random_.uniform(i + 999, -0.3, 0.5))
                                  : -1e30f);
    }
    LayerNeurons& n = layer_.neurons;
    n = {.fires = way.fires,
         .scale = scale_.data(),
         .shift = shift_.data(),
         .keep = 0.7f,
         .threshold = 0.6f,
         .soft = way.soft ? 1.0f : 0.0f,
         .reset = way.soft ? -0.6f : 0.1f,
         .rest = way.soft ? 0.0f : 0.1f};
    if (way.streams) membrane_.assign(static_cast<size_t>(layer_.samples) * pixels * lanes, 0.25f);
    if (way.alive) {
      for (size_t i = 0; i < pixels * lanes / 64; ++i)
        alive_.push_back(random_.word(2 * i) | uint64_t{random_.word(2 * i + 1)} << 32);
      n.alive = alive_.data();
    }
  }

  RandomAddress random_;
  SpikeLayer layer_;
  std::vector<float> values_, scale_, shift_, membrane_;
  std::vector<int32_t> begin_;
  std::vector<SpikeSource> sources_;
  std::vector<uint64_t> maps_[2], keep_, alive_;
  const uint64_t* map_data_[2] = {};
  int64_t map_pixels_[2] = {};
  int32_t map_planes_[2] = {0, 2};
  std::vector<RegularSource> regular_;
  SpikePicks picks_;
  std::unique_ptr<Aligned<uint8_t>> int8_rows_;
  std::unique_ptr<Aligned<float>> float_rows_;
};

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
    spike_layer_cpu(layer, scratch.data, 1, isa);
    EXPECT_EQ(values, (std::vector<float>{-20.0f, 7.0f})) << isa_name(isa);
  }
}

// Sums of many rows of one sign do not fit 16 bits.
TEST(SpikeLayer, SumsOfThousandsOfRowsAreExact) {
  expect_levels_agree({1, 2, 300, 4, 4, 64, 3, 1, 1}, {.rate = 1, .sources = 4});
  expect_levels_agree({2, 3, 256, 4, 4, 64, 4, 1, 0}, {.rate = 1});  // in chunks
  expect_levels_agree({2, 3, 2000, 1, 1, 70, 1, 1, 0}, {.rate = 0.3});
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
    spike_layer_cpu(layer, scratch.data, 1, isa);
    EXPECT_EQ(values, (std::vector<float>{2.5f, -49.0f, -47.5f})) << isa_name(isa);
  }
}

}  // namespace
}  // namespace spikenm::kernels
