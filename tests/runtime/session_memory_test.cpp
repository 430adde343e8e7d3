// A session allocates nothing once it is made. Counts every call of this program that gets memory:
// malloc and its kin, which every operator new calls, and mmap.
#include "spikenm/runtime/session_memory.h"

#include "spikenm/core/parallel.h"
#include "support/run_graphs.h"
#include "support/stored_models.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <set>

namespace {

std::atomic<int64_t> allocations = 0;

}  // namespace

extern "C" {

// What glibc's own are made of.
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) noexcept {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) noexcept {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) noexcept {
  ++allocations;
  return __libc_realloc(memory, size);
}
void* memalign(size_t alignment, size_t size) noexcept {
  ++allocations;
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) noexcept {
  return memalign(alignment, size);
}
int posix_memalign(void** memory, size_t alignment, size_t size) noexcept {
  *memory = memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}
void* mmap(void* address, size_t size, int protection, int flags, int file, off_t offset) noexcept {
  ++allocations;
  const long found = ::syscall(SYS_mmap, address, size, protection, flags, file, offset);
  return reinterpret_cast<void*>(found);  // NOLINT(performance-no-int-to-ptr): MAP_FAILED is -1
}

}  // extern "C"

namespace spikenm::runtime {
namespace {

// A rate at which each kernel is chosen for some layer of some network.
constexpr double kRates[] = {0.001, 0.1, 0.4, 1};

void set_rates(StoredModel& model, double rate) {
  for (NodeId id = 0; id < model.graph.nodes().size(); ++id)
    if (model.graph.node(id).as<graph::Neuron>() != nullptr) model.rates[id] = rate;
}

int64_t allocations_of_runs(Session& session, std::span<const float> input) {
  const auto frame = input.first(static_cast<size_t>(session.model().frame_size()));
  const int64_t before = allocations;
  session.run(input);
  session.run(input);
  session.step(frame);
  session.reset();
  session.step(frame);
  return allocations - before;
}

TEST(SessionMemory, EveryCallIsCounted) {
  struct alignas(256) Wide {
    char bytes[256];
  };
  const int64_t before = allocations;
  delete new int;
  delete new Wide;
  std::free(std::calloc(3, 3));
  const AlignedBytes mapped(1);
  EXPECT_EQ(allocations - before, 4);
}

TEST(SessionMemory, RunsWithoutAllocating) {
  const int threads_before = threads();
  set_threads(4);
  std::set<std::string> kernels;
  for (const test::NamedGraph& each : test::run_graphs())
    for (const test::StoredOptions& options : test::stored_ways())
      for (const double rate : kRates) {
        StoredModel stored = test::random_model(each.graph, options);
        set_rates(stored, rate);
        const auto model = std::make_shared<const Model>(stored);
        for (size_t i = 0; i < model->program().layers.size(); ++i)
          kernels.insert(model->layer(i).plan.kernel);
        const std::vector<float> input(static_cast<size_t>(model->frames() * model->frame_size()),
                                       1.0f);
        for (const Isa isa : supported_isas()) {
          Session session(model, {.isa = isa});
          EXPECT_EQ(allocations_of_runs(session, input), 0)
              << each.name << " at " << isa_name(isa) << ", rate " << rate;
        }
      }
  set_threads(threads_before);
  std::set<std::string> wanted{"events", "packed events", "values"};
  if (kernels::has_byte_products()) wanted.merge(std::set<std::string>{"packed", "dense"});
  EXPECT_EQ(kernels, wanted);
}

}  // namespace
}  // namespace spikenm::runtime
