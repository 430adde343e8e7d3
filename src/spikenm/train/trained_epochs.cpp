#include "spikenm/train/trained_epochs.h"

#include "spikenm/core/text.h"
#include "spikenm/train/phase.h"

namespace spikenm::train {

int64_t trained_epochs(const TrainOptions& options) {
  int64_t sum = 0;
  for (const std::string& name : options.phases) sum += phases().find(name)().epochs(options);
  return sum;
}

void check_trained_epochs(const TrainOptions& options) {
  SPIKENM_CHECK(
      trained_epochs(options) > 0,
      "train.phases: {} train no epoch with train.search_epochs = {} of {}; wanted search "
      "or finetune with epochs of its own",
      join(options.phases, ", "), options.search_epochs, options.epochs);
}

}  // namespace spikenm::train
