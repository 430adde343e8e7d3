// Where the spikes that a layer reads come from. Sums, means and pools of spikes need not be
// computed: who reads them adds the spikes up at their places.
#pragma once

#include "spikenm/graph/graph.h"
#include "spikenm/kernels/spike_layer.h"

#include <vector>

namespace spikenm::runtime {

using graph::NodeId;

// Maps of bits of one node. An average pool counts the spikes of its windows, in binary: it has a map
// for each plane, bit p of the counts.
struct MapPlane {
  NodeId node = 0;
  int64_t plane = 0;
  friend bool operator==(const MapPlane&, const MapPlane&) = default;
};

// The planes that hold counts up to `most`.
int64_t count_planes(int64_t most);

// Where the spikes of a node that is a sum come from. A node of bits has itself as its only source.
struct Sources {
  int64_t height = 1, width = 1, channels = 1;  // of the map; flattening leaves it as it is
  bool flattened = false;                       // the node is a row, channel by channel
  double unit = 1;                              // what a spike counts
  std::vector<MapPlane> maps;
  std::vector<int32_t> begin{0};           // [pixels + 1]
  std::vector<kernels::SpikeSource> list;  // `map` is a place in `maps`

  // Sources of the pixel that has most.
  [[nodiscard]] int64_t most() const;
  // A spike on a map of plane p counts 2^p units; the number of planes.
  [[nodiscard]] int64_t planes() const;
  // The largest value of an input, in units.
  [[nodiscard]] int64_t most_count() const;

  // The same as a rule, where there is one: a plain map, or pools of one size; else empty.
  std::vector<kernels::RegularSource> regular;
  int64_t regular_row = 0, regular_column = 0;
  void find_regular();
};

// Of neurons: each pixel is its own source.
Sources own_bits(NodeId id, const graph::Shape& shape);
// Of an average pool of bits that is counted at its own places.
Sources counted(NodeId id, const graph::Pool& pool, const graph::Shape& shape);
// Of an average pool, the mean of a map and a sum that are read through.
Sources pooled(const Sources& in, const graph::Pool& pool, const graph::Shape& out);
Sources mean_of(const Sources& in);
Sources sum_of(const std::vector<const Sources*>& inputs);

}  // namespace spikenm::runtime
