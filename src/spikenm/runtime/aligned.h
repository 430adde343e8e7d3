// Memory for kernels: aligned to a cache line, of zeros.
#pragma once

#include <cstddef>
#include <cstdint>

namespace spikenm::runtime {

class AlignedBytes {
 public:
  AlignedBytes() = default;
  // An Error says how much was asked for when there is no such memory. Large buffers lie on huge
  // pages where the system has them: rows are read in no order.
  explicit AlignedBytes(size_t bytes);
  ~AlignedBytes();
  AlignedBytes(AlignedBytes&& other) noexcept;
  AlignedBytes& operator=(AlignedBytes&& other) noexcept;
  AlignedBytes(const AlignedBytes&) = delete;
  AlignedBytes& operator=(const AlignedBytes&) = delete;

  template <class T>
  [[nodiscard]] T* as() {
    return reinterpret_cast<T*>(data_);
  }
  template <class T>
  [[nodiscard]] const T* as() const {
    return reinterpret_cast<const T*>(data_);
  }
  [[nodiscard]] size_t size() const { return size_; }

 private:
  std::byte* data_ = nullptr;
  size_t size_ = 0, mapped_ = 0;
};

}  // namespace spikenm::runtime
