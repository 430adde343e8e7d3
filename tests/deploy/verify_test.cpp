#include "spikenm/deploy/verify.h"

#include "support/expect_error.h"

namespace spikenm::deploy {
namespace {

TEST(Agreement, FloatsMayDifferByRoundingAlone) {
  Agreement found{.samples = 1000, .equal_labels = 995, .farthest = 1e-5};
  EXPECT_NO_THROW(found.check_floats("m.snm"));
  found.equal_labels = 994;
  EXPECT_ERROR(found.check_floats("m.snm"), "m.snm", "99.40 %", "99.5");
  found.equal_labels = 1000;
  found.far_samples = 2;
  found.farthest = 0.25;
  EXPECT_ERROR(found.check_floats("m.snm"), "m.snm", "2 samples", "0.25", "1e-05");
}

}  // namespace
}  // namespace spikenm::deploy
