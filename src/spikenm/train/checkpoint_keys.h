// The keys of [checkpoints].
#pragma once

#include "spikenm/core/key.h"

namespace spikenm::train {
namespace checkpoint_key {

inline const RealKey kEveryMinutes{"every_minutes", 5, 0, 1e6,
                                   "minutes between checkpoints; 0: time asks for none"};
inline const IntKey kEveryEpochs{"every_epochs", 0, 0, 1'000'000,
                                 "epochs between checkpoints; 0: epochs ask for none"};
inline const IntKey kKeep{"keep", 2, 1, 1000, "newest checkpoints that stay in the run folder"};

inline KeyList all() {
  return {&kEveryMinutes, &kEveryEpochs, &kKeep};
}

}  // namespace checkpoint_key
}  // namespace spikenm::train
