// Counts synaptic operations. An operation is one spike at one live weight, so a layer does sum_i
// x_i reach_i of them, where reach is the number of live weights that read a place: one pass over
// the spikes instead of a convolution.
#pragma once

#include "spikenm/kernels/real.h"

#include <cstdint>

namespace spikenm::kernels {

// sum x[n,i] reach[i] over x [samples, places]; reach holds whole numbers, in the same order of
// places. The sum is double, in a fixed order: exact for spikes and for what pools and residual
// sums make of them.
template <class T>
double sop_count(int64_t samples, int64_t places, const T* x, const float* reach);

// Adds the count to parts [kSopParts]; the sum of the parts is the count.
inline constexpr int64_t kSopParts = 1024;
void sop_count_cuda(int64_t samples, int64_t places, Real real, const void* x, const float* reach,
                    double* parts, void* stream);

// Adds to live [inputs] how many weights of w [outputs, inputs] are not 0, over all outputs.
template <class T>
void count_live(int64_t outputs, int64_t inputs, const T* w, float* live);
void count_live_cuda(int64_t outputs, int64_t inputs, const float* w, float* live, void* stream);

}  // namespace spikenm::kernels
