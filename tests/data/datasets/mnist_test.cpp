// MNIST and Fashion-MNIST in every folder they are found in.
#include "spikenm/data/stats.h"
#include "support/containers.h"
#include "support/dataset_tree.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>

namespace spikenm::data {
namespace {

namespace fs = std::filesystem;
using test::be;
using test::labels_of;
using test::open_set;
using test::put;
using test::read_sample;
using test::TempDir;

constexpr const char *kTrainImages = "train-images-idx3-ubyte",
                     *kTrainLabels = "train-labels-idx1-ubyte",
                     *kTestImages = "t10k-images-idx3-ubyte",
                     *kTestLabels = "t10k-labels-idx1-ubyte";

std::string idx_labels(const std::string& labels) {
  return be<uint32_t>(0x00000801) + be(static_cast<uint32_t>(labels.size())) + labels;
}

// Pixel k of image i is 10 i + k, in bytes.
std::string idx_images(uint32_t n, uint32_t side = 28) {
  std::string file = be<uint32_t>(0x00000803) + be(n) + be(side) + be(side);
  for (uint32_t i = 0; i < n; ++i)
    for (uint32_t k = 0; k < side * side; ++k) file += static_cast<char>(10 * i + k);
  return file;
}

// Three train images and two test images.
void put_set(const fs::path& folder, bool packed = false) {
  const auto put_file = [&](const std::string& name, const std::string& content) {
    put(folder / (name + (packed ? ".gz" : "")), packed ? test::gzip_file(content) : content);
  };
  put_file(kTrainImages, idx_images(3));
  put_file(kTrainLabels, idx_labels({7, 0, 9}));
  put_file(kTestImages, idx_images(2));
  put_file(kTestLabels, idx_labels({1, 2}));
}

void expect_whole(const Dataset& set) {
  EXPECT_EQ(labels_of(set, Part::kTrain), (std::vector<int64_t>{7, 0, 9}));
  EXPECT_EQ(labels_of(set, Part::kTest), (std::vector<int64_t>{1, 2}));
  ASSERT_EQ(set.info().shape(), (SampleShape{1, 1, 28, 28}));
  EXPECT_EQ(set.info().frames, 0);
  const std::vector<float> image = read_sample(set, Part::kTrain, 2);
  EXPECT_EQ(image[0], 20);
  EXPECT_EQ(image[235], 255);
  EXPECT_EQ(image[236], 0);
  EXPECT_EQ(image[783], (20 + 783) % 256);
  EXPECT_EQ(read_sample(set, Part::kTest, 1)[27], 37);
}

TEST(Mnist, IsReadFromEveryFolderPackedOrNot) {
  for (const char* folder : {"", "MNIST/raw", "raw"}) {
    for (const bool packed : {false, true}) {
      const TempDir dir;
      put_set(dir / folder, packed);
      const auto set = open_set("mnist", dir.path());
      expect_whole(*set);
      ASSERT_EQ(set->files().size(), 4u);
      EXPECT_EQ(set->files()[0].md5, packed ? "f68b3c2dcbeaaa9fbdd348bbdeb94873" : "");
      EXPECT_EQ(set->files()[3].path.filename(), std::string(kTestLabels) + (packed ? ".gz" : ""));
    }
  }
}

TEST(Mnist, FashionMnistHasItsOwnFolderAndNames) {
  const TempDir dir;
  put_set(dir / "FashionMNIST/raw", true);
  const auto set = open_set("fashion-mnist", dir.path());
  expect_whole(*set);
  EXPECT_EQ(set->info().class_names.size(), 10u);
  EXPECT_EQ(set->files()[0].md5, "8d4fb7e6c68d591d4c3dfef9ec88bf0d");
  EXPECT_ERROR(open_set("mnist", dir.path()), dir.path().c_str(), kTrainImages, "MNIST/raw");
}

TEST(Mnist, TakesDotsForDashesAndUnpackedFilesFirst) {
  const TempDir dir;
  put_set(dir.path());
  fs::rename(dir / kTrainImages, dir / "train-images.idx3-ubyte");
  put(dir / (std::string(kTestLabels) + ".gz"), "not read");
  expect_whole(*open_set("mnist", dir.path()));
}

TEST(Mnist, WhatIsPackedIsToldByContentNotByName) {
  const TempDir dir;
  put_set(dir.path());
  fs::rename(dir / kTrainImages, dir / (std::string(kTrainImages) + ".gz"));
  expect_whole(*open_set("mnist", dir.path()));
}

TEST(Mnist, ARootThatIsNotThereTellsWhatIsWanted) {
  const TempDir dir;
  EXPECT_ERROR(open_set("mnist", ""), "data.root", "not set", kTrainImages);
  EXPECT_ERROR(open_set("mnist", dir / "absent"), "data.root", "absent", "not a folder",
               "yann.lecun.com");
  put(dir / "file", "x");
  EXPECT_ERROR(open_set("mnist", dir / "file"), "not a folder");
  EXPECT_ERROR(open_set("mnist", dir.path()), dir.path().c_str(), kTrainImages, "yann.lecun.com");
}

TEST(Mnist, AMissingFileIsNamed) {
  for (const char* name : {kTrainImages, kTrainLabels, kTestImages, kTestLabels}) {
    const TempDir dir;
    put_set(dir / "MNIST/raw");
    fs::remove(dir / "MNIST/raw" / name);
    EXPECT_ERROR(open_set("mnist", dir.path()), name);
  }
}

TEST(Mnist, BadFilesAreNamed) {
  const TempDir dir;
  const auto expect_bad = [&](const char* name, const std::string& content, const char* found) {
    put_set(dir.path());
    put(dir / name, content);
    EXPECT_ERROR(open_set("mnist", dir.path()), (dir / name).c_str(), found);
  };
  expect_bad(kTrainImages, idx_images(3).substr(0, 1000), "cut");
  expect_bad(kTrainImages, idx_images(3) + "x", "bytes");
  expect_bad(kTrainImages, "", "cut short");
  expect_bad(kTrainImages, idx_images(3, 27), "27x27, wanted 28x28");
  expect_bad(kTrainImages, idx_labels({1, 2, 3}), "1 dimensions, wanted 3");
  expect_bad(kTrainLabels, idx_labels({7, 0}), "2 labels for the 3 images of");
  expect_bad(kTestLabels, idx_labels({1, 10}), "image 1 has the label 10, wanted 0 to 9");
  const std::string packed = test::gzip_file(idx_images(2));
  expect_bad(kTestImages, packed.substr(0, packed.size() / 2), "cut short");
  put(dir / kTestImages, idx_images(0));
  put(dir / kTestLabels, idx_labels(""));
  EXPECT_ERROR(open_set("mnist", dir.path()), kTestImages, "no images");
}

TEST(Mnist, APackedFileStopsAtTheLimitThatAKeyLifts) {
  const TempDir dir;
  put_set(dir.path());
  put(dir / kTestImages, test::gzip_file(std::string(20 << 20, '\0')));
  EXPECT_ERROR(open_set("mnist", dir.path(), {"max_unpacked_mb=4"}), kTestImages,
               "would unpack to more than 4 MB", "data.max_unpacked_mb lifts the limit");
  EXPECT_ERROR(open_set("mnist", dir.path()), kTestImages, "found IDX element type");
}

TEST(Mnist, TheRealSetIsWhole) {
  const fs::path root = test::real_root("SPIKENM_TEST_MNIST");
  if (root.empty()) GTEST_SKIP() << "SPIKENM_TEST_MNIST names no folder";
  const auto set = open_set("mnist", root);
  EXPECT_EQ(set->size(Part::kTrain), set->info().official_train);
  EXPECT_EQ(set->size(Part::kTest), set->info().official_test);
  const DatasetStats stats = compute_stats(*set);
  EXPECT_NEAR(stats.mean[0], 0.1307, 1e-4);
  EXPECT_NEAR(stats.std[0], 0.3081, 1e-4);
  EXPECT_EQ(stats.train_counts[0], 5923);
  EXPECT_EQ(stats.test_counts[9], 1009);
  EXPECT_EQ(set->label(Part::kTrain, 0), 5);
  EXPECT_EQ(set->label(Part::kTest, 0), 7);
}

}  // namespace
}  // namespace spikenm::data
