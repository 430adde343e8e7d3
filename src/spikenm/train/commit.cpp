#include "spikenm/train/commit.h"

#include "commit_of_build.h"

namespace spikenm::train {

const char* commit() {
  return SPIKENM_COMMIT;
}

}  // namespace spikenm::train
