// Against plain loops, one number at a time.
#include "spikenm/runtime/node_ops.h"

#include "spikenm/core/random.h"
#include "support/run_graphs.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace spikenm::runtime {
namespace {

struct Bits {
  std::vector<uint64_t> words;
  BitsView view;

  Bits(int64_t steps, int64_t pixels, int64_t channels, double rate = 0)
      : words(static_cast<size_t>(steps * pixels * kernels::spike_words(channels)), 0),
        view{words.data(), steps, pixels, channels} {
    const RandomAddress random(3, 1);
    uint64_t drawn = 0;
    for (int64_t t = 0; t < steps; ++t)
      for (int64_t p = 0; p < pixels; ++p)
        for (int64_t c = 0; c < channels; ++c)
          if (random.uniform(drawn++) < rate) view.at(t, p)[c / 64] |= uint64_t{1} << c % 64;
  }
  [[nodiscard]] int64_t get(int64_t t, int64_t pixel, int64_t channel) const {
    return static_cast<int64_t>(view.at(t, pixel)[channel / 64] >> channel % 64 & 1);
  }
};

struct Real {
  std::vector<float> values;
  RealView view;

  Real(int64_t steps, int64_t pixels, int64_t channels, uint64_t seed = 0)
      : values(static_cast<size_t>(steps * pixels * channels)),
        view{values.data(), steps, pixels, channels} {
    for (size_t i = 0; i < values.size() && seed != 0; ++i)
      values[i] = static_cast<float>(RandomAddress(seed, 2).normal(i));
  }
  [[nodiscard]] float get(int64_t t, int64_t pixel, int64_t channel) const {
    return view.at(t)[pixel * view.channels + channel];
  }
};

// Calls use(t, place, pixels of its window, channel) for each value of a pool.
template <class Use>
void each_value(const graph::Pool& pool, const graph::Shape& map, int64_t steps, const Use& use) {
  const int64_t width = pool.out(map.width);
  for (int64_t t = 0; t < steps; ++t)
    for (int64_t place = 0; place < pool.out(map.height) * width; ++place)
      for (int64_t c = 0; c < map.channels; ++c) {
        std::vector<int64_t> pixels;
        for (int64_t i = 0; i < pool.size * pool.size; ++i) {
          const int64_t y = place / width * pool.stride - pool.padding + i / pool.size;
          const int64_t x = place % width * pool.stride - pool.padding + i % pool.size;
          if (y >= 0 && y < map.height && x >= 0 && x < map.width)
            pixels.push_back(y * map.width + x);
        }
        use(t, place, pixels, c);
      }
}

int64_t out_pixels(const graph::Pool& pool, const graph::Shape& map) {
  return pool.out(map.height) * pool.out(map.width);
}

const graph::Shape kMaps[] = {{1, 3, 3}, {63, 4, 5}, {64, 5, 4}, {65, 7, 6}, {130, 6, 6}};
const int64_t kSteps[] = {1, 3};
const double kRates[] = {0, 0.3, 1};

TEST(NodeOps, AverageCountsAreThoseOfTheirWindows) {
  for (const graph::Shape& map : kMaps)
    for (const int64_t steps : kSteps)
      for (const double rate : kRates)
        for (const graph::Pool& pool :
             {graph::Pool{}, graph::Pool{.size = 2, .stride = 1},
              graph::Pool{.size = 3, .stride = 2}, graph::Pool{.size = 1, .stride = 1}}) {
          const Bits in(steps, map.height * map.width, map.channels, rate);
          const auto n_planes = static_cast<size_t>(count_planes(pool.size * pool.size));
          std::vector<Bits> planes(n_planes, Bits(steps, out_pixels(pool, map), map.channels));
          std::vector<BitsView> views;
          for (Bits& plane : planes) {
            plane.view.data = plane.words.data();  // a copy's own
            views.push_back(plane.view);
          }
          apply_pool_planes(pool, map, in.view, views);
          each_value(
              pool, map, steps, [&](int64_t t, int64_t place, const auto& pixels, int64_t c) {
                int64_t wanted = 0, found = 0;
                for (const int64_t pixel : pixels) wanted += in.get(t, pixel, c);
                for (size_t p = 0; p < n_planes; ++p) found += planes[p].get(t, place, c) << p;
                ASSERT_EQ(found, wanted) << map.text() << " size " << pool.size << " rate " << rate;
              });
        }
}

TEST(NodeOps, AMaxPoolOfSpikesFiresWhereAnyDid) {
  for (const graph::Shape& map : kMaps)
    for (const int64_t steps : kSteps)
      for (const double rate : kRates)
        for (const graph::Pool& pool :
             {test::max_pool(2, 2), test::max_pool(3, 2, 1), test::max_pool(3, 1)}) {
          const Bits in(steps, map.height * map.width, map.channels, rate);
          const Bits out(steps, out_pixels(pool, map), map.channels, 1);  // is written over
          apply_pool_bits(pool, map, in.view, out.view);
          each_value(
              pool, map, steps, [&](int64_t t, int64_t place, const auto& pixels, int64_t c) {
                const bool wanted = std::ranges::any_of(
                    pixels, [&](int64_t pixel) { return in.get(t, pixel, c) != 0; });
                ASSERT_EQ(out.get(t, place, c), wanted) << map.text() << " size " << pool.size;
              });
        }
}

TEST(NodeOps, PoolsOfRealValues) {
  for (const graph::Shape& map : kMaps)
    for (const int64_t steps : kSteps)
      for (const graph::Pool& pool : {graph::Pool{}, graph::Pool{.size = 3, .stride = 1},
                                      test::max_pool(2, 2), test::max_pool(3, 2, 1)}) {
        const Real in(steps, map.height * map.width, map.channels, 1);
        const Real out(steps, out_pixels(pool, map), map.channels);
        apply_pool(pool, map, in.view, out.view);
        const bool is_max = pool.kind == graph::PoolKind::kMax;
        each_value(pool, map, steps, [&](int64_t t, int64_t place, const auto& pixels, int64_t c) {
          double wanted = is_max ? -1e9 : 0;
          for (const int64_t pixel : pixels) {
            const double value = in.get(t, pixel, c);
            wanted = is_max ? std::max(wanted, value)
                            : wanted + value / static_cast<double>(pool.size * pool.size);
          }
          ASSERT_NEAR(out.get(t, place, c), wanted, 1e-6) << map.text() << " size " << pool.size;
        });
      }
}

// An image is one step that lasts; what it is added to may have many.
TEST(NodeOps, SumsAddTheStepsOfAllInputs) {
  const Real a(3, 4, 5, 1), b(3, 4, 5, 2), lasting(1, 4, 5, 3), out(3, 4, 5);
  apply_sum(std::vector<RealView>{a.view, b.view, lasting.view}, out.view);
  for (int64_t t = 0; t < 3; ++t)
    for (int64_t p = 0; p < 4; ++p)
      for (int64_t c = 0; c < 5; ++c)
        EXPECT_FLOAT_EQ(out.get(t, p, c), a.get(t, p, c) + b.get(t, p, c) + lasting.get(0, p, c));
}

TEST(NodeOps, MeansFlattensAndVotes) {
  const Real in(2, 6, 4, 1), mean(2, 1, 4), flat(2, 1, 24), votes(2, 1, 12);
  apply_mean(in.view, mean.view);
  apply_flatten(in.view, flat.view);
  apply_vote(2, flat.view, votes.view);
  for (int64_t t = 0; t < 2; ++t) {
    for (int64_t c = 0; c < 4; ++c) {
      double total = 0;
      for (int64_t p = 0; p < 6; ++p) {
        total += in.get(t, p, c);
        EXPECT_EQ(flat.get(t, 0, c * 6 + p), in.get(t, p, c));
      }
      EXPECT_NEAR(mean.get(t, 0, c), total / 6, 1e-6);
    }
    for (int64_t k = 0; k < 12; ++k)
      EXPECT_FLOAT_EQ(votes.get(t, 0, k), (flat.get(t, 0, 2 * k) + flat.get(t, 0, 2 * k + 1)) / 2);
  }
}

// A sum of two maps, read as floats.
TEST(NodeOps, ExpandedSumsAddTheirSpikes) {
  for (const double rate : kRates)
    for (const int64_t channels : {1, 64, 65}) {
      const graph::Shape shape{channels, 2, 3};
      const Sources one = own_bits(1, shape), two = own_bits(2, shape);
      const Sources sum = sum_of({&one, &two});
      const Bits a(2, 6, channels, rate), b(2, 6, channels, 1 - rate);
      const Real out(2, 6, channels);
      apply_expand(sum, std::vector<BitsView>{a.view, b.view}, out.view);
      for (int64_t t = 0; t < 2; ++t)
        for (int64_t p = 0; p < 6; ++p)
          for (int64_t c = 0; c < channels; ++c)
            ASSERT_EQ(out.get(t, p, c), static_cast<float>(a.get(t, p, c) + b.get(t, p, c)));
    }
}

}  // namespace
}  // namespace spikenm::runtime
