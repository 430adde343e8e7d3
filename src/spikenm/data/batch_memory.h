// Memory for batches. What a released batch held serves the next one: to have fresh pages from the
// system would cost about as much as to fill them.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace spikenm::data {

// Blocks of one size. Safe to call from several threads at once; blocks may outlive it.
class BatchMemory {
 public:
  explicit BatchMemory(size_t n_floats) : pool_(std::make_shared<Pool>()), n_floats_(n_floats) {}

  // Holds whatever the block's last user left there.
  [[nodiscard]] std::shared_ptr<float[]> take() const {
    Block block;
    {
      const std::scoped_lock lock(pool_->mutex);
      if (!pool_->free.empty()) {
        block = std::move(pool_->free.back());
        pool_->free.pop_back();
      }
    }
    if (!block) block = std::make_unique_for_overwrite<float[]>(n_floats_);
    const auto give_back = [pool = pool_](float* values) {
      Block returned(values);
      const std::scoped_lock lock(pool->mutex);
      pool->free.push_back(std::move(returned));
    };
    return {block.release(), give_back};
  }

 private:
  using Block = std::unique_ptr<float[]>;
  struct Pool {
    std::mutex mutex;
    std::vector<Block> free;
  };

  std::shared_ptr<Pool> pool_;
  size_t n_floats_;
};

}  // namespace spikenm::data
