// Memory for batches. The memory of a released batch is used again: new pages from the system would
// cost about as much time as filling them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace spikenm::data {

// Returns a block of `n_bytes` bytes, for example page-locked memory for a GPU. Several threads may
// call it at once. It must not return a released block again before all reading of it has ended.
using BlockSource = std::function<std::shared_ptr<std::byte[]>(size_t n_bytes)>;

// Blocks of one size. Safe to call from several threads at once; blocks may live longer than it.
class BatchMemory {
 public:
  // Without a source, blocks come from the heap and are used again as soon as they are released.
  explicit BatchMemory(size_t n_bytes, BlockSource source = {})
      : pool_(std::make_shared<Pool>()), n_bytes_(n_bytes), source_(std::move(source)) {}

  // The block's content is not defined: it may hold the values of its last user.
  template <class T>
  [[nodiscard]] std::shared_ptr<T[]> take() const {
    const std::shared_ptr<std::byte[]> block = source_ ? source_(n_bytes_) : from_pool();
    return {block, reinterpret_cast<T*>(block.get())};
  }

 private:
  using Block = std::unique_ptr<std::byte[]>;
  struct Pool {
    std::mutex mutex;
    std::vector<Block> free;
  };

  [[nodiscard]] std::shared_ptr<std::byte[]> from_pool() const {
    Block block;
    {
      const std::scoped_lock lock(pool_->mutex);
      if (!pool_->free.empty()) {
        block = std::move(pool_->free.back());
        pool_->free.pop_back();
      }
    }
    if (!block) block = std::make_unique_for_overwrite<std::byte[]>(n_bytes_);

    const auto give_back = [pool = pool_](std::byte* bytes) {
      Block returned(bytes);
      const std::scoped_lock lock(pool->mutex);
      pool->free.push_back(std::move(returned));
    };
    return {block.release(), give_back};
  }

  std::shared_ptr<Pool> pool_;
  size_t n_bytes_;
  BlockSource source_;
};

}  // namespace spikenm::data
