#include "spikenm/kernels/conv3x3.h"

#include "spikenm/core/parallel.h"
#include "support/compare.h"
#include "support/normal_values.h"

#include <algorithm>
#include <string>

namespace spikenm::kernels {
namespace {

using test::all_close;
using test::all_identical;
using test::normal_values;

// Around vectors of 8 and 16 and blocks of 12 and 32, odd and even maps, maps of one pixel, one row
// and one column, several groups of tiles.
const Conv3x3 kShapes[] = {{1, 1, 1, 1, 1},    {2, 2, 2, 3, 5},     {3, 5, 4, 16, 16},
                           {1, 1, 9, 17, 8},   {1, 8, 1, 8, 33},    {2, 7, 7, 33, 31},
                           {5, 6, 6, 13, 48},  {2, 12, 11, 32, 64}, {1, 3, 3, 100, 12},
                           {9, 40, 40, 24, 7}, {4, 17, 16, 65, 36}};

std::string describe(const Conv3x3& s) {
  return std::to_string(s.images) + " images of " + std::to_string(s.height) + "x" +
         std::to_string(s.width) + ", " + std::to_string(s.cin) + " to " + std::to_string(s.cout);
}

struct Arrays {
  std::vector<float> x, weight, y;              // inputs, and y or its gradient
  std::vector<float> out, grad_x, grad_weight;  // results
};

Arrays arrays_of(const Conv3x3& s) {
  const auto pixels = static_cast<size_t>(s.images * s.height * s.width);
  const auto cin = static_cast<size_t>(s.cin), cout = static_cast<size_t>(s.cout);
  return {.x = normal_values<float>(pixels * cin, 1, 1),
          .weight = normal_values<float>(9 * cin * cout, 1, 2),
          .y = normal_values<float>(pixels * cout, 1, 3),
          .out = std::vector<float>(pixels * cout, -7.0f),
          .grad_x = std::vector<float>(pixels * cin, -7.0f),
          .grad_weight = std::vector<float>(9 * cin * cout, -7.0f)};
}

// Calls body(x index, weight index, y index) for every product of the convolution.
template <class Body>
void for_products(const Conv3x3& s, Body&& body) {
  for (int64_t i = 0; i < s.images; ++i)
    for (int64_t r = 0; r < s.height; ++r)
      for (int64_t c = 0; c < s.width; ++c)
        for (int64_t k = 0; k < 9; ++k) {
          const int64_t row = r + k / 3 - 1, column = c + k % 3 - 1;
          if (row < 0 || row >= s.height || column < 0 || column >= s.width) continue;
          for (int64_t in = 0; in < s.cin; ++in)
            for (int64_t out = 0; out < s.cout; ++out)
              body(static_cast<size_t>(((i * s.height + row) * s.width + column) * s.cin + in),
                   static_cast<size_t>((out * s.cin + in) * 9 + k),
                   static_cast<size_t>(((i * s.height + r) * s.width + c) * s.cout + out));
        }
}

// By plain sums in double.
Arrays plain(const Conv3x3& s) {
  Arrays a = arrays_of(s);
  std::vector<double> out(a.out.size()), grad_x(a.x.size()), grad_weight(a.weight.size());
  for_products(s, [&](size_t x, size_t w, size_t y) {
    out[y] += static_cast<double>(a.x[x]) * a.weight[w];
    grad_x[x] += static_cast<double>(a.y[y]) * a.weight[w];
    grad_weight[w] += static_cast<double>(a.y[y]) * a.x[x];
  });
  a.out.assign(out.begin(), out.end());
  a.grad_x.assign(grad_x.begin(), grad_x.end());
  a.grad_weight.assign(grad_weight.begin(), grad_weight.end());
  return a;
}

// The workspace holds NaN: what is read must have been written.
Arrays by_kernels(const Conv3x3& s, Isa isa) {
  Arrays a = arrays_of(s);
  const auto workspace = [&] {
    return std::vector<float>(static_cast<size_t>(conv3x3_workspace(s)), std::nanf(""));
  };
  conv3x3_forward(s, a.x.data(), a.weight.data(), a.out.data(), workspace().data(), isa);
  conv3x3_grad_input(s, a.y.data(), a.weight.data(), a.grad_x.data(), workspace().data(), isa);
  conv3x3_grad_weight(s, a.x.data(), a.y.data(), a.grad_weight.data(), workspace().data(), isa);
  return a;
}

std::vector<Isa> vector_isas() {
  std::vector<Isa> all = supported_isas();
  std::erase_if(all, [](Isa isa) { return !has_conv3x3(isa); });
  return all;
}

// Rounding of a sum, relative to the largest result.
test::Tolerance rounding(const std::vector<float>& wanted) {
  double largest = 0;
  for (const float w : wanted) largest = std::max(largest, std::abs(static_cast<double>(w)));
  return {3e-6 * largest, 0};
}

TEST(Conv3x3, OutputsAndGradientsAreThoseOfPlainSums) {
  for (const Conv3x3& s : kShapes) {
    const Arrays wanted = plain(s);
    for (const Isa isa : vector_isas()) {
      SCOPED_TRACE(describe(s) + " " + std::string(isa_name(isa)));
      const Arrays found = by_kernels(s, isa);
      EXPECT_TRUE(all_close(found.out, wanted.out, rounding(wanted.out)));
      EXPECT_TRUE(all_close(found.grad_x, wanted.grad_x, rounding(wanted.grad_x)));
      EXPECT_TRUE(all_close(found.grad_weight, wanted.grad_weight, rounding(wanted.grad_weight)));
    }
  }
}

// Whole numbers and halves are exact in every sum.
TEST(Conv3x3, SpikesAndWholeWeightsGiveExactSums) {
  const Conv3x3 s{3, 9, 10, 20, 30};
  Arrays wanted = arrays_of(s);
  for (float& x : wanted.x) x = x > 0.5f ? 1.0f : 0.0f;
  for (float& w : wanted.weight) w = std::round(4 * w);
  std::fill(wanted.out.begin(), wanted.out.end(), 0.0f);
  for_products(
      s, [&](size_t x, size_t w, size_t y) { wanted.out[y] += wanted.x[x] * wanted.weight[w]; });
  for (const Isa isa : vector_isas()) {
    std::vector<float> found(wanted.out.size()),
        workspace(static_cast<size_t>(conv3x3_workspace(s)));
    conv3x3_forward(s, wanted.x.data(), wanted.weight.data(), found.data(), workspace.data(), isa);
    EXPECT_TRUE(all_close(found, wanted.out, {})) << isa_name(isa);
  }
}

TEST(Conv3x3, OneThreadTwoAndThreeGiveTheSameBits) {
  for (const Conv3x3& s : {Conv3x3{9, 40, 40, 24, 70}, Conv3x3{5, 6, 6, 130, 100}})
    for (const Isa isa : vector_isas()) {
      set_threads(1);
      const Arrays wanted = by_kernels(s, isa);
      for (const int n_threads : {2, 3}) {
        set_threads(n_threads);
        const Arrays found = by_kernels(s, isa);
        EXPECT_TRUE(all_identical(found.out, wanted.out));
        EXPECT_TRUE(all_identical(found.grad_x, wanted.grad_x));
        EXPECT_TRUE(all_identical(found.grad_weight, wanted.grad_weight)) << isa_name(isa);
      }
      set_threads(0);
    }
}

TEST(Conv3x3, NoImagesHaveNoWeightGradient) {
  const Conv3x3 s{0, 4, 4, 3, 5};
  for (const Isa isa : vector_isas())
    EXPECT_TRUE(all_identical(by_kernels(s, isa).grad_weight, std::vector<float>(3 * 5 * 9, 0.0f)));
}

}  // namespace
}  // namespace spikenm::kernels
