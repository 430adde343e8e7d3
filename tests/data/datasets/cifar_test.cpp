// CIFAR-10 and CIFAR-100 in every form they are handed out in.
#include "spikenm/data/stats.h"
#include "support/cifar_files.h"
#include "support/dataset_tree.h"
#include "support/expect_error.h"
#include "support/nobody.h"
#include "support/peak_memory.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>

namespace spikenm::data {
namespace {

namespace fs = std::filesystem;
using test::CifarBatch;
using test::Dialect;
using test::labels_of;
using test::open_set;
using test::put;
using test::read_sample;
using test::TempDir;

const std::vector<int64_t> kTrain10{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, kTest10{9, 0, 5};
const std::vector<int64_t> kTrain100{99, 0, 41}, kTest100{7, 98};

void expect_cifar10(const Dataset& set) {
  EXPECT_EQ(set.info().name, "cifar10");
  EXPECT_EQ(set.info().shape(), (SampleShape{1, 3, 32, 32}));
  EXPECT_EQ(labels_of(set, Part::kTrain), kTrain10);
  EXPECT_EQ(labels_of(set, Part::kTest), kTest10);
  // Train image 7 is the second of batch 4.
  EXPECT_EQ(read_sample(set, Part::kTrain, 7), test::cifar_image(4, 1));
  EXPECT_EQ(read_sample(set, Part::kTest, 2), test::cifar_image(6, 2));
}

void expect_cifar100(const Dataset& set) {
  EXPECT_EQ(labels_of(set, Part::kTrain), kTrain100);
  EXPECT_EQ(labels_of(set, Part::kTest), kTest100);
  EXPECT_EQ(read_sample(set, Part::kTrain, 2), test::cifar_image(1, 2));
  EXPECT_EQ(read_sample(set, Part::kTest, 0), test::cifar_image(6, 0));
}

TEST(Cifar, BinaryFoldersAreReadFromAboveAndFromWithin) {
  const TempDir dir;
  const fs::path folder10 = dir / "cifar-10-batches-bin", folder100 = dir / "cifar-100-binary";
  test::put_all(folder10, test::cifar10_binary());
  test::put_all(folder100, test::cifar100_binary());
  for (const fs::path& root : {dir.path(), folder10, folder10 / ""}) {
    const auto set = open_set("cifar10", root);
    expect_cifar10(*set);
    EXPECT_EQ(set->files().size(), 6u);
    EXPECT_EQ(set->info().class_names[6], "frog");
  }
  for (const fs::path& root : {dir.path(), folder100, folder100 / ""})
    expect_cifar100(*open_set("cifar100", root));
}

TEST(Cifar, PicklesOfEveryPythonAreReadFromAboveAndFromWithin) {
  for (const Dialect dialect : {Dialect::kPython2, Dialect::kBytes, Dialect::kText}) {
    const TempDir dir;
    const fs::path folder10 = dir / "cifar-10-batches-py", folder100 = dir / "cifar-100-python";
    test::put_all(folder10, test::cifar10_python(dialect));
    test::put_all(folder100, test::cifar100_python(dialect));
    for (const fs::path& root : {dir.path(), folder10, folder10 / ""}) {
      const auto set = open_set("cifar10", root);
      expect_cifar10(*set);
      ASSERT_EQ(set->files().size(), 6u);
      EXPECT_EQ(set->files()[0].md5, "c99cafc152244af753f735de768cd75f");
      EXPECT_EQ(set->files()[5].md5, "40351d587109b95175f43aff81a1287e");
    }
    for (const fs::path& root : {dir.path(), folder100, folder100 / ""})
      expect_cifar100(*open_set("cifar100", root));
  }
}

TEST(Cifar, ArchivesAreReadWithoutUnpacking) {
  for (const char* folder : {"", "download"}) {
    const TempDir dir;
    const auto put_archive = [&](const std::string& name, const std::string& inner,
                                 const test::NamedFiles& files) {
      put(dir / folder / name, test::tar_gz(inner, files));
    };
    put_archive("cifar-10-binary.tar.gz", "cifar-10-batches-bin", test::cifar10_binary());
    put_archive("cifar-100-python.tar.gz", "cifar-100-python",
                test::cifar100_python(Dialect::kPython2));
    const auto set = open_set("cifar10", dir.path());
    expect_cifar10(*set);
    ASSERT_EQ(set->files().size(), 1u);
    EXPECT_EQ(set->files()[0].path, dir / folder / "cifar-10-binary.tar.gz");
    EXPECT_EQ(set->files()[0].md5, "c32a1d4ab5d03f1284b67883e8d87530");
    expect_cifar100(*open_set("cifar100", dir.path()));
    fs::remove(dir / folder / "cifar-10-binary.tar.gz");
    fs::remove(dir / folder / "cifar-100-python.tar.gz");
    put_archive("cifar-10-python.tar.gz", "cifar-10-batches-py",
                test::cifar10_python(Dialect::kPython2));
    put_archive("cifar-100-binary.tar.gz", "cifar-100-binary", test::cifar100_binary());
    expect_cifar10(*open_set("cifar10", dir.path()));
    expect_cifar100(*open_set("cifar100", dir.path()));
  }
}

TEST(Cifar, AFolderIsTakenBeforeAnArchive) {
  const TempDir dir;
  test::put_all(dir / "cifar-10-batches-py", test::cifar10_python(Dialect::kPython2));
  put(dir / "cifar-10-binary.tar.gz", "not read");
  expect_cifar10(*open_set("cifar10", dir.path()));
}

TEST(Cifar, CoarseLabelsAreThoseOfTheFile) {
  const TempDir binary, pickled;
  test::put_all(binary / "cifar-100-binary", test::cifar100_binary());
  test::put_all(pickled / "cifar-100-python", test::cifar100_python(Dialect::kPython2));
  for (const fs::path& root : {binary.path(), pickled.path()}) {
    const auto set = open_set("cifar100", root, {"labels=coarse"});
    EXPECT_EQ(set->info().classes, 20);
    EXPECT_EQ(labels_of(*set, Part::kTrain), (std::vector<int64_t>{19, 0, 8}));
    EXPECT_EQ(labels_of(*set, Part::kTest), (std::vector<int64_t>{1, 19}));
    EXPECT_EQ(open_set("cifar100", root)->info().classes, 100);
  }
  EXPECT_ERROR(open_set("cifar100", binary.path(), {"labels=both"}), "data.labels", "both", "fine");
}

TEST(Cifar, AFolderCalledTrainIsNoCifar100) {
  const TempDir dir;
  fs::create_directories(dir / "train");
  fs::create_directories(dir / "test");
  EXPECT_ERROR(open_set("cifar100", dir.path()), dir.path().c_str(), "found none of the files",
               "cifar-100-python/", "cifar-100-binary.tar.gz", "cs.toronto.edu");
}

TEST(Cifar, ARootThatIsNotThereTellsWhatIsWanted) {
  const TempDir dir;
  EXPECT_ERROR(open_set("cifar10", ""), "data.root", "not set", "cifar-10-batches-py/");
  EXPECT_ERROR(open_set("cifar10", dir / "absent"), "data.root", "absent", "not a folder");
  put(dir / "cifar-10-python.tar.gz", "x");
  EXPECT_ERROR(open_set("cifar10", dir / "cifar-10-python.tar.gz"), "not a folder");
  EXPECT_ERROR(open_set("cifar100", dir.path()), "found none of the files of cifar100");
}

TEST(Cifar, AFolderThatMayNotBeEnteredIsNamed) {
  const TempDir dir;
  const fs::path folder = dir / "cifar-10-batches-bin";
  test::put_all(folder, test::cifar10_binary());
  fs::permissions(dir.path(), fs::perms(0755));
  for (const fs::path& closed : {dir.path(), folder}) {
    fs::permissions(closed, fs::perms(0));
    {
      const test::Nobody nobody;
      for (const fs::path& root : {dir.path(), folder})
        if (root != dir.path() || closed == dir.path())
          EXPECT_ERROR(open_set("cifar10", root), "data.root", root.c_str(), "Permission denied");
      EXPECT_ERROR(open_set("cifar10", dir.path()), closed.c_str(), "Permission denied");
    }
    fs::permissions(closed, fs::perms(0755));
  }
}

TEST(Cifar, AMissingFileIsNamed) {
  for (const auto& [name, content] : test::cifar10_binary()) {
    const TempDir folder, archive;
    test::NamedFiles files = test::cifar10_binary();
    files.erase(name);
    test::put_all(folder / "cifar-10-batches-bin", files);
    put(archive / "cifar-10-binary.tar.gz", test::tar_gz("cifar-10-batches-bin", files));
    EXPECT_ERROR(open_set("cifar10", folder.path()), folder.path().c_str(), name.c_str());
    EXPECT_ERROR(open_set("cifar10", archive.path()), "cifar-10-binary.tar.gz: has no ",
                 name.c_str());
  }
}

TEST(Cifar, BadBinaryFilesAreNamed) {
  const TempDir dir;
  const auto expect_bad = [&](const std::string& content, const char* found) {
    test::put_all(dir.path(), test::cifar10_binary());
    put(dir / "data_batch_3.bin", content);
    EXPECT_ERROR(open_set("cifar10", dir.path()), (dir / "data_batch_3.bin").c_str(), found);
  };
  const std::string good = test::binary_batch({3, {4, 5}}, {});
  expect_bad(good.substr(0, good.size() - 1), "6145 bytes, wanted a multiple of the 3073");
  expect_bad(good + "x", "6147 bytes");
  expect_bad("", "0 bytes");
  expect_bad(test::binary_batch({3, {4, 10}}, {}), "image 1 has the label 10, wanted 0 to 9");
  const TempDir hundred;
  test::put_all(hundred.path(), test::cifar100_binary());
  put(hundred / "test.bin", test::binary_batch({6, {7, 100}}, {1, 19}));
  EXPECT_ERROR(open_set("cifar100", hundred.path()), "test.bin", "image 1 has the label 100");
  put(hundred / "test.bin", test::binary_batch({6, {7, 98}}, {1, 20}));
  EXPECT_EQ(open_set("cifar100", hundred.path())->size(Part::kTest), 2);
  EXPECT_ERROR(open_set("cifar100", hundred.path(), {"labels=coarse"}), "label 20, wanted 0 to 19");
}

TEST(Cifar, BadPicklesAreNamedAndNothingIsExecuted) {
  const TempDir dir;
  const auto expect_bad = [&](const std::string& content,
                              std::initializer_list<const char*> parts) {
    test::put_all(dir.path(), test::cifar10_python(Dialect::kPython2));
    put(dir / "data_batch_2", content);
    std::vector<std::string> all{(dir / "data_batch_2").string()};
    all.insert(all.end(), parts.begin(), parts.end());
    for (const std::string& part : all) EXPECT_ERROR(open_set("cifar10", dir.path()), part.c_str());
  };
  const CifarBatch batch{2, {2, 3}};
  const auto pickle = [](const CifarBatch& b, const test::CifarLists& lists) {
    return test::pickled_batch(b, lists, Dialect::kPython2);
  };
  const std::string good = pickle(batch, {{"labels", {2, 3}}});
  expect_bad(good.substr(0, good.size() / 2), {"cut short"});
  expect_bad("", {"cut short"});
  expect_bad(pickle(batch, {{"fine_labels", {2, 3}}}), {"list 'labels'"});
  expect_bad(pickle(batch, {{"labels", {2, 10}}}), {"image 1 has the label 10, wanted 0 to 9"});
  expect_bad(pickle(batch, {{"labels", {2, -1}}}), {"the label -1"});
  expect_bad(pickle(batch, {{"labels", {2}}}), {"[2,3072]", "beside 1 labels"});
  expect_bad(std::string("\x80\x02]q\x00.", 6), {"wanted a dict"});
  const fs::path mark = dir / "executed";
  expect_bad(fmt::format("cos\nsystem\n(S'touch {}'\ntR.", mark.string()), {"os", "system"});
  EXPECT_FALSE(fs::exists(mark));
}

TEST(Cifar, APictureOfAnotherSizeIsRefused) {
  const TempDir dir;
  test::put_all(dir.path(), test::cifar10_python(Dialect::kText));
  put(dir / "test_batch",
      test::pickled_batch({6, {1, 2}}, {{"labels", {1, 2}}}, Dialect::kText, {2, 1536}, "u2"));
  EXPECT_ERROR(open_set("cifar10", dir.path()), "test_batch", "[2,1536]", "u2",
               "wanted bytes [2,3072]");
  put(dir / "test_batch",
      test::pickled_batch({6, {1, 2}}, {{"labels", {1, 2}}}, Dialect::kText, {1, 6144}));
  EXPECT_ERROR(open_set("cifar10", dir.path()), "test_batch", "[1,6144]");
}

TEST(Cifar, BadArchivesAreNamed) {
  const TempDir dir;
  const fs::path path = dir / "cifar-10-python.tar.gz";
  const std::string good =
      test::tar_gz("cifar-10-batches-py", test::cifar10_python(Dialect::kPython2));
  put(path, good.substr(0, good.size() / 2));
  EXPECT_ERROR(open_set("cifar10", dir.path()), path.c_str(), "cut short");
  put(path, test::gzip_file(std::string(2000, 'x')));
  EXPECT_ERROR(open_set("cifar10", dir.path()), path.c_str(), "checksum");
  put(path, "<html>404</html>");
  EXPECT_ERROR(open_set("cifar10", dir.path()), path.c_str(), "not a gzip file");
  put(path, test::tar_gz("elsewhere", test::cifar10_python(Dialect::kPython2)));
  EXPECT_ERROR(open_set("cifar10", dir.path()), path.c_str(),
               "no cifar-10-batches-py/data_batch_1");
}

TEST(Cifar, ALargeArchiveThatIsNotOneIsNotRead) {
  const TempDir dir;
  put(dir / "cifar-10-python.tar.gz", "");
  fs::resize_file(dir / "cifar-10-python.tar.gz", uint64_t{1} << 30);
  const int64_t before = test::peak_memory_kb();
  EXPECT_ERROR(open_set("cifar10", dir.path()), "cifar-10-python.tar.gz: not a gzip file");
  EXPECT_LT(test::peak_memory_kb() - before, 64 << 10);
}

TEST(Cifar, AnArchiveStopsAtTheLimitThatAKeyLifts) {
  const TempDir dir;
  put(dir / "cifar-10-binary.tar.gz", test::gzip_file(std::string(20 << 20, '\0')));
  EXPECT_ERROR(open_set("cifar10", dir.path(), {"max_unpacked_mb=4"}),
               "cifar-10-binary.tar.gz: would unpack to more than 4 MB",
               "data.max_unpacked_mb lifts the limit");
  EXPECT_ERROR(open_set("cifar10", dir.path()), "has no cifar-10-batches-bin/data_batch_1.bin");
}

TEST(Cifar, TheRealCifar10IsWhole) {
  const fs::path root = test::real_root("SPIKENM_TEST_CIFAR10");
  if (root.empty()) GTEST_SKIP() << "SPIKENM_TEST_CIFAR10 names no folder";
  const auto set = open_set("cifar10", root);
  EXPECT_EQ(set->size(Part::kTrain), 50000);
  EXPECT_EQ(set->size(Part::kTest), 10000);
  const DatasetStats stats = compute_stats(*set);
  EXPECT_EQ(stats.train_counts, std::vector<int64_t>(10, 5000));
  EXPECT_EQ(stats.test_counts, std::vector<int64_t>(10, 1000));
  const double mean[] = {0.4914, 0.4822, 0.4465}, std[] = {0.2470, 0.2435, 0.2616};
  for (size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(stats.mean[c], mean[c], 1e-4);
    EXPECT_NEAR(stats.std[c], std[c], 1e-4);
  }
  EXPECT_EQ(set->info().class_names[static_cast<size_t>(set->label(Part::kTrain, 0))], "frog");
  std::vector<float> image = read_sample(*set, Part::kTrain, 0);
  image.resize(5);
  EXPECT_EQ(image, (std::vector<float>{59, 43, 50, 68, 98}));
}

}  // namespace
}  // namespace spikenm::data
