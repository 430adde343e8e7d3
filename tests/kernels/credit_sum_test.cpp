#include "spikenm/kernels/credit_sum.h"

#include "spikenm/core/parallel.h"
#include "spikenm/core/random.h"
#include "support/compare.h"

namespace spikenm::kernels {
namespace {

using test::all_identical;

template <class T>
class CreditSumOfType : public testing::Test {};
using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(CreditSumOfType, ValueTypes);

TYPED_TEST(CreditSumOfType, GradientIsTheSumAndCreditTheSumOfMagnitudesOverSteps) {
  using T = TypeParam;
  const std::vector<T> steps[] = {{1, -2, 0, T(0.5)}, {-1, -3, 0, T(0.25)}, {4, 5, T(-0.0), -1}};
  std::vector<T> grad(4, 10), credit(4, 100);
  for (const std::vector<T>& g : steps)
    accumulate_credit<T>(4, g.data(), grad.data(), credit.data());
  EXPECT_TRUE(all_identical(grad, {14, 10, 10, T(9.75)}));
  EXPECT_TRUE(all_identical(credit, {106, 110, 100, T(101.75)}));
}

TYPED_TEST(CreditSumOfType, WithoutCreditTheGradientIsTheSame) {
  using T = TypeParam;
  const std::vector<T> g = {1, -2, 3};
  std::vector<T> grad(3, 1);
  accumulate_credit<T>(3, g.data(), grad.data(), nullptr);
  EXPECT_TRUE(all_identical(grad, {2, -1, 4}));
}

TEST(CreditSum, NothingIsTouchedWhenThereIsNothingToAdd) {
  const float g = 1;
  float grad = 2, credit = 3;
  accumulate_credit<float>(0, &g, &grad, &credit);
  EXPECT_EQ(grad, 2);
  EXPECT_EQ(credit, 3);
}

// Sizes on both sides of a chunk's end.
TEST(CreditSum, EveryElementIsAddedOnceWithOneThreadAndWithTwo) {
  const RandomAddress random(7, 1);
  for (const int64_t n : {1, 7, 32767, 32768, 32769, 100003}) {
    std::vector<float> g(static_cast<size_t>(n)), magnitude(g.size());
    for (size_t i = 0; i < g.size(); ++i) {
      g[i] = static_cast<float>(random.normal(i));
      magnitude[i] = std::abs(g[i]);
    }
    for (const int n_threads : {1, 2}) {
      set_threads(n_threads);
      std::vector<float> grad(g.size(), 0), credit(g.size(), 0);
      accumulate_credit<float>(n, g.data(), grad.data(), credit.data());
      EXPECT_TRUE(all_identical(grad, g)) << n << " elements, " << n_threads << " threads";
      EXPECT_TRUE(all_identical(credit, magnitude))
          << n << " elements, " << n_threads << " threads";
    }
  }
  set_threads(0);
}

}  // namespace
}  // namespace spikenm::kernels
