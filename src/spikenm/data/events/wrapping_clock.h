// A 32-bit counter of µs, continued after it wraps, which is every 71.6 minutes.
#pragma once

#include <cstdint>

namespace spikenm::data {

class WrappingClock {
 public:
  // The counter's time without wraps. A decrease by more than half the range is a wrap; a smaller
  // step back is in the file itself and is kept.
  int64_t read(uint32_t counter) {
    if (counter < last_) {
      if (last_ - counter > kHalf) epoch_ += kRange;
    } else if (counter - last_ > kHalf && epoch_ > 0) {
      epoch_ -= kRange;  // a late event from before the wrap
    }
    last_ = counter;
    return epoch_ + counter;
  }

 private:
  static constexpr int64_t kRange = int64_t{1} << 32;
  static constexpr uint32_t kHalf = uint32_t{1} << 31;

  int64_t epoch_ = 0;
  uint32_t last_ = 0;
};

}  // namespace spikenm::data
