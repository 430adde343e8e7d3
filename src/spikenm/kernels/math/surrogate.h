// Surrogate derivatives. primitive(u) is a smooth step from 0 to 1 and derivative(u) its slope,
// with u = h - threshold. Both are finite for every finite u: the sigmoid takes exp of -|u| only,
// and ATan's square may overflow to infinity, whose reciprocal is a correct 0.
#pragma once

#include "spikenm/graph/neuron_params.h"
#include "spikenm/kernels/math/value.h"

#if !defined(SPIKENM_NO_LIBM)
#include <cmath>
#endif

namespace spikenm::kernels {

using graph::Surrogate;

constexpr double kHalfPi = 1.57079632679489661923;

// Eq. (4): do/du is replaced by phi'(u); phi is chosen by an option.
template <class V>
SPIKENM_HD V surrogate_derivative(Surrogate kind, V alpha, V u) {
  switch (kind) {
    case Surrogate::kAtan: {  // (alpha/2) / (1 + (pi/2 alpha u)^2)
      const V scaled = V(kHalfPi) * alpha * u;
      return quotient(V(0.5) * alpha, fused(scaled, scaled, V(1.0)));
    }
    case Surrogate::kSigmoid: {  // alpha q (1 - q), q = 1 / (1 + exp(-alpha u)); even in u
      const V e = exp_nonpositive(V(0.0) - absolute(alpha * u));
      const V one_plus = V(1.0) + e;
      return quotient(alpha * e, one_plus * one_plus);
    }
    case Surrogate::kTriangle:  // max(0, alpha - alpha^2 |u|)
      return larger(alpha - alpha * alpha * absolute(u), V(0.0));
  }
  return V(0.0);
}

#if !defined(SPIKENM_NO_LIBM)
// The smooth step whose slope is surrogate_derivative; the gradient tests fire with it instead of
// the true step.
inline double surrogate_primitive(Surrogate kind, double alpha, double u) {
  switch (kind) {
    case Surrogate::kAtan:
      return std::atan(kHalfPi * alpha * u) / (2 * kHalfPi) + 0.5;
    case Surrogate::kSigmoid:
      return u >= 0 ? 1 / (1 + std::exp(-alpha * u))
                    : std::exp(alpha * u) / (1 + std::exp(alpha * u));
    case Surrogate::kTriangle: {
      const double a = alpha * u;
      if (a <= -1) return 0;
      if (a >= 1) return 1;
      return 0.5 + a - 0.5 * a * (a < 0 ? -a : a);
    }
  }
  return 0;
}
#endif

}  // namespace spikenm::kernels
