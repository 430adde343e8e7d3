#include "spikenm/runtime/row_budget.h"

#include "spikenm/core/error.h"

namespace spikenm::runtime {
namespace {

// 1:64 of one layer with a single output in int8, read by real values, would need 16,384 bytes of a byte;
// networks that are of use need at most some 80.
constexpr int64_t kFreeBytes = int64_t{64} << 20, kBytesOfAByte = 256;

}  // namespace

RowBudget::RowBudget(const StoredModel& model)
    : weights_(weight_bytes(model)), left_(kFreeBytes + kBytesOfAByte * weights_) {}

void RowBudget::take(const std::string& synapse, int64_t bytes) {
  SPIKENM_CHECK(
      bytes <= left_,
      "'{}': found weights that would take {} MB laid out to run, wanted at most {} MB beside "
      "those before, with {} bytes of weights in all",
      synapse, bytes >> 20, left_ >> 20, weights_);
  left_ -= bytes;
}

}  // namespace spikenm::runtime
