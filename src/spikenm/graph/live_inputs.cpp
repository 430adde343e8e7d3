#include "spikenm/graph/live_inputs.h"

#include "spikenm/core/parallel.h"

#include <algorithm>

namespace spikenm::graph {
namespace {

constexpr int64_t kWordBits = 64;
// With more distinct values than this, bits are slower than plain sums.
constexpr size_t kMostValues = 32;

// Bits that are set in both, of n words.
int64_t common_bits(const uint64_t* a, const uint64_t* b, int64_t n) {
  constexpr int64_t kRun = 31;  // words whose counts, 8 per byte at most, a byte can hold
  int64_t sum = 0;
  for (int64_t begin = 0; begin < n; begin += kRun) {
    uint64_t bytes = 0;  // counts, one per byte
    for (int64_t i = begin; i < std::min(n, begin + kRun); ++i) {
      uint64_t v = a[i] & b[i];
      v -= (v >> 1) & 0x5555555555555555;
      v = (v & 0x3333333333333333) + ((v >> 2) & 0x3333333333333333);
      bytes += (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0f;
    }
    for (; bytes != 0; bytes >>= 8) sum += static_cast<int64_t>(bytes & 0xff);
  }
  return sum;
}

// The sizes of a layer. One output channel at a time: its `counts` are [H',W'], zeros before.
struct Layer {
  const nm::WeightShape& weights;
  const SynapseGeometry& geometry;
  const Shape &in, &out;

  [[nodiscard]] int64_t out_places() const { return out.height * out.width; }
  [[nodiscard]] int64_t taps() const { return weights.kh * weights.kw; }

  // Calls `visit(place, rows, columns)` for outputs that count, with the inputs that each reads.
  template <class Visit>
  void for_each_output(const uint8_t* useful, const Visit& visit) const {
    for (int64_t y = 0; y < out.height; ++y)
      for (int64_t x = 0; x < out.width; ++x) {
        const int64_t place = y * out.width + x;
        if (useful != nullptr && useful[place] == 0) continue;
        visit(place, y, x);
      }
  }
};

// Inputs as bits: each word holds 64 channels of a place that have the same value. A kept weight
// that reads such a value is then a bit that both have.
class InputBits {
 public:
  InputBits(const Layer& layer, const std::vector<double>& live, std::vector<double> values)
      : layer_(layer),
        values_(std::move(values)),
        words_((layer.weights.cin + kWordBits - 1) / kWordBits) {
    const Shape& in = layer_.in;
    const int64_t places = in.height * in.width;
    bits_.assign(values_.size() * static_cast<size_t>(places * words_), 0);
    for (int64_t c = 0; c < in.channels; ++c)
      for (int64_t place = 0; place < places; ++place) {
        const double value = live[static_cast<size_t>(c * places + place)];
        if (value == 0) continue;
        const auto plane = std::ranges::lower_bound(values_, value) - values_.begin();
        bits_[static_cast<size_t>((plane * places + place) * words_ + c / kWordBits)] |=
            uint64_t{1} << (c % kWordBits);
      }
  }

  // keep [Cin,kh,kw]; useful [H',W'] or null.
  void count(const uint8_t* keep, const uint8_t* useful, double* counts) const {
    const std::vector<uint64_t> kept = pack(keep);
    const nm::WeightShape& w = layer_.weights;
    const SynapseGeometry& g = layer_.geometry;
    const Shape& in = layer_.in;
    layer_.for_each_output(useful, [&](int64_t place, int64_t y, int64_t x) {
      const AxisRange rows = g.inputs(y, w.kh, in.height), columns = g.inputs(x, w.kw, in.width);
      if (columns.size() == 0) return;
      const int64_t first_row = y * g.stride - g.padding, first_column = x * g.stride - g.padding;
      for (size_t plane = 0; plane < values_.size(); ++plane) {
        int64_t common = 0;
        for (int64_t row = rows.begin; row < rows.end; ++row) {
          const int64_t input = (static_cast<int64_t>(plane) * in.height + row) * in.width,
                        tap = (row - first_row) * w.kw + columns.begin - first_column;
          common += common_bits(bits_.data() + (input + columns.begin) * words_,
                                kept.data() + tap * words_, columns.size() * words_);
        }
        counts[place] += values_[plane] * static_cast<double>(common);
      }
    });
  }

 private:
  // [kh,kw,words]
  [[nodiscard]] std::vector<uint64_t> pack(const uint8_t* keep) const {
    std::vector<uint64_t> packed(static_cast<size_t>(layer_.taps() * words_), 0);
    for (int64_t c = 0; c < layer_.weights.cin; ++c)
      for (int64_t tap = 0; tap < layer_.taps(); ++tap)
        packed[static_cast<size_t>(tap * words_ + c / kWordBits)] |= uint64_t{*keep++ != 0}
                                                                     << (c % kWordBits);
    return packed;
  }

  const Layer& layer_;
  std::vector<double> values_;  // other than 0, rising
  int64_t words_;
  std::vector<uint64_t> bits_;  // [value,H,W,words]
};

// The distinct values other than 0, rising; more than kMostValues of them are not all listed.
std::vector<double> distinct_values(const std::vector<double>& live) {
  std::vector<double> found;
  for (const double value : live) {
    const auto it = std::ranges::lower_bound(found, value);
    if (value == 0 || (it != found.end() && *it == value)) continue;
    found.insert(it, value);
    if (found.size() > kMostValues) break;
  }
  return found;
}

// The same by plain sums. keep [Cin,kh,kw], or null: all.
void add_up(const Layer& layer, const double* live, const uint8_t* keep, const uint8_t* useful,
            double* counts) {
  const nm::WeightShape& w = layer.weights;
  const SynapseGeometry& g = layer.geometry;
  layer.for_each_output(useful, [&](int64_t place, int64_t y, int64_t x) {
    const AxisRange rows = g.inputs(y, w.kh, layer.in.height),
                    columns = g.inputs(x, w.kw, layer.in.width);
    const int64_t first_row = y * g.stride - g.padding, first_column = x * g.stride - g.padding;
    double sum = 0;
    for (int64_t c = 0; c < w.cin; ++c)
      for (int64_t row = rows.begin; row < rows.end; ++row)
        for (int64_t column = columns.begin; column < columns.end; ++column) {
          const int64_t tap = (c * w.kh + row - first_row) * w.kw + column - first_column;
          if (keep != nullptr && keep[tap] == 0) continue;
          sum += live[(c * layer.in.height + row) * layer.in.width + column];
        }
    counts[place] = sum;
  });
}

// A linear layer's output. Four sums at a time: one alone would wait for each addition.
double add_up_row(int64_t n, const double* live, const uint8_t* keep) {
  double sums[4] = {};
  for (int64_t i = 0; i + 3 < n; i += 4)
    for (int64_t k = 0; k < 4; ++k) sums[k] += keep[i + k] != 0 ? live[i + k] : 0;
  for (int64_t i = n / 4 * 4; i < n; ++i) sums[0] += keep[i] != 0 ? live[i] : 0;
  return sums[0] + sums[1] + sums[2] + sums[3];
}

// Where no weight is dropped, all output channels find the same.
void count_without_mask(const Layer& layer, const std::vector<double>& live,
                        const std::vector<uint8_t>& useful, std::vector<double>& counts) {
  const auto places = static_cast<size_t>(layer.out_places());
  std::vector<double> one(places, 0);
  add_up(layer, live.data(), nullptr, nullptr, one.data());
  for (size_t i = 0; i < counts.size(); ++i)
    counts[i] = useful.empty() || useful[i] != 0 ? one[i % places] : 0;
}

}  // namespace

std::vector<double> live_inputs(const Synapse& synapse, const Shape& in, const Shape& out,
                                const std::vector<double>& live, const std::vector<uint8_t>& keep,
                                const std::vector<uint8_t>& useful) {
  const Layer layer{synapse.shape, synapse.geometry, in, out};
  std::vector<double> counts(static_cast<size_t>(out.values()), 0);
  if (keep.empty()) {
    count_without_mask(layer, live, useful, counts);
    return counts;
  }

  const int64_t row = synapse.shape.cin * layer.taps(), places = layer.out_places();
  const auto each_channel = [&](const auto& count) {
    parallel_for(out.channels, 1, [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o)
        count(keep.data() + o * row, useful.empty() ? nullptr : useful.data() + o * places,
              counts.data() + o * places);
    });
  };

  const bool is_linear = in.height * in.width * layer.taps() == 1 && places == 1;
  std::vector<double> values = distinct_values(live);
  if (is_linear) {
    each_channel([&](const uint8_t* kept, const uint8_t* used, double* found) {
      if (used == nullptr || *used != 0) *found = add_up_row(row, live.data(), kept);
    });
  } else if (values.size() <= kMostValues) {
    const InputBits bits(layer, live, std::move(values));
    each_channel([&](const uint8_t* kept, const uint8_t* used, double* found) {
      bits.count(kept, used, found);
    });
  } else {
    each_channel([&](const uint8_t* kept, const uint8_t* used, double* found) {
      add_up(layer, live.data(), kept, used, found);
    });
  }

  return counts;
}

}  // namespace spikenm::graph
