#include "spikenm/data/check.h"

#include "spikenm/core/file.h"
#include "spikenm/core/parallel.h"
#include "support/expect_error.h"
#include "support/listed_dataset.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace spikenm::data {
namespace {

using test::ListedDataset;

constexpr const char* kMd5OfHello = "5d41402abc4b2a76b9719d911017c592";

// Two classes, `n` samples a part, one of each class in turn.
ListedDataset good_set(int64_t n = 4) {
  ListedDataset set;
  set.described = {.name = "tiny", .channels = 1, .height = 1, .width = 3, .classes = 2};
  set.described.class_names = {"cat", "dog"};
  for (int64_t i = 0; i < n; ++i) {
    set.train.push_back({.label = i % 2, .values = {0, 128, 255}});
    set.test.push_back({.label = i % 2, .values = {1, 2, 3}});
  }
  return set;
}

std::string texts(const CheckReport& report) {
  std::string all;
  for (const Finding& finding : report.findings)
    all += (finding.good ? "good " : "bad ") + finding.text + "\n";
  return all;
}

void expect_incomplete(const ListedDataset& set, const std::vector<std::string>& parts) {
  const CheckReport report = check_dataset(set);
  EXPECT_FALSE(report.complete());
  const std::string verdict = report.verdict();
  EXPECT_TRUE(verdict.starts_with("tiny: incomplete: ")) << verdict;
  EXPECT_EQ(verdict.find('\n'), std::string::npos);
  for (const std::string& part : parts)
    EXPECT_NE(verdict.find(part), std::string::npos) << verdict << "\nlacks: " << part;
}

TEST(Check, AWholeCopyIsComplete) {
  ListedDataset set = good_set();
  set.described.official_train = set.described.official_test = 4;
  const CheckReport report = check_dataset(set);
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(report.verdict(), "tiny: complete, 4 train + 4 test");
  EXPECT_EQ(texts(report),
            "good train: 4 samples, as many as published\n"
            "good test: 4 samples, as many as published\n"
            "good train: every sample can be read\n"
            "good test: every sample can be read\n");
}

TEST(Check, ASizeOtherThanThePublishedIsFound) {
  ListedDataset set = good_set();
  set.described.official_train = 5;
  expect_incomplete(set, {"train: found 4 samples, a complete copy has 5"});
  set.described.official_train = 4;
  set.described.official_test = 3;
  expect_incomplete(set, {"test: found 4 samples, a complete copy has 3"});
}

TEST(Check, AnEmptyPartIsIncompleteWhereNoSizeIsPublished) {
  ListedDataset set = good_set();
  set.test.clear();
  expect_incomplete(set, {"test: 0 samples"});
}

TEST(Check, FilesAreComparedWithTheirPublishedSums) {
  const test::TempDir dir;
  write_file_atomically(dir / "a.bin", "hello");
  write_file_atomically(dir / "b.bin", "hellO");
  ListedDataset set = good_set();
  set.source_files = {{dir / "a.bin", kMd5OfHello}, {dir / "b.bin", ""}};
  const CheckReport report = check_dataset(set);
  EXPECT_TRUE(report.complete());
  EXPECT_NE(texts(report).find("good files: 2, of which 1 have a published md5 sum"),
            std::string::npos)
      << texts(report);

  set.source_files[1].md5 = kMd5OfHello;
  expect_incomplete(set, {"b.bin", "its md5 sum is ", kMd5OfHello, "fetch the file again"});
}

TEST(Check, EveryBadFileIsNamedAndTheVerdictCountsThem) {
  const test::TempDir dir;
  write_file_atomically(dir / "a.bin", "");
  ListedDataset set = good_set();
  set.source_files = {{dir / "a.bin", kMd5OfHello}, {dir / "gone.bin", kMd5OfHello}};
  const std::string found = texts(check_dataset(set));
  EXPECT_NE(found.find("a.bin: its md5 sum is d41d8cd98f00b204e9800998ecf8427e"), std::string::npos)
      << found;
  EXPECT_NE(found.find("gone.bin: cannot be opened"), std::string::npos) << found;
  expect_incomplete(set, {"a.bin", "; and 1 more"});
}

TEST(Check, FilesWithoutPublishedSumsAreSaidToBeUnchecked) {
  ListedDataset set = good_set();
  set.source_files = {{"/nowhere/a", ""}};
  EXPECT_NE(texts(check_dataset(set)).find("good files: 1, none with a published md5 sum"),
            std::string::npos);
}

TEST(Check, BrokenSamplesAreNamedOneByOneWhileTheyAreFew) {
  ListedDataset set = good_set(200);
  set.train[171].error = "c.bin: cut short";
  set.train[64].error = "b.bin: cut short";
  set.train[199].error = "d.bin: cut short";
  expect_incomplete(set, {"train: 3 of 200 samples are broken", "sample 64: b.bin: cut short"});
  const std::string found = texts(check_dataset(set));
  EXPECT_NE(found.find("bad train: sample 171: c.bin: cut short\n"
                       "bad train: sample 199: d.bin: cut short\n"),
            std::string::npos)
      << found;

  for (size_t i = 0; i < 200; ++i) set.train[i].error = "x.bin: cut short";
  EXPECT_EQ(check_dataset(set).findings.size(), 2 + 20 + 1U);  // sizes; broken; test can be read
  set.described.official_test = 201;
  const std::string verdict = check_dataset(set).verdict();
  EXPECT_TRUE(verdict.ends_with("; and 200 more")) << "those that are not named count too\n"
                                                   << verdict;
}

TEST(Check, ValuesNoPixelOrCountCanHaveAreFound) {
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity(), -1.0f}) {
    ListedDataset set = good_set();
    set.test[3].values[2] = bad;
    expect_incomplete(set, {"test: 1 of 4 samples are broken", "sample 3: its value 2 is "});
  }
}

TEST(Check, AValueTheReaderLeavesOutIsFound) {
  ListedDataset set = good_set();
  set.train[0].values.pop_back();
  expect_incomplete(set, {"sample 0: its value 2 is nan"});
}

TEST(Check, LabelsOutOfRangeAreFound) {
  for (const int64_t label : {-1, 2}) {
    ListedDataset set = good_set();
    set.train[2].label = label;
    expect_incomplete(set, {"sample 2: its label is " + std::to_string(label), "wanted 0 to 1"});
  }
}

TEST(Check, AClassWithoutSamplesIsFound) {
  ListedDataset set = good_set();
  set.test[1].label = set.test[3].label = 0;
  expect_incomplete(set, {"test: 1 of 2 classes have no sample, the first is dog"});
  set.described.class_names.clear();
  expect_incomplete(set, {"the first is 1"});
}

TEST(Check, ARecordingIsNamedByItsFileOnce) {
  ListedDataset set = good_set();
  set.raw = std::make_unique<test::ListedRecordings>();
  set.train[1].label = 7;
  expect_incomplete(set, {"sample 1: recording_1.bin: its label is 7"});
  set.train[1] = {.label = 1, .values = {}, .error = "recording_1.bin: cut short"};
  expect_incomplete(set, {"sample 1: recording_1.bin: cut short"});
}

TEST(Check, TheReportIsTheSameWithAnyNumberOfThreads) {
  ListedDataset set = good_set(333);
  for (const size_t i : {17u, 18u, 300u}) set.train[i].error = "x";
  const int before = threads();
  std::vector<std::string> found;
  for (const int n : {1, 2, 5}) {
    set_threads(n);
    found.push_back(texts(check_dataset(set)));
  }
  set_threads(before);
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[0], found[2]);
}

TEST(Check, ProgressGrowsWithinAPartAndItsExceptionEndsTheWork) {
  const ListedDataset set = good_set(100 * threads());  // more than one round
  std::vector<double> fractions;
  check_dataset(set, [&](double fraction, std::string_view text) {
    if (text.starts_with("train")) fractions.push_back(fraction);
  });
  ASSERT_GE(fractions.size(), 2u);
  EXPECT_EQ(fractions.front(), 0);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_LT(fractions.back(), 1);
  EXPECT_THROW(check_dataset(set, [](double, std::string_view) { throw Interrupted(2, "stop"); }),
               Interrupted);
}

}  // namespace
}  // namespace spikenm::data
