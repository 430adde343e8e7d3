#include "spikenm/train/map_memory.h"

#include "spikenm/core/error.h"
#include "spikenm/graph/walks.h"

#include <unistd.h>

namespace spikenm::train {

void check_map_memory(const graph::Graph& graph, int64_t maps, const std::string& source,
                      std::string_view remedy) {
  const graph::Node& largest = graph.node(graph::largest_map(graph));
  const double machine =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  const double wanted = 4.0 * static_cast<double>(largest.out.values()) * static_cast<double>(maps);
  SPIKENM_CHECK(wanted <= machine / 2,
                "{}: {} would take {:.3g} GB, wanted at most half of this machine's {:.3g} GB; {}",
                source, largest.name, wanted / 1e9, machine / 1e9, remedy);
}

}  // namespace spikenm::train
