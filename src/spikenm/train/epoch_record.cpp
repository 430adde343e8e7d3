#include "spikenm/train/epoch_record.h"

namespace spikenm::train {

Json EpochRecord::line() const {
  Json line = {{"epoch", epoch},
               {"phase", phase},
               {"lr", lr},
               {"loss", loss},
               {"train_accuracy", train_accuracy},
               {"seconds", seconds},
               {"samples_per_second", samples_per_second},
               {"memory_gb", memory_bytes / 1e9}};
  if (is_validated) line.update(Json{{"val_loss", val_loss}, {"val_accuracy", val_accuracy}});
  line.update(extra);
  return line;
}

}  // namespace spikenm::train
