// What the instruction-set files give to the driver of spike_layer.h.
#pragma once

#include "spikenm/kernels/spike_layer.h"

namespace spikenm::kernels {

using SpikeTile = void (*)(const SpikeLayer&, const LayerTile&, std::byte* scratch);

// Bytes of scratch that a tile needs at every level.
size_t spike_tile_scratch(const SpikeLayer& layer, const LayerTile& largest);

}  // namespace spikenm::kernels
