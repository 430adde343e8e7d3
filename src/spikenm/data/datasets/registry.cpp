#include "spikenm/data/dataset.h"

namespace spikenm::data {

// One row a dataset; the factory is defined in the file of its name.
#define SPIKENM_DATASETS(row)              \
  row("moving-shapes", open_moving_shapes, \
      "built in: ten moving shapes before a simulated event camera")

#define SPIKENM_DECLARE(name, open, summary) \
  std::unique_ptr<Dataset> open(const Config&, int64_t frames, uint64_t seed);
SPIKENM_DATASETS(SPIKENM_DECLARE)
#undef SPIKENM_DECLARE

const Registry<DatasetFactory>& datasets() {
#define SPIKENM_ROW(name, open, summary) {name, summary, open},
  static const Registry<DatasetFactory> registry("dataset", {SPIKENM_DATASETS(SPIKENM_ROW)});
#undef SPIKENM_ROW
  return registry;
}

}  // namespace spikenm::data
