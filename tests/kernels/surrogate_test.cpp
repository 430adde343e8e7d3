#include "spikenm/kernels/math/surrogate.h"

#include "support/surrogates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace spikenm::kernels {
namespace {

constexpr double kAlphas[] = {0.5, 1, 2, 4, 10};

TEST(Surrogate, DerivativeIsTheSlopeOfThePrimitive) {
  constexpr double kStep = 1e-6;
  for (const Surrogate kind : test::all_surrogates())
    for (const double alpha : kAlphas)
      for (double u = -3; u <= 3; u += 0.0371) {
        const double slope = (surrogate_primitive(kind, alpha, u + kStep) -
                              surrogate_primitive(kind, alpha, u - kStep)) /
                             (2 * kStep);
        EXPECT_NEAR(surrogate_derivative(kind, alpha, u), slope, 1e-8 * alpha * alpha)
            << "surrogate " << static_cast<int>(kind) << " alpha " << alpha << " u " << u;
      }
}

TEST(Surrogate, PrimitiveRisesFromZeroToOneThroughOneHalf) {
  for (const Surrogate kind : test::all_surrogates())
    for (const double alpha : kAlphas) {
      EXPECT_NEAR(surrogate_primitive(kind, alpha, -1e9), 0, 1e-8);
      EXPECT_DOUBLE_EQ(surrogate_primitive(kind, alpha, 0), 0.5);
      EXPECT_NEAR(surrogate_primitive(kind, alpha, 1e9), 1, 1e-8);
    }
}

template <class T>
class SurrogateOfType : public testing::Test {};
using ValueTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(SurrogateOfType, ValueTypes);

TYPED_TEST(SurrogateOfType, DerivativeIsFiniteAndNotNegativeForEveryFiniteInput) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  const T sizes[] = {0,
                     Limits::denorm_min(),
                     Limits::min() / 2,
                     T(1e-30),
                     T(1),
                     T(1e4),
                     T(1e20),
                     T(std::numeric_limits<float>::max()),
                     Limits::max()};
  for (const Surrogate kind : test::all_surrogates())
    for (const double alpha : kAlphas)
      for (const T size : sizes)
        for (const T u : {size, -size}) {
          const T slope = surrogate_derivative(kind, T(alpha), u);
          EXPECT_TRUE(std::isfinite(slope) && slope >= 0)
              << slope << " for surrogate " << static_cast<int>(kind) << " alpha " << alpha << " u "
              << u;
        }
}

TYPED_TEST(SurrogateOfType, DerivativePeaksAtZeroWithItsKnownHeight) {
  using T = TypeParam;
  for (const double alpha : kAlphas) {
    EXPECT_EQ(surrogate_derivative(Surrogate::kAtan, T(alpha), T(0)), T(alpha / 2));
    EXPECT_EQ(surrogate_derivative(Surrogate::kSigmoid, T(alpha), T(0)), T(alpha / 4));
    EXPECT_EQ(surrogate_derivative(Surrogate::kTriangle, T(alpha), T(0)), T(alpha));
  }
}

}  // namespace
}  // namespace spikenm::kernels
