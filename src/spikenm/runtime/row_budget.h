// How much memory the weights of a model may take once they are laid out for the kernels. A few bytes of a
// mask can stand for many rows: a block of 64 with one weight becomes 64 of them, each of 64 outputs however
// few the layer has. So beyond the first megabytes the file's weights must justify what is asked for.
#pragma once

#include "spikenm/runtime/stored_model.h"

namespace spikenm::runtime {

class RowBudget {
 public:
  explicit RowBudget(const StoredModel& model);
  // An Error names the synapse whose rows are too many.
  void take(const std::string& synapse, int64_t bytes);

 private:
  int64_t weights_, left_;
};

}  // namespace spikenm::runtime
