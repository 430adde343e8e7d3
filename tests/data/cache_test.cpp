#include "spikenm/data/cache.h"

#include "spikenm/core/file.h"
#include "spikenm/core/interrupt.h"
#include "spikenm/core/parallel.h"
#include "support/child.h"
#include "support/counted_dataset.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <unistd.h>

#include <bit>
#include <csignal>
#include <fstream>
#include <limits>
#include <set>
#include <thread>

namespace spikenm::data {
namespace {

// Two threads, on a machine of any size, while this lives.
struct TwoThreads {
  TwoThreads() { set_threads(2); }
  ~TwoThreads() { set_threads(0); }
  TwoThreads(const TwoThreads&) = delete;
  TwoThreads& operator=(const TwoThreads&) = delete;
};

namespace fs = std::filesystem;
using test::CountedDataset;
using test::in_child;
using test::status_of;
using test::TempDir;
using test::values_of;

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

// The only thing in the folder is the finished cache.
void expect_only_the_cache(const fs::path& folder, const Dataset& dataset) {
  EXPECT_EQ(names_in(folder),
            std::set<std::string>{cache_file(dataset, folder).filename().string()});
}

void expect_same(const Dataset& cached, const CountedDataset& dataset) {
  for (const Part part : {Part::kTrain, Part::kTest}) {
    const auto& samples = part == Part::kTrain ? dataset.train : dataset.test;
    ASSERT_EQ(cached.size(part), static_cast<int64_t>(samples.size()));
    for (size_t i = 0; i < samples.size(); ++i)
      EXPECT_EQ(values_of(cached, part, static_cast<int64_t>(i)), samples[i].values);
  }
}

// Prepares a new cache of the dataset in `folder`; how many reads that took.
int reads_to_prepare(const std::shared_ptr<CountedDataset>& dataset, const fs::path& folder) {
  const int before = dataset->reads();
  const auto cached = with_disk_cache(dataset, folder);
  cached->prepare({});
  const int reads = dataset->reads() - before;
  expect_same(*cached, *dataset);
  return reads;
}

TEST(DiskCache, GivesEverySampleBackAndReadsItOnce) {
  const TempDir folder;
  // More than one round of the writer.
  const auto dataset = std::make_shared<CountedDataset>(150, 70);
  const auto cached = with_disk_cache(dataset, folder.path());
  EXPECT_EQ(dataset->reads(), 0);
  cached->prepare({});
  EXPECT_EQ(dataset->reads(), 220);
  expect_same(*cached, *dataset);
  expect_same(*cached, *dataset);
  EXPECT_EQ(dataset->reads(), 220);
  expect_only_the_cache(folder.path(), *dataset);
}

TEST(DiskCache, DescribesTheDatasetBehindIt) {
  const TempDir folder;
  const auto dataset = std::make_shared<CountedDataset>(5, 3);
  const auto cached = with_disk_cache(dataset, folder.path());
  EXPECT_EQ(cached->info().name, "counted");
  EXPECT_EQ(cached->label(Part::kTrain, 4), 1);
  EXPECT_EQ(cached->cache_key(), dataset->key);
}

TEST(DiskCache, TheFirstReadMakesItWhenNobodyPrepared) {
  const TempDir folder;
  const auto dataset = std::make_shared<CountedDataset>(5, 3);
  const auto cached = with_disk_cache(dataset, folder.path() / "made" / "on demand");
  expect_same(*cached, *dataset);
  EXPECT_EQ(dataset->reads(), 8);
}

TEST(DiskCache, ServesTheNextRunWithoutReading) {
  const TempDir folder;
  const auto dataset = std::make_shared<CountedDataset>(5, 3);
  EXPECT_EQ(reads_to_prepare(dataset, folder.path()), 8);
  EXPECT_EQ(reads_to_prepare(dataset, folder.path()), 0);
}

TEST(DiskCache, AFileCutWhileItIsInUseIsAnErrorAndNoSignal) {
  const TempDir folder;
  const auto dataset = std::make_shared<CountedDataset>(50, 0);
  const auto cached = with_disk_cache(dataset, folder.path());
  cached->prepare({});
  const fs::path file = cache_file(*dataset, folder.path());
  for (const uintmax_t size : {fs::file_size(file) / 2, uintmax_t{0}}) {
    fs::resize_file(file, size);
    // In a child: a lost page of a mapped file would end the whole test.
    const pid_t child = in_child([&] {
      EXPECT_ERROR(values_of(*cached, Part::kTrain, 49), file.c_str(), "was cut to",
                   "start again to have the cache made anew");
      return testing::Test::HasFailure() ? 1 : 0;
    });
    EXPECT_EQ(status_of(child), 0) << size;
  }
  EXPECT_EQ(reads_to_prepare(dataset, folder.path()), 50);
}

TEST(DiskCache, ValuesOfAnyWidthComeBackToTheBit) {
  const TempDir folder;
  const auto dataset = std::make_shared<CountedDataset>(5, 0, 1);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  dataset->train[0].values = {0, 1, 2, 254, 255, 0};
  dataset->train[1].values = {0, 1, 256, 65534, 65535, 255};
  dataset->train[2].values = {65536, 0, 0.5f, 1e-45f, -3, 3.4e38f};
  dataset->train[3].values = {-0.0f, kInfinity, -kInfinity, std::bit_cast<float>(0x7fc12345u),
                              1,     2};
  dataset->train[4].values = {0, 0, 0, 0, 0, -0.0f};
  const auto cached = with_disk_cache(dataset, folder.path());
  for (size_t i = 0; i < 5; ++i) {
    const std::vector<float> found = values_of(*cached, Part::kTrain, static_cast<int64_t>(i));
    for (size_t k = 0; k < found.size(); ++k)
      EXPECT_EQ(std::bit_cast<uint32_t>(found[k]),
                std::bit_cast<uint32_t>(dataset->train[i].values[k]))
          << "sample " << i << " value " << k;
  }
}

TEST(DiskCache, APartMayBeEmpty) {
  const TempDir folder;
  const auto no_test = std::make_shared<CountedDataset>(3, 0);
  EXPECT_EQ(reads_to_prepare(no_test, folder / "a"), 3);
  const auto no_train = std::make_shared<CountedDataset>(0, 3);
  EXPECT_EQ(reads_to_prepare(no_train, folder / "b"), 3);
  const auto nothing = std::make_shared<CountedDataset>(0, 0);
  EXPECT_EQ(reads_to_prepare(nothing, folder / "c"), 0);
  // The same samples in another part are another set.
  EXPECT_EQ(reads_to_prepare(no_train, folder / "a"), 3);
}

// Many threads would take all samples in one round.
TEST(DiskCache, ProgressGrowsAndNamesTheSamples) {
  const TwoThreads two;
  const TempDir folder;
  const auto cached = with_disk_cache(std::make_shared<CountedDataset>(150, 70), folder.path());
  std::vector<double> fractions;
  std::string last;
  cached->prepare([&](double fraction, std::string_view what) {
    fractions.push_back(fraction);
    last = what;
  });
  EXPECT_GT(fractions.size(), 1u);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_GE(fractions.front(), 0);
  EXPECT_LE(fractions.back(), 1);
  EXPECT_NE(last.find("220"), std::string::npos) << last;
}

TEST(DiskCache, AnotherKeyIsAnotherFile) {
  const TempDir folder;
  CountedDataset one(3, 3), two(3, 3);
  EXPECT_EQ(cache_file(one, folder.path()), cache_file(two, folder.path()));
  two.key = "counted T=5";
  EXPECT_NE(cache_file(one, folder.path()), cache_file(two, folder.path()));
  two.key = one.key;
  two.source_files = {{.path = "/elsewhere/file"}};
  EXPECT_NE(cache_file(one, folder.path()), cache_file(two, folder.path()));
  EXPECT_EQ(cache_file(one, folder.path()).extension(), ".frames");
  EXPECT_EQ(cache_file(one, folder.path()).filename().string().rfind("counted-", 0), 0u);
}

class DiskCacheOfFiles : public ::testing::Test {
 protected:
  DiskCacheOfFiles() {
    write_file_atomically(files_ / "a", "12345");
    write_file_atomically(files_ / "b", "6789");
    dataset_->source_files = {{.path = files_ / "a"}, {.path = files_ / "b"}};
    EXPECT_EQ(reads(), 5);
    EXPECT_EQ(reads(), 0);
  }
  int reads() { return reads_to_prepare(dataset_, folder_.path()); }

  TempDir files_, folder_;
  std::shared_ptr<CountedDataset> dataset_ = std::make_shared<CountedDataset>(3, 2);
};

TEST_F(DiskCacheOfFiles, IsMadeAnewWhenASourceChangesItsSize) {
  const auto time = fs::last_write_time(files_ / "b");
  write_file_atomically(files_ / "b", "678");
  fs::last_write_time(files_ / "b", time);
  EXPECT_EQ(reads(), 5);
  EXPECT_EQ(reads(), 0);
  expect_only_the_cache(folder_.path(), *dataset_);
}

TEST_F(DiskCacheOfFiles, IsMadeAnewWhenASourceChangesItsTime) {
  fs::last_write_time(files_ / "a", fs::last_write_time(files_ / "a") + std::chrono::seconds(1));
  EXPECT_EQ(reads(), 5);
  EXPECT_EQ(reads(), 0);
}

TEST_F(DiskCacheOfFiles, IsMadeAnewWhenASourceComesOrGoes) {
  fs::remove(files_ / "b");
  EXPECT_EQ(reads(), 5);
  write_file_atomically(files_ / "b", "6789");
  EXPECT_EQ(reads(), 5);
  dataset_->source_files.pop_back();
  EXPECT_EQ(reads(), 5);
}

TEST_F(DiskCacheOfFiles, IsTheSameFromEveryWorkingFolder) {
  const fs::path before = fs::current_path();
  for (SourceFile& file : dataset_->source_files)
    file.path = fs::relative(file.path, files_.path());
  fs::current_path(files_.path());
  const int found = reads();
  fs::current_path(before);
  EXPECT_EQ(found, 0);
}

// Changes the finished file with `edit`, and tells how many reads the next run needs.
template <class Edit>
int reads_after(const Edit& edit) {
  const TempDir folder;
  const auto dataset = std::make_shared<CountedDataset>(3, 2);
  EXPECT_EQ(reads_to_prepare(dataset, folder.path()), 5);
  const fs::path path = cache_file(*dataset, folder.path());
  std::string content = read_file(path);
  edit(content);
  std::ofstream(path, std::ios::binary) << content;
  const int reads = reads_to_prepare(dataset, folder.path());
  EXPECT_EQ(reads_to_prepare(dataset, folder.path()), 0);
  return reads;
}

TEST(DiskCache, ACutFileIsMadeAnew) {
  EXPECT_EQ(reads_after([](std::string&) {}), 0);
  EXPECT_EQ(reads_after([](std::string& file) { file.clear(); }), 5);
  EXPECT_EQ(reads_after([](std::string& file) { file.pop_back(); }), 5);
  EXPECT_EQ(reads_after([](std::string& file) { file += 'x'; }), 5);
  for (const size_t size : {1, 64, 88})
    EXPECT_EQ(reads_after([&](std::string& file) { file.resize(size); }), 5) << size;
}

TEST(DiskCache, ADamagedHeaderOrIndexIsMadeAnew) {
  // Magic, state, sizes of the parts.
  for (const size_t at : {0, 15, 16, 47, 48, 55, 56, 63})
    EXPECT_EQ(reads_after([&](std::string& file) { file[at] ^= 1; }), 5) << at;
  // From the end: magic, place of the offsets, the last offset, one between (its high byte), and
  // the first.
  for (const size_t back : {1, 16, 17, 24, 25, 32, 41, 72})
    EXPECT_EQ(reads_after([&](std::string& file) { file[file.size() - back] ^= 1; }), 5) << back;
}

TEST(DiskCache, ADamagedSampleIsAnErrorThatNamesTheFile) {
  const TempDir folder;
  const auto dataset = std::make_shared<CountedDataset>(4, 0);
  reads_to_prepare(dataset, folder.path());
  const fs::path path = cache_file(*dataset, folder.path());
  const std::string whole = read_file(path);
  const size_t payload_end = whole.size() - 24 - 5 * 8;
  int errors = 0;
  int tries = 0;
  for (size_t at = 64; at < payload_end; at += 3, ++tries) {
    std::string damaged = whole;
    damaged[at] ^= 0x10;
    std::ofstream(path, std::ios::binary) << damaged;
    const auto cached = with_disk_cache(dataset, folder.path());
    for (int64_t i = 0; i < 4; ++i) {
      try {
        EXPECT_EQ(values_of(*cached, Part::kTrain, i),
                  dataset->train[static_cast<size_t>(i)].values);
      } catch (const Error& e) {
        ++errors;
        EXPECT_EQ(std::string(e.what()).rfind(path.string(), 0), 0u) << e.what();
        EXPECT_NE(std::string(e.what()).find("delete"), std::string::npos) << e.what();
        EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos) << e.what();
      }
    }
  }
  // A byte damages one sample; a few bits of a zstd frame mean nothing.
  EXPECT_LE(errors, tries);
  EXPECT_GE(errors, tries * 9 / 10);
}

TEST(DiskCache, AnErrorWhileItIsMadeLeavesNothingBehind) {
  const TempDir folder;
  const auto dataset = std::make_shared<CountedDataset>(150, 70);
  for (const size_t k : {0, 1, 63, 64, 149}) {
    dataset->train[k].error = "recording.bin: cut short";
    const auto cached = with_disk_cache(dataset, folder.path());
    EXPECT_ERROR(cached->prepare({}), "recording.bin: cut short");
    EXPECT_ERROR(values_of(*cached, Part::kTrain, 2), "recording.bin: cut short");
    EXPECT_EQ(names_in(folder.path()), std::set<std::string>{});
    dataset->train[k].error.clear();
    EXPECT_NO_THROW(cached->prepare({}));  // the same object may try again
    fs::remove(cache_file(*dataset, folder.path()));
  }
}

TEST(DiskCache, AnErrorWhileItIsMadeAnewKeepsNoStaleOne) {
  const TempDir folder;
  const auto dataset = std::make_shared<CountedDataset>(3, 2);
  reads_to_prepare(dataset, folder.path());
  dataset->train.push_back({.error = "recording.bin: cut short"});
  EXPECT_ERROR(with_disk_cache(dataset, folder.path())->prepare({}), "cut short");
  expect_only_the_cache(folder.path(), *dataset);  // the old one, which serves nobody
  dataset->train.pop_back();
  EXPECT_EQ(reads_to_prepare(dataset, folder.path()), 0);
}

TEST(DiskCache, AnInterruptWhileItIsMadeLeavesNothingBehind) {
  const TempDir folder;
  const pid_t child = in_child([&] {
    const TwoThreads two;
    const auto dataset = std::make_shared<CountedDataset>(200, 0);
    install_interrupt_handlers();
    dataset->before_read = [](Part, int64_t i) {
      if (i == 70) std::raise(SIGINT);
    };
    try {
      with_disk_cache(dataset, folder.path())->prepare({});
    } catch (const Interrupted& e) {
      return e.signal_number() == SIGINT && dataset->reads() < 200 ? 3 : 4;
    }
    return 5;
  });
  EXPECT_EQ(status_of(child), 3);
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{});
}

TEST(DiskCache, AKilledMakerStopsNobody) {
  const TempDir folder;
  const pid_t child = in_child([&] {
    const auto dataset = std::make_shared<CountedDataset>(200, 0);
    dataset->before_read = [](Part, int64_t i) {
      if (i == 70) std::raise(SIGKILL);
    };
    with_disk_cache(dataset, folder.path())->prepare({});
    return 0;
  });
  EXPECT_EQ(status_of(child), -1);
  EXPECT_EQ(reads_to_prepare(std::make_shared<CountedDataset>(200, 0), folder.path()), 200);
}

TEST(DiskCache, OfTwoProcessesOneMakesIt) {
  const TempDir folder;
  void* const shared = ::mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto* const reads = new (shared) std::atomic<int>(0);
  std::vector<pid_t> children;
  for (int c = 0; c < 3; ++c) {
    children.push_back(in_child([&] {
      const auto dataset = std::make_shared<CountedDataset>(90, 10);
      dataset->before_read = [&](Part, int64_t) {
        ++*reads;
        ::usleep(2000);
      };
      const auto cached = with_disk_cache(dataset, folder.path());
      cached->prepare({});
      dataset->before_read = nullptr;
      for (size_t i = 0; i < 90; ++i)
        if (values_of(*cached, Part::kTrain, static_cast<int64_t>(i)) != dataset->train[i].values)
          return 4;
      return 3;
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 3);
  EXPECT_EQ(*reads, 100);
  expect_only_the_cache(folder.path(), CountedDataset(90, 10));
  ::munmap(shared, sizeof(std::atomic<int>));
}

TEST(DiskCache, OfManyThreadsOneMakesIt) {
  const TempDir folder;
  const auto dataset = std::make_shared<CountedDataset>(90, 10);
  const auto shared = with_disk_cache(dataset, folder.path());
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      // Half of them share an object, the others have one of their own on the same file.
      const auto cached = t % 2 == 0 ? shared : with_disk_cache(dataset, folder.path());
      for (size_t i = 0; i < 90; ++i)
        if (values_of(*cached, Part::kTrain, static_cast<int64_t>(i)) != dataset->train[i].values)
          ++wrong;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(dataset->reads(), 100);
  expect_only_the_cache(folder.path(), *dataset);
}

TEST(DiskCache, AFolderThatCannotBeMadeTellsTheWayOut) {
  const TempDir folder;
  write_file_atomically(folder / "file", "");
  const auto cached = with_disk_cache(std::make_shared<CountedDataset>(3, 0), folder / "file");
  EXPECT_ERROR(cached->prepare({}), (folder / "file").c_str(), "data.cache_dir", "data.cache=off");
  const auto below =
      with_disk_cache(std::make_shared<CountedDataset>(3, 0), folder.path() / "file" / "x");
  EXPECT_ERROR(below->prepare({}), (folder / "file").c_str(), "data.cache_dir", "data.cache=off");
}

TEST(DiskCache, AReadOnlyFolderTellsTheWayOut) {
  const TempDir folder;
  const auto finished = std::make_shared<CountedDataset>(2, 0);
  reads_to_prepare(finished, folder.path());
  fs::permissions(folder.path(), fs::perms(0555));
  const uid_t before = ::geteuid();
  ASSERT_EQ(::seteuid(before == 0 ? 65534 : before), 0);  // nobody: root may write everywhere
  const auto other = std::make_shared<CountedDataset>(3, 0);
  other->key = "other";
  EXPECT_ERROR(with_disk_cache(other, folder.path())->prepare({}), folder.path().c_str(),
               "Permission denied", "data.cache_dir", "data.cache=off");
  EXPECT_EQ(reads_to_prepare(finished, folder.path()), 0);  // reading needs no permission to write
  ASSERT_EQ(::seteuid(before), 0);
  fs::permissions(folder.path(), fs::perms(0755));
  expect_only_the_cache(folder.path(), *finished);
}

TEST(DiskCache, AFullDiskIsOneSentenceAndLeavesNothing) {
  const TempDir folder;
  if (::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=64k") != 0)
    GTEST_SKIP() << "no right to mount a small file system";
  const auto dataset = std::make_shared<CountedDataset>(200, 0, 400);
  uint32_t noise = 1;  // incompressible
  for (auto& sample : dataset->train)
    for (float& v : sample.values)
      v = static_cast<float>((noise = noise * 1664525 + 1013904223) >> 24);
  EXPECT_ERROR(with_disk_cache(dataset, folder.path())->prepare({}),
               cache_file(*dataset, folder.path()).c_str(), "No space left", "data.cache_dir");
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{});
  ::umount(folder.path().c_str());
}

TEST(DiskCache, TheFolderIsTheUsersCacheFolder) {
  const auto folder_with = [](const char* xdg, const char* home) {
    const pid_t child = in_child([&] {
      xdg != nullptr ? ::setenv("XDG_CACHE_HOME", xdg, 1) : ::unsetenv("XDG_CACHE_HOME");
      home != nullptr ? ::setenv("HOME", home, 1) : ::unsetenv("HOME");
      const fs::path folder = default_cache_folder();
      if (folder == "/xdg/spikenm") return 1;
      if (folder == "/home/me/.cache/spikenm") return 2;
      return folder == fs::temp_directory_path() / "spikenm" ? 3 : 4;
    });
    return status_of(child);
  };
  EXPECT_EQ(folder_with("/xdg", "/home/me"), 1);
  EXPECT_EQ(folder_with("", "/home/me"), 2);
  EXPECT_EQ(folder_with(nullptr, "/home/me"), 2);
  EXPECT_EQ(folder_with(nullptr, nullptr), 3);
}

TEST(DiskCache, WithoutAnyFolderForItTheWayOutIsTold) {
  const pid_t child = in_child([] {
    for (const char* name : {"XDG_CACHE_HOME", "HOME"}) ::unsetenv(name);
    ::setenv("TMPDIR", "/nonexistent", 1);
    try {
      static_cast<void>(default_cache_folder());
    } catch (const Error& e) {
      return std::string(e.what()).find("data.cache_dir") != std::string::npos ? 1 : 2;
    } catch (const std::exception&) {
      return 3;
    }
    return 0;
  });
  EXPECT_EQ(status_of(child), 1);
}

}  // namespace
}  // namespace spikenm::data
