#include "spikenm/data/batch_memory.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

namespace spikenm::data {
namespace {

TEST(BatchMemory, AReleasedBlockServesAgain) {
  const BatchMemory memory(100 * sizeof(float));
  std::shared_ptr<float[]> first = memory.take<float>();
  const float* const place = first.get();
  first[99] = 7;
  first.reset();
  EXPECT_EQ(memory.take<float>().get(), place);
}

TEST(BatchMemory, BlocksInUseAreApart) {
  const BatchMemory memory(100 * sizeof(float));
  std::set<const float*> places;
  std::vector<std::shared_ptr<float[]>> blocks;
  for (int i = 0; i < 5; ++i) places.insert(blocks.emplace_back(memory.take<float>()).get());
  EXPECT_EQ(places.size(), 5u);
  blocks.clear();
  for (int i = 0; i < 5; ++i) places.insert(blocks.emplace_back(memory.take<float>()).get());
  EXPECT_EQ(places.size(), 5u);
}

TEST(BatchMemory, ACopyKeepsTheBlock) {
  const BatchMemory memory(100 * sizeof(float));
  std::shared_ptr<float[]> block = memory.take<float>(), copy = block;
  block.reset();
  EXPECT_NE(memory.take<float>().get(), copy.get());
}

TEST(BatchMemory, ABlockMayOutliveTheMemory) {
  std::shared_ptr<float[]> block;
  {
    const BatchMemory memory(100 * sizeof(float));
    block = memory.take<float>();
  }
  block[99] = 7;
  EXPECT_EQ(block[99], 7);
}

TEST(BatchMemory, ASourceGivesEveryBlockAndHasItBackAtOnce) {
  std::vector<size_t> asked;
  int released = 0;
  const BatchMemory memory(12, [&](size_t n_bytes) {
    asked.push_back(n_bytes);
    return std::shared_ptr<std::byte[]>(new std::byte[n_bytes], [&released](std::byte* bytes) {
      ++released;
      delete[] bytes;
    });
  });
  std::shared_ptr<uint8_t[]> block = memory.take<uint8_t>(), copy = block;
  block[11] = 7;
  block.reset();
  EXPECT_EQ(copy[11], 7);
  EXPECT_EQ(released, 0);
  copy.reset();
  EXPECT_EQ(released, 1);
  static_cast<void>(memory.take<float>());
  EXPECT_EQ(asked, (std::vector<size_t>{12, 12}));  // none was kept in between
  EXPECT_EQ(released, 2);
}

TEST(BatchMemory, ServesManyThreads) {
  const BatchMemory memory(8 * sizeof(float));
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 1000; ++i) {
        const std::shared_ptr<float[]> block = memory.take<float>();
        for (int k = 0; k < 8; ++k) block[k] = static_cast<float>(t);
        for (int k = 0; k < 8; ++k) ASSERT_EQ(block[k], t);
      }
    });
  }
}

}  // namespace
}  // namespace spikenm::data
