// Layers of spike_layer.h with all their arrays, for tests: random spikes, weights and neurons of a shape.
#pragma once

#include "spikenm/core/random.h"
#include "spikenm/kernels/pick_tables.h"

#include <bit>
#include <memory>
#include <vector>

namespace spikenm::kernels::trial {

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
  bool small = false;     // weights of at most 4: sums of any number of rows fit 16 bits
  bool extreme = false;   // weights of 127 or -128, one of them in all rows of an output
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
    spike_layer_cpu(layer_, {scratch.data, scratch.size}, lanes, isa);
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
      rows.picks = picks_.view();
    }
  }

  void fill_rows(const Way& way) {
    const LayerRows& rows = layer_.rows;
    const auto values = static_cast<size_t>(layer_.blocks() * rows.block_rows() * 64);
    layer_.rows.int8 = way.int8 && !way.real;
    if (way.small) layer_.rows.narrow_rows = 8000;
    int8_rows_ = std::make_unique<Aligned<uint8_t>>(values);
    float_rows_ = std::make_unique<Aligned<float>>(values);
    for (size_t i = 0; i < values; ++i) {
      int8_rows_->data[i] = static_cast<uint8_t>(random_.word(i));
      if (way.small)
        int8_rows_->data[i] = static_cast<uint8_t>(i % 2 * 128 + 124 + random_.word(i) % 9);
      // Two weights lie in 16 bits; the lower byte holds 128 more than its weight.
      if (way.extreme) {
        const int weight = i / 2 % 3 == 0 ? 127 : -128;
        int8_rows_->data[i] = static_cast<uint8_t>(i % 2 == 0 ? weight + 128 : weight);
      }
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
  PickTables picks_;
  std::unique_ptr<Aligned<uint8_t>> int8_rows_;
  std::unique_ptr<Aligned<float>> float_rows_;
};

}  // namespace spikenm::kernels::trial
