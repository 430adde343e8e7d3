// Somebody who may not do everything, for as long as it lives: root reads and writes what it likes.
#pragma once

#include <unistd.h>

namespace spikenm::test {

class Nobody {
 public:
  Nobody() : before_(::geteuid()) {
    if (before_ == 0) is_nobody_ = ::seteuid(65534) == 0;
  }
  ~Nobody() {
    if (is_nobody_) static_cast<void>(::seteuid(before_) == 0);
  }
  Nobody(const Nobody&) = delete;
  Nobody& operator=(const Nobody&) = delete;

 private:
  uid_t before_;
  bool is_nobody_ = false;
};

}  // namespace spikenm::test
