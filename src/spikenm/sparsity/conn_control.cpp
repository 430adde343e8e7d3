#include "spikenm/sparsity/conn_control.h"

#include <algorithm>
#include <cmath>

namespace spikenm::sparsity {
namespace {

constexpr double kProportional = 2, kIntegral = 0.05;
constexpr double kLargest = 1;  // largest error: beyond it the penalty does not grow
constexpr double kNear = 0.5;   // errors below this are summed
constexpr double kLimit = 3;  // several times the task's gradient already moves masks at full speed

}  // namespace

double ConnControl::update(double conn) {
  const double error = std::clamp(std::log(std::max(conn, 1e-12) / target_), -kLargest, kLargest);
  // Errors are not summed far from the target nor at the limit: their sum would cause an overshoot.
  const double sum = std::abs(error) < kNear ? sum_ + error : sum_;
  const double wanted = kProportional * error + kIntegral * sum;
  if (std::abs(wanted) < kLimit) sum_ = sum;
  return std::clamp(wanted, -kLimit, kLimit);
}

}  // namespace spikenm::sparsity
