#include "spikenm/core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace spikenm {
namespace {

class Parallel : public testing::TestWithParam<int> {
 protected:
  Parallel() { set_threads(GetParam()); }
  ~Parallel() override { set_threads(0); }
};

INSTANTIATE_TEST_SUITE_P(Threads, Parallel, testing::Values(1, 2, 5));

TEST_P(Parallel, VisitsEveryIndexOnce) {
  for (const int64_t n : {1, 7, 8, 9, 1000}) {
    for (const int64_t grain : {int64_t{1}, int64_t{8}, int64_t{2000}, INT64_MAX}) {
      std::vector<int> visits(static_cast<size_t>(n));
      parallel_for(n, grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) ++visits[static_cast<size_t>(i)];
      });
      EXPECT_EQ(visits, std::vector<int>(static_cast<size_t>(n), 1)) << n << " by " << grain;
    }
  }
}

TEST_P(Parallel, ChunksAreCutBySizeAlone) {
  std::vector<std::atomic<int64_t>> ends(10);
  parallel_for(10, 4, [&](int64_t begin, int64_t end) { ends[static_cast<size_t>(begin)] = end; });
  EXPECT_EQ(ends[0], 4);
  EXPECT_EQ(ends[4], 8);
  EXPECT_EQ(ends[8], 10);
}

TEST_P(Parallel, NothingToDoCallsNobody) {
  const auto unwanted = [](int64_t, int64_t) -> double { throw std::runtime_error("called"); };
  EXPECT_NO_THROW(parallel_for(0, 4, unwanted));
  EXPECT_EQ(parallel_sum(0, 4, unwanted), 0.0);
}

TEST_P(Parallel, GrainBelowOneIsOne) {
  std::atomic<int> calls = 0;
  parallel_for(3, 0, [&](int64_t, int64_t) { ++calls; });
  EXPECT_EQ(calls, 3);
}

TEST_P(Parallel, FirstFailureByChunkIsRethrown) {
  try {
    parallel_for(100, 1, [](int64_t begin, int64_t) {
      if (begin >= 10) throw std::runtime_error(std::to_string(begin));
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "10");
  }
}

TEST_P(Parallel, NestedLoopsCoverEverything) {
  std::atomic<int> calls = 0;
  parallel_for(6, 1,
               [&](int64_t, int64_t) { parallel_for(6, 1, [&](int64_t, int64_t) { ++calls; }); });
  EXPECT_EQ(calls, 36);
}

// Terms of both signs over many magnitudes: any other order of addition gives other bits.
double hostile_sum(int64_t grain) {
  return parallel_sum(5000, grain, [](int64_t begin, int64_t end) {
    double sum = 0;
    for (int64_t i = begin; i < end; ++i)
      sum += std::sin(static_cast<double>(i)) * std::pow(10.0, static_cast<double>(i % 17));
    return sum;
  });
}

TEST_P(Parallel, SumHasTheBitsOfOneThread) {
  for (const int64_t grain : {1, 7, 64, 10000}) {
    set_threads(1);
    const double single = hostile_sum(grain);
    set_threads(GetParam());
    for (int repeat = 0; repeat < 10; ++repeat)
      EXPECT_EQ(std::bit_cast<uint64_t>(hostile_sum(grain)), std::bit_cast<uint64_t>(single));
  }
}

TEST(Threads, ZeroAsksForAtLeastOne) {
  set_threads(3);
  EXPECT_EQ(threads(), 3);
  set_threads(0);
  EXPECT_GE(threads(), 1);
}

}  // namespace
}  // namespace spikenm
