#include "spikenm/data/datasets/class_folders.h"

#include "support/class_folder_files.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>

#include <set>

namespace spikenm::data {
namespace {

using test::labels_of;
using test::open_set;
using test::put;
using test::TempDir;

std::unique_ptr<Dataset> open(const TempDir& dir, const std::vector<std::string>& settings = {}) {
  return open_set("image-folder", dir.path(), settings);
}

void put_class(const std::filesystem::path& folder, int n) {
  for (int i = 0; i < n; ++i) test::put_png(folder / fmt::format("{}.png", i), 4, 4, 9);
}

TEST(ClassFolders, AreClassesInTheOrderOfTheirNames) {
  const TempDir dir;
  for (const char* name : {"dog", "ant", "cat"}) put_class(dir / name, 10);
  put(dir / "README.txt", "not a class");
  put(dir / ".hidden/a.png", "not a class");
  put(dir / "ant/notes.txt", "not a picture");
  const auto set = open(dir);
  EXPECT_EQ(set->info().class_names, (std::vector<std::string>{"ant", "cat", "dog"}));
  EXPECT_EQ(set->size(Part::kTrain), 27);
  EXPECT_EQ(labels_of(*set, Part::kTest), (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(set->info().split, "random:0 (0.1 for testing)");

  const auto chosen = open(dir, {"classes=['dog', 'ant']"});
  EXPECT_EQ(chosen->info().class_names, (std::vector<std::string>{"dog", "ant"}));
}

std::set<std::string> test_files(const Dataset& set) {
  const std::vector<SourceFile> files = set.files();
  std::set<std::string> names;
  for (size_t i = static_cast<size_t>(set.size(Part::kTrain)); i < files.size(); ++i)
    names.insert(files[i].path.filename().string());
  return names;
}

TEST(ClassFolders, ASeedSplitsEachClass) {
  const TempDir dir;
  for (const char* name : {"a", "b"}) put_class(dir / name, 20);
  const auto set = open(dir, {"split=random:3", "test_fraction=0.25"});
  EXPECT_EQ(labels_of(*set, Part::kTest), (std::vector<int64_t>{0, 0, 0, 0, 0, 1, 1, 1, 1, 1}));
  EXPECT_EQ(test_files(*set), test_files(*open(dir, {"split=random:3", "test_fraction=0.25"})));
  EXPECT_NE(test_files(*set), test_files(*open(dir, {"split=random:4", "test_fraction=0.25"})));
}

TEST(ClassFolders, FoldersSplitWhereTheyAreThere) {
  const TempDir dir;
  for (const char* name : {"a", "b"}) {
    put_class(dir / "train" / name, 3);
    put_class(dir / "test" / name, 1);
  }
  for (const char* split : {"split=auto", "split=folders"}) {
    const auto set = open(dir, {split});
    EXPECT_EQ(set->size(Part::kTrain), 6);
    EXPECT_EQ(set->size(Part::kTest), 2);
    EXPECT_EQ(set->info().split, "folders");
  }
  EXPECT_ERROR(open(dir, {"split=folders", "test_fraction=0.5"}), "test_fraction", "no effect");
  put_class(dir / "test/c", 1);
  EXPECT_ERROR(open(dir), "test/c: is no class of the folder train beside");
}

TEST(ClassFolders, AChosenClassIsOneFolderOfTheRootAndNamedOnce) {
  const TempDir dir;
  for (const char* name : {"ok/cat", "ok/dog", "other/cat"}) put_class(dir / name, 2);
  const auto choose = [&](const char* classes) {
    return open_set("image-folder", dir / "ok", {fmt::format("classes=[{}]", classes)});
  };
  EXPECT_EQ(choose("'cat', 'dog'")->info().class_names, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_ERROR(choose("'cat', 'cat'"), "data.classes: found 'cat' twice, wanted each class once");
  for (const char* name : {"cat/", "../other/cat", ".", "..", "", "/"})
    EXPECT_ERROR(
        choose(fmt::format("'dog', '{}'", name).c_str()),
        fmt::format("data.classes: found '{}', wanted names of class folders", name).c_str());
}

TEST(ClassFolders, ANameThatIsNotUtf8IsRefusedBeforeTraining) {
  const TempDir dir;
  for (const char* name : {"cat", "dog", "caf\xE9"}) put_class(dir / name, 2);
  EXPECT_ERROR(open(dir), "found the class folder 'caf\\xE9', whose name is not UTF-8");
  EXPECT_NO_THROW(open(dir, {"classes=['cat', 'dog']"}));
}

TEST(ClassFolders, WhatIsWrongIsOneSentence) {
  const TempDir dir;
  EXPECT_ERROR(open_set("image-folder", ""), "data.root: not set",
               "a folder of PNG or JPEG pictures for each class");
  EXPECT_ERROR(open(dir), "found 0 class folders, wanted 2 or more");
  put_class(dir / "a", 2);
  put(dir / "b/readme.txt", "");
  EXPECT_ERROR(open(dir), "/b: holds no PNG or JPEG pictures (.png, .jpg, .jpeg)");
  put_class(dir / "b", 1);
  EXPECT_ERROR(open(dir), "/b: holds 1 file, wanted 2 or more");
  EXPECT_ERROR(open(dir, {"split=folders"}), "train: cannot be listed");
  EXPECT_ERROR(open(dir, {"split=random"}), "wanted auto, folders or random:SEED");
  EXPECT_ERROR(open(dir, {"split=random:x"}), "wanted random: and a whole number");
  EXPECT_ERROR(open(dir, {"classes=['a', 'c']"}), "/c: is not a folder, wanted one for class 'c'");
}

}  // namespace
}  // namespace spikenm::data
