#include "spikenm/sparsity/temperature.h"

#include <gtest/gtest.h>

#include <cmath>

namespace spikenm::sparsity {
namespace {

TEST(Temperature, FallsFromTauMaxToTauMin) {
  EXPECT_DOUBLE_EQ(temperature(1, 0.1, 0), 1);
  EXPECT_DOUBLE_EQ(temperature(1, 0.1, 1), 0.1);
  EXPECT_DOUBLE_EQ(temperature(5, 0.5, 0), 5);
  EXPECT_DOUBLE_EQ(temperature(5, 0.5, 1), 0.5);
}

TEST(Temperature, NeverGoesBelowTauMin) {
  EXPECT_DOUBLE_EQ(temperature(1, 0.1, 1.5), 0.1);
}

TEST(Temperature, IsGeometricInBetween) {
  EXPECT_NEAR(temperature(1, 0.1, 0.5), std::sqrt(0.1), 1e-12);
  for (int step = 0; step < 9; ++step) {
    const double ratio =
        temperature(2, 0.02, (step + 1) / 10.0) / temperature(2, 0.02, step / 10.0);
    EXPECT_NEAR(ratio, std::pow(0.01, 0.1), 1e-12) << step;
  }
}

TEST(Temperature, EqualEndsStayPut) {
  EXPECT_DOUBLE_EQ(temperature(0.7, 0.7, 0.3), 0.7);
}

TEST(Geometric, GoesEitherWay) {
  EXPECT_NEAR(geometric(0.1, 10, 0.5), 1, 1e-12);
  EXPECT_NEAR(geometric(10, 0.1, 0.5), 1, 1e-12);
  EXPECT_DOUBLE_EQ(geometric(3, 7, 0), 3);
  EXPECT_NEAR(geometric(3, 7, 1), 7, 1e-12);
}

TEST(AnnealedDraws, FallByTheCubeOfWhatIsLeft) {
  EXPECT_EQ(annealed_draws(16, 2, 0), 16);
  EXPECT_EQ(annealed_draws(16, 2, 0.5), 4);   // 2 + 14/8 = 3.75
  EXPECT_EQ(annealed_draws(16, 2, 0.25), 8);  // 2 + 14 * 27/64 = 7.9
  EXPECT_EQ(annealed_draws(16, 2, 1), 2);
}

TEST(AnnealedDraws, NeverRiseAndNeverFallBelowN) {
  int before = 64;
  for (int step = 0; step <= 100; ++step) {
    const int draws = annealed_draws(64, 3, step / 100.0);
    EXPECT_LE(draws, before);
    EXPECT_GE(draws, 3);
    before = draws;
  }
}

}  // namespace
}  // namespace spikenm::sparsity
