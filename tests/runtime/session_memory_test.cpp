// A session allocates nothing once it is made. Counts every call of operator new of this program.
#include "spikenm/runtime/session_memory.h"

#include "support/run_graphs.h"
#include "support/stored_models.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<int64_t> allocations = 0;

}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* const found = std::malloc(size)) return found;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace spikenm::runtime {
namespace {

TEST(SessionMemory, RunsWithoutAllocating) {
  for (const test::NamedGraph& each : test::run_graphs()) {
    const StoredModel model =
        test::random_model(each.graph, {.type = WeightType::kInt8, .masks_neurons = true});
    Session session(std::make_shared<const Model>(model));
    const std::vector<float> input(
        static_cast<size_t>(session.model().frames() * session.model().frame_size()), 1.0f);
    const std::span<const float> frame =
        std::span(input).first(static_cast<size_t>(session.model().frame_size()));
    session.run(input);  // threads start at the first call
    const int64_t before = allocations;
    session.run(input);
    session.step(frame);
    session.reset();
    session.step(frame);
    EXPECT_EQ(allocations - before, 0) << each.name;
  }
}

}  // namespace
}  // namespace spikenm::runtime
