#include "spikenm/runtime/aligned.h"

#include "spikenm/core/error.h"

#include <sys/mman.h>

#include <utility>

namespace spikenm::runtime {
namespace {

constexpr size_t kPage = 4096, kHugePage = size_t{2} << 20;

}  // namespace

AlignedBytes::AlignedBytes(size_t bytes) : size_(bytes) {
  if (bytes == 0) return;
  // Pages of the system are zeros, and take no memory before they are touched.
  mapped_ = (bytes + kPage - 1) / kPage * kPage;
  void* const found =
      ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  SPIKENM_CHECK(found != MAP_FAILED, "memory: wanted {} bytes to run the network, found too few",
                bytes);
  data_ = static_cast<std::byte*>(found);
  if (mapped_ >= kHugePage) ::madvise(found, mapped_, MADV_HUGEPAGE);  // a wish
}

AlignedBytes::~AlignedBytes() {
  if (data_ != nullptr) ::munmap(data_, mapped_);
}

AlignedBytes::AlignedBytes(AlignedBytes&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      mapped_(std::exchange(other.mapped_, 0)) {}

AlignedBytes& AlignedBytes::operator=(AlignedBytes&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

}  // namespace spikenm::runtime
