#include "spikenm/data/batch_memory.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

namespace spikenm::data {
namespace {

TEST(BatchMemory, AReleasedBlockServesAgain) {
  const BatchMemory memory(100);
  std::shared_ptr<float[]> first = memory.take();
  const float* const place = first.get();
  first[99] = 7;
  first.reset();
  EXPECT_EQ(memory.take().get(), place);
}

TEST(BatchMemory, BlocksInUseAreApart) {
  const BatchMemory memory(100);
  std::set<const float*> places;
  std::vector<std::shared_ptr<float[]>> blocks;
  for (int i = 0; i < 5; ++i) places.insert(blocks.emplace_back(memory.take()).get());
  EXPECT_EQ(places.size(), 5u);
  blocks.clear();
  for (int i = 0; i < 5; ++i) places.insert(blocks.emplace_back(memory.take()).get());
  EXPECT_EQ(places.size(), 5u);
}

TEST(BatchMemory, ACopyKeepsTheBlock) {
  const BatchMemory memory(100);
  std::shared_ptr<float[]> block = memory.take(), copy = block;
  block.reset();
  EXPECT_NE(memory.take().get(), copy.get());
}

TEST(BatchMemory, ABlockMayOutliveTheMemory) {
  std::shared_ptr<float[]> block;
  {
    const BatchMemory memory(100);
    block = memory.take();
  }
  block[99] = 7;
  EXPECT_EQ(block[99], 7);
}

TEST(BatchMemory, ServesManyThreads) {
  const BatchMemory memory(8);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 1000; ++i) {
        const std::shared_ptr<float[]> block = memory.take();
        for (int k = 0; k < 8; ++k) block[k] = static_cast<float>(t);
        for (int k = 0; k < 8; ++k) ASSERT_EQ(block[k], t);
      }
    });
  }
}

}  // namespace
}  // namespace spikenm::data
