#include "spikenm/data/memory_cache.h"

#include "spikenm/data/packed_sample.h"
#include "spikenm/data/wrapped_dataset.h"

#include <atomic>

namespace spikenm::data {
namespace {

class MemoryCache : public WrappedDataset {
 public:
  explicit MemoryCache(std::shared_ptr<const Dataset> dataset)
      : WrappedDataset(std::move(dataset)),
        train_(static_cast<size_t>(size(Part::kTrain))),
        test_(static_cast<size_t>(size(Part::kTest))) {}

  ~MemoryCache() override {
    for (auto* slots : {&train_, &test_})
      for (const Slot& slot : *slots) delete slot.load();
  }

  [[nodiscard]] const uint8_t* bytes(Part part, int64_t index) const override {
    return inner().bytes(part, index);
  }
  void read(Part part, int64_t index, float* out) const override {
    const std::span<float> values(out, static_cast<size_t>(info().sample_size()));
    Slot& slot = (part == Part::kTrain ? train_ : test_)[static_cast<size_t>(index)];
    if (const std::string* packed = slot.load())
      return unpack_sample(as_bytes(*packed), values, info().name);

    inner().read(part, index, out);
    auto fresh = std::make_unique<const std::string>(pack_sample(values));
    const std::string* none = nullptr;
    // If two threads have made the same sample, the second one drops its copy.
    if (slot.compare_exchange_strong(none, fresh.get())) static_cast<void>(fresh.release());
  }

 private:
  using Slot = std::atomic<const std::string*>;
  mutable std::vector<Slot> train_, test_;
};

}  // namespace

std::shared_ptr<const Dataset> with_memory_cache(std::shared_ptr<const Dataset> dataset) {
  return std::make_shared<MemoryCache>(std::move(dataset));
}

}  // namespace spikenm::data
