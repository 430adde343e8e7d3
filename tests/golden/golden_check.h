// Compares a backend with the golden vectors, case by case. SPIKENM_GOLDEN=DIR reads another folder
// of them.
#pragma once

#include "golden/golden_reader.h"
#include "support/compare.h"
#include "support/neuron_run.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <type_traits>

namespace spikenm::test {

using kernels::Neuron;
using kernels::NeuronParams;

inline Golden chosen_golden() {
  const char* folder = std::getenv("SPIKENM_GOLDEN");
  return read_golden(folder != nullptr && *folder != '\0' ? folder
                                                          : SPIKENM_SOURCE_DIR "/tests/golden");
}

template <class T>
Tolerance tolerance() {
  return std::is_same_v<T, double> ? Tolerance{1e-10, 1e-10} : Tolerance{1e-6, 1e-5};
}

// run(params, steps, x, g) returns a NeuronRun<T>.
template <class T, class Run>
void expect_agrees(const Golden& golden, const GoldenCase& c, Run&& run) {
  const bool learns_leak = graph::traits_of(c.params.neuron).learns_leak;
  NeuronParams params = c.params;
  T k = 0;
  if (learns_leak) {
    k = 1 / (1 + std::exp(-golden.array<T>(c, "w", 1)[0]));
    params.k = k;
  }
  const auto stored = [&](const char* name) { return golden.array<T>(c, name, c.numel); };
  const NeuronRun<T> found = run(params, c.steps, stored("x"), stored("g"));
  EXPECT_TRUE(all_close(found.spikes, stored("spikes"), {})) << "spikes";
  EXPECT_TRUE(all_close(found.v, stored("v"), tolerance<T>())) << "v";
  EXPECT_TRUE(all_close(found.grad_x, stored("grad_x"), tolerance<T>())) << "grad_x";
  if (learns_leak) {
    const std::vector<T> grad_w = {static_cast<T>(k * (1 - k) * found.grad_k)};
    EXPECT_TRUE(all_close(grad_w, golden.array<T>(c, "grad_w", 1), tolerance<T>())) << "grad_w";
  }
}

// Calls check(golden, case) for the cases of one dtype.
template <class Check>
void for_each_case(const std::string& dtype, Check&& check) {
  const Golden golden = chosen_golden();
  int n_checked = 0;
  for (const GoldenCase& c : golden.cases) {
    if (c.dtype != dtype) continue;
    SCOPED_TRACE(c.name);
    check(golden, c);
    ++n_checked;
  }
  if (n_checked == 0) GTEST_SKIP() << golden.folder.string() << " has no " << dtype << " cases";
}

}  // namespace spikenm::test
