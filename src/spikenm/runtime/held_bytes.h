// Bytes that stay as long as somebody holds them: a vector of their own, or a part of a file that was
// read whole. So the weights of a file are laid out from where they were read.
#pragma once

#include "spikenm/core/bytes.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace spikenm::runtime {

using SharedFile = std::shared_ptr<const std::vector<uint8_t>>;

class HeldBytes {
 public:
  HeldBytes() = default;
  HeldBytes(std::vector<uint8_t> own)  // NOLINT(google-explicit-constructor): it is the same bytes
      : owner_(std::make_shared<const std::vector<uint8_t>>(std::move(own))), bytes_(*owner_) {}
  HeldBytes(SharedFile file, Bytes part) : owner_(std::move(file)), bytes_(part) {}

  operator Bytes() const { return bytes_; }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] const uint8_t* data() const { return bytes_.data(); }
  [[nodiscard]] size_t size() const { return bytes_.size(); }
  friend bool operator==(const HeldBytes& a, const HeldBytes& b) {
    return std::ranges::equal(a.bytes_, b.bytes_);
  }

 private:
  SharedFile owner_;
  Bytes bytes_;
};

}  // namespace spikenm::runtime
