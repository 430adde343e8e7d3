// The processor time that this process takes: a limit on it holds on a machine with other work too.
#pragma once

#include <ctime>

namespace spikenm::test {

class CpuClock {
 public:
  [[nodiscard]] double seconds() const {
    return static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC;
  }

 private:
  std::clock_t start_ = std::clock();
};

}  // namespace spikenm::test
