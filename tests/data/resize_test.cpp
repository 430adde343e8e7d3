#include "spikenm/data/resize.h"

#include "support/compare.h"
#include "support/expect_error.h"

#include <numeric>

namespace spikenm::data {
namespace {

using test::all_close;

std::vector<float> formula_plane(int64_t height, int64_t width) {
  std::vector<float> plane;
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x)
      plane.push_back(static_cast<float>((7 * x * x + 13 * y + 3 * x * y) % 29));
  return plane;
}

struct Sizes {
  int64_t in_height, in_width, out_height, out_width;
};

std::vector<float> resized(const Sizes& s) {
  std::vector<float> out(static_cast<size_t>(s.out_height * s.out_width));
  Resizer(s.in_height, s.in_width, s.out_height, s.out_width)
      .apply(formula_plane(s.in_height, s.in_width).data(), out.data(), 1);
  return out;
}

// Wanted values are PyTorch 2.11's interpolate(mode="bilinear", antialias=True); Pillow 13's
// BILINEAR on mode F agrees to six digits.
TEST(Resize, ShrinksAsPyTorchDoes) {
  EXPECT_TRUE(all_close(resized({7, 7, 3, 3}),
                        {14.3571415f, 18.1386547f, 15.1020403f, 17.4537811f, 15.9757795f,
                         22.3025188f, 12.438776f, 15.3109245f, 14.2806139f},
                        {.relative = 1e-6}));
  EXPECT_TRUE(all_close(resized({5, 9, 2, 4}),
                        {14.6701317f, 18.4589806f, 14.9002209f, 13.2168837f, 18.2233753f,
                         15.3159628f, 21.5266037f, 12.9467525f},
                        {.relative = 1e-6}));
  EXPECT_TRUE(all_close(resized({6, 4, 1, 1}), {15.6620359f}, {.relative = 1e-6}));
}

TEST(Resize, GrowsAsPyTorchDoes) {
  const std::vector<float> found = resized({5, 5, 8, 8});
  EXPECT_TRUE(
      all_close(std::vector<float>(found.begin(), found.begin() + 16),
                {0, 3.0625f, 8.3125f, 21.4375f, 20.8125f, 6.4375f, 16.25f, 25, 5.6875f, 9.32421875f,
                 14.6015625f, 20.6171875f, 20.8125f, 15.1875f, 19.4765625f, 23.25f},
                {.relative = 1e-6}));
}

// Every 97th value, and sums over all.
TEST(Resize, ShrinksSensorFramesAsPyTorchDoes) {
  const std::vector<float> found = resized({128, 128, 48, 48});
  std::vector<float> some;
  for (size_t i = 0; i < found.size(); i += 97) some.push_back(found[i]);
  EXPECT_TRUE(all_close(
      some, {15.5921059f, 16.1284599f, 15.4916935f, 13.2828541f, 14.0033226f, 11.7375412f,
             11.3055744f, 12.8100786f, 13.8610163f, 16.4072437f, 13.5603542f, 16.6755276f,
             16.3699284f, 15.1943455f, 13.6777411f, 13.6873999f, 12.1079769f, 12.1738663f,
             13.3472157f, 13.7270308f, 15.3272419f, 13.3418045f, 17.1129608f, 16.3455143f},
      {.relative = 2e-6}));
}

TEST(Resize, WholeFramesSumUpAsPyTorchsDo) {
  struct Row {
    Sizes sizes;
    double sum, weighted;  // of value, and of value * place
  };
  for (const Row& row : {Row{{128, 128, 48, 48}, 31946.0442, 36711500.3},
                         Row{{34, 34, 48, 48}, 32323.8458, 37178874.6},
                         Row{{260, 346, 128, 128}, 226610.307, 1.85409612e9}}) {
    double sum = 0, weighted = 0, place = 0;
    for (const float v : resized(row.sizes)) sum += v, weighted += v * place++;
    EXPECT_NEAR(sum / row.sum, 1, 1e-7) << row.sizes.in_height;
    EXPECT_NEAR(weighted / row.weighted, 1, 1e-7) << row.sizes.in_height;
  }
}

TEST(Resize, SameSizeIsACopy) {
  for (const int64_t n : {1, 2, 3, 6}) EXPECT_EQ(resized({n, 7, n, 7}), formula_plane(n, 7));
}

TEST(Resize, ConstantPlanesStayConstant) {
  for (const int64_t in : {1, 2, 3, 5, 16, 129}) {
    for (const int64_t out_size : {1, 2, 7, 48, 130}) {
      const std::vector<float> plane(static_cast<size_t>(in * in), 3.0f);
      std::vector<float> out(static_cast<size_t>(out_size * out_size));
      Resizer(in, in, out_size, out_size).apply(plane.data(), out.data(), 1);
      EXPECT_TRUE(all_close(out, std::vector<float>(out.size(), 3.0f), {.relative = 1e-6}))
          << in << " -> " << out_size;
    }
  }
}

TEST(Resize, PlanesDoNotMix) {
  const std::vector<float> one = formula_plane(9, 11);
  std::vector<float> three = one;
  three.insert(three.end(), one.size(), 0.0f);
  for (const float v : one) three.push_back(2 * v);
  std::vector<float> out(3 * 4 * 5);
  Resizer(9, 11, 4, 5).apply(three.data(), out.data(), 3);
  const std::vector<float> wanted = resized({9, 11, 4, 5});
  for (size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(out[i], wanted[i]);
    EXPECT_EQ(out[20 + i], 0);
    EXPECT_EQ(out[40 + i], 2 * wanted[i]);
  }
}

TEST(Resize, NoPlanesAreNoWork) {
  Resizer(3, 3, 2, 2).apply(nullptr, nullptr, 0);
}

TEST(Resize, RefusesEmptySides) {
  EXPECT_ERROR(Resizer(0, 4, 2, 2), "resize: found a side of 0 -> 2, wanted 1 or more");
  EXPECT_ERROR(Resizer(4, 4, 2, -1), "found a side of 4 -> -1");
}

}  // namespace
}  // namespace spikenm::data
