#include "spikenm/core/file.h"

#include "support/expect_error.h"
#include "support/temp_dir.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace spikenm {
namespace {

namespace fs = std::filesystem;
using test::TempDir;

int64_t n_entries(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

TEST(File, ReadGivesBackWhatWasWritten) {
  const TempDir dir;
  for (const std::string& content :
       {std::string(), std::string("a\r\n\0b\xff", 6), std::string(300'000, 'x')}) {
    write_file_atomically(dir / "f", content);
    EXPECT_EQ(read_file(dir / "f"), content);
  }
}

TEST(File, WriteReplacesALongerFile) {
  const TempDir dir;
  write_file_atomically(dir / "f", "a long text");
  write_file_atomically(dir / "f", "short");
  EXPECT_EQ(read_file(dir / "f"), "short");
}

TEST(File, WriteFollowsALinkAndLeavesItALink) {
  const TempDir dir;
  fs::create_symlink(dir / "real", dir / "link");
  write_file_atomically(dir / "link", "x");
  EXPECT_TRUE(fs::is_symlink(dir / "link"));
  EXPECT_EQ(read_file(dir / "real"), "x");
}

TEST(File, WriteReplacesNothingButFiles) {
  const TempDir dir;
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_ERROR(write_file_atomically(dir / "pipe", "x"), "pipe", "not a file");
  EXPECT_ERROR(write_file_atomically(dir.path(), "x"), dir.path().c_str(), "not a file");
  EXPECT_TRUE(fs::is_fifo(dir / "pipe"));
}

TEST(File, WriteLeavesNothingBesideTheFile) {
  const TempDir dir;
  write_file_atomically(dir / "f", "x");
  EXPECT_EQ(n_entries(dir.path()), 1);
}

TEST(File, MissingFileIsNamed) {
  const TempDir dir;
  EXPECT_ERROR(read_file(dir / "absent.toml"), "absent.toml", "No such file");
}

TEST(File, FolderIsNotReadAsAFile) {
  const TempDir dir;
  EXPECT_ERROR(read_file(dir.path()), dir.path().c_str(), "is a folder");
}

TEST(File, PathTooLongForTheSystemIsAnError) {
  EXPECT_ERROR(read_file("/tmp/" + std::string(300, 'a')), "aaa", "too long");
}

TEST(File, ReadThatFailsHalfwayIsAnError) {
  const fs::path unreadable = "/proc/self/mem";  // opens, but its first byte is not mapped
  if (!fs::exists(unreadable)) GTEST_SKIP() << "no /proc here";
  EXPECT_ERROR(read_file(unreadable), "/proc/self/mem", "cannot read");
}

TEST(File, WriteIntoAMissingFolderIsAnErrorAndMakesNothing) {
  const TempDir dir;
  EXPECT_ERROR(write_file_atomically(dir / "absent/f", "x"), "absent/f", "No such file");
  EXPECT_EQ(n_entries(dir.path()), 0);
}

TEST(File, WriteOverAFolderIsAnErrorAndLeavesNoPart) {
  const TempDir dir;
  fs::create_directory(dir / "f");
  EXPECT_ERROR(write_file_atomically(dir / "f", "x"), "/f", "not a file");
  EXPECT_EQ(n_entries(dir.path()), 1);
}

TEST(File, FullDiskIsAnErrorAndKeepsTheOldFile) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const TempDir dir;
  write_file_atomically(dir / "f", "old");
  fs::create_symlink("/dev/full", dir / fmt::format("f.part{}", ::getpid()));
  EXPECT_ERROR(write_file_atomically(dir / "f", "new"), "/f", "No space left");
  EXPECT_EQ(read_file(dir / "f"), "old");
  EXPECT_EQ(n_entries(dir.path()), 1);
}

}  // namespace
}  // namespace spikenm
