// Makes one factor and one summand of all that stands between a sum of weights and a membrane.
#pragma once

#include "spikenm/runtime/program.h"

namespace spikenm::runtime {

// Sets the layer's scale and shift. The neurons' input is
//
//   gain * norm(… (unit * q * sum + bias)) + pull  =  scale * sum + shift
//
// with q the scale of int8 weights, `unit` what a spike counts, and gain and pull those of the
// neurons' charge. Computed in double, rounded once.
void fold_layer(const StoredModel& model, Layer& layer, double unit);

// Constants of neurons whose current is folded; scale, shift and pointers are not set.
kernels::LayerNeurons folded_neurons(const graph::NeuronParams& params);

}  // namespace spikenm::runtime
