#include "spikenm/core/parallel.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
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

// Terms of both signs over many magnitudes: the sum in any other order has other bits.
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

// Many short loops from `callers` threads at once; how many chunks ran.
int64_t chunks_run_by(int callers) {
  std::atomic<int64_t> chunks = 0;
  std::vector<std::thread> threads;
  for (int caller = 0; caller < callers; ++caller) {
    threads.emplace_back([&] {
      for (int loop = 0; loop < 500; ++loop)
        parallel_for(8, 1, [&](int64_t, int64_t) { ++chunks; });
    });
  }
  for (std::thread& thread : threads) thread.join();
  return chunks;
}

TEST_P(Parallel, SeveralCallersAtOnceAllGetTheirWorkDone) {
  EXPECT_EQ(chunks_run_by(4), 4 * 500 * 8);
}

TEST_P(Parallel, AFailureLeavesTheNextLoopWhole) {
  for (int loop = 0; loop < 200; ++loop) {
    EXPECT_THROW(parallel_for(8, 1,
                              [](int64_t begin, int64_t) {
                                if (begin % 3 == 1) throw std::runtime_error("no");
                              }),
                 std::runtime_error);
    std::atomic<int> calls = 0;
    parallel_for(8, 1, [&](int64_t, int64_t) { ++calls; });
    ASSERT_EQ(calls, 8);
  }
}

// A child of fork has none of its parent's workers.
TEST_P(Parallel, AChildOfForkHasWorkersOfItsOwn) {
  const auto sum = [] {
    return static_cast<int>(
        parallel_sum(10, 1, [](int64_t begin, int64_t) { return static_cast<double>(begin); }));
  };
  ASSERT_EQ(sum(), 45);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(sum());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 45);
  EXPECT_EQ(sum(), 45);
}

TEST(Threads, ALoopUsesNoMoreThanWereAskedFor) {
  for (const int n : {4, 2, 3}) {
    set_threads(n);
    for (int loop = 0; loop < 20; ++loop) {
      std::mutex mutex;
      std::set<std::thread::id> seen;
      parallel_for(16, 1, [&](int64_t, int64_t) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        const std::lock_guard<std::mutex> lock(mutex);
        seen.insert(std::this_thread::get_id());
      });
      EXPECT_LE(seen.size(), static_cast<size_t>(n));
    }
  }
  set_threads(0);
}

TEST(Threads, TwoChunksRunAtTheSameTime) {
  set_threads(2);
  std::atomic<int> begun = 0;
  parallel_for(2, 1, [&](int64_t, int64_t) {
    ++begun;
    begun.notify_all();
    for (int now = begun; now < 2; now = begun) begun.wait(now);
  });
  EXPECT_EQ(begun, 2);
  set_threads(0);
}

// Who waits must not take the time of who works: for half a second of loops, each as long as
// its one slow chunk, the waiting threads use little time. CPU time, so that a busy machine does
// not count.
TEST(Threads, WaitingThreadsSleep) {
  set_threads(2);
  constexpr int kLoops = 200;
  constexpr std::chrono::milliseconds kSlow{2};
  const std::clock_t before = std::clock();
  for (int loop = 0; loop < kLoops; ++loop) {
    parallel_for(2, 1, [&](int64_t begin, int64_t) {
      if (begin == 0) std::this_thread::sleep_for(kSlow);
    });
  }
  const double used = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  const double waited = kLoops * std::chrono::duration<double>(kSlow).count();
  EXPECT_LT(used, waited / 4);
  set_threads(0);
}

// libgomp's threads spin for milliseconds before they sleep, and no variable set within the process
// changes that.
TEST(Threads, NoOpenMpIsInATorchFreeProgram) {
  parallel_for(2, 1, [](int64_t, int64_t) {});
  std::ifstream maps("/proc/self/maps");
  ASSERT_TRUE(maps);
  for (std::string line; std::getline(maps, line);)
    EXPECT_EQ(line.find("libgomp"), std::string::npos) << line;
}

TEST(Threads, ZeroAsksForAtLeastOne) {
  set_threads(3);
  EXPECT_EQ(threads(), 3);
  set_threads(0);
  EXPECT_GE(threads(), 1);
}

}  // namespace
}  // namespace spikenm
