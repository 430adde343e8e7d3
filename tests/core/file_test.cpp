#include "spikenm/core/file.h"

#include "spikenm/core/interrupt.h"
#include "support/expect_error.h"
#include "support/nobody.h"
#include "support/temp_dir.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <set>

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

// Files of this process may have at most `most` bytes, for as long as it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t most) : kept_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &kept_);
    const rlimit limit{.rlim_cur = most, .rlim_max = kept_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &kept_);
    std::signal(SIGXFSZ, kept_handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit kept_{};
  void (*kept_handler_)(int);
};

TEST(File, WriteThatFailsHalfwayIsAnErrorAndKeepsTheOldFile) {
  const TempDir dir;
  write_file_atomically(dir / "f", "old");
  {
    const FileSizeLimit limit(1000);
    EXPECT_ERROR(write_file_atomically(dir / "f", std::string(2000, 'x')), "/f", "cannot write",
                 "too large");
  }
  EXPECT_EQ(read_file(dir / "f"), "old");
  EXPECT_EQ(n_entries(dir.path()), 1);
}

TEST(File, AnAppendThatFailsHalfwayIsAnErrorAndTakesBackItsHalf) {
  const TempDir dir;
  const std::string before(990, 'x');
  append_to_file(dir / "f", before);
  {
    const FileSizeLimit limit(1000);
    EXPECT_ERROR(append_to_file(dir / "f", std::string(20, 'y')), "/f", "cannot write",
                 "too large");
  }
  EXPECT_EQ(read_file(dir / "f"), before);
  append_to_file(dir / "f", "z");
  EXPECT_EQ(read_file(dir / "f"), before + "z");
}

TEST(File, AppendedTextsFollowOneAnother) {
  const TempDir dir;
  std::string wanted;
  for (const std::string& text : {std::string("a\n"), std::string(), std::string(300'000, 'b')}) {
    append_to_file(dir / "f", text);
    wanted += text;
    EXPECT_EQ(read_file(dir / "f"), wanted);
  }
  sync_file(dir / "f");
}

TEST(File, NothingButAFileIsAppendedToCutOrSynced) {
  const TempDir dir;
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  write_file_atomically(dir / "real", "mine");
  fs::create_symlink(dir / "real", dir / "link");
  fs::create_symlink("/dev/full", dir / "device");
  for (const char* name : {"pipe", "link", "device", "absent/f", ""}) {  // the last: a folder
    EXPECT_ERROR(append_to_file(dir / name, "x"), name, "cannot write");
    EXPECT_ERROR(truncate_file(dir / name, 0), name, "cannot write");
    EXPECT_ERROR(sync_file(dir / name), name, "cannot write");
  }
  EXPECT_EQ(read_file(dir / "real"), "mine");
  EXPECT_ERROR(append_to_file("/dev/full", "x"), "/dev/full: cannot write", "not a file");
}

TEST(File, ACutFileKeepsItsBeginning) {
  const TempDir dir;
  write_file_atomically(dir / "f", "one\ntwo\n");
  truncate_file(dir / "f", 8);
  EXPECT_EQ(read_file(dir / "f"), "one\ntwo\n");
  truncate_file(dir / "f", 4);
  EXPECT_EQ(read_file(dir / "f"), "one\n");
  EXPECT_ERROR(truncate_file(dir / "f", 5), "/f: found 4 bytes, wanted at least 5");
  EXPECT_ERROR(truncate_file(dir / "absent", 0), "absent: cannot write: No such file");
  EXPECT_FALSE(fs::exists(dir / "absent"));
  truncate_file(dir / "f", 0);
  EXPECT_EQ(read_file(dir / "f"), "");
}

TEST(File, AMovedFileReplacesWhatLiesThere) {
  const TempDir dir;
  make_folders(dir / "to");
  write_file_atomically(dir / "f", "new");
  write_file_atomically(dir / "to/f", "old");
  move_file(dir / "f", dir / "to/f");
  EXPECT_EQ(read_file(dir / "to/f"), "new");
  EXPECT_FALSE(fs::exists(dir / "f"));
  EXPECT_ERROR(move_file(dir / "f", dir / "to/f"), "to/f: cannot write: No such file");
}

TEST(File, FoldersAreMadeWithThoseAboveThem) {
  const TempDir dir;
  for (int round = 0; round < 2; ++round) {
    make_folders(dir / "a/b/../c/");
    EXPECT_TRUE(fs::is_directory(dir / "a/b"));
    EXPECT_TRUE(fs::is_directory(dir / "a/c"));
  }
  fs::create_directory_symlink("a", dir / "link");
  make_folders(dir / "link/d");
  EXPECT_TRUE(fs::is_directory(dir / "a/d"));
  write_file_atomically(dir / "f", "");
  EXPECT_ERROR(make_folders(dir / "f"), "/f: cannot make the folder: Not a directory");
  EXPECT_ERROR(make_folders(dir / "f/g"), "/f/g: cannot make the folder: Not a directory");
  EXPECT_ERROR(make_folders("/proc/none/g"), "/proc/none/g: cannot make the folder: ");
}

TEST(File, AFileInTheWorkingFolderHasAFolderToo) {
  const TempDir dir;
  const fs::path before = fs::current_path();
  fs::current_path(dir.path());
  write_file_atomically("f", "x");
  make_folders("g");
  move_file("f", "g/f");
  fs::current_path(before);
  EXPECT_EQ(read_file(dir / "g/f"), "x");
}

// Such a folder cannot be opened, so it cannot be synced.
TEST(File, AFolderThatCanBeWrittenAndNotReadIsWrittenTo) {
  const TempDir dir;
  make_folders(dir / "d");
  fs::permissions(dir.path(), fs::perms(0711));
  fs::permissions(dir / "d", fs::perms(0333));
  {
    const test::Nobody nobody;
    write_file_atomically(dir / "d/f", "x");
    append_to_file(dir / "d/f", "y");
    sync_file(dir / "d/f");
  }
  fs::permissions(dir / "d", fs::perms(0755));
  EXPECT_EQ(read_file(dir / "d/f"), "xy");
}

TEST(File, AFolderThatMayNotBeWrittenIsNamed) {
  const TempDir dir;
  make_folders(dir / "d");
  fs::permissions(dir.path(), fs::perms(0711));
  fs::permissions(dir / "d", fs::perms(0555));
  const test::Nobody nobody;
  EXPECT_ERROR(append_to_file(dir / "d/f", "x"), "d/f: cannot write: Permission denied");
  EXPECT_ERROR(write_file_atomically(dir / "d/f", "x"), "d/f: cannot write: Permission denied");
  EXPECT_ERROR(make_folders(dir / "d/e"), "d/e: cannot make the folder: Permission denied");
}

TEST(File, AWriteTouchesNothingThatLiesBesideIt) {
  const TempDir dir;
  write_file_atomically(dir / "mine", "mine");
  // Where an earlier version would have written: a link there led the content elsewhere.
  fs::create_symlink(dir / "mine", dir / fmt::format("f.part{}", ::getpid()));
  write_file_atomically(dir / "f", "new");
  EXPECT_EQ(read_file(dir / "f"), "new");
  EXPECT_EQ(read_file(dir / "mine"), "mine");
  EXPECT_EQ(n_entries(dir.path()), 3);
}

TEST(File, EachWriterHasANameOfItsOwn) {
  const TempDir dir;
  std::set<std::string> parts;
  {
    AtomicFile first(dir / "f"), second(dir / "f");
    for (const auto& entry : fs::directory_iterator(dir.path())) {
      parts.insert(entry.path().filename().string());
      EXPECT_TRUE(is_part_of(entry.path().filename().string(), "f"));
    }
    EXPECT_EQ(parts.size(), 2u);
  }
  EXPECT_EQ(n_entries(dir.path()), 0);
}

TEST(File, PartsAreKnownByTheirNames) {
  EXPECT_TRUE(is_part_of("config.toml.part123", "config.toml"));
  EXPECT_TRUE(is_part_of("config.toml.part00ff", "config.toml"));
  for (const char* name : {"config.toml", "config.toml.part", "config.toml.part12x", "config.part1",
                           "x.config.toml.part1", "config.toml.partner"})
    EXPECT_FALSE(is_part_of(name, "config.toml")) << name;
}

TEST(File, OnlyRegularFilesAreRead) {
  const TempDir dir;
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_ERROR(read_file(dir / "pipe"), "pipe", "not a file");  // and does not wait for a writer
  EXPECT_ERROR(read_file("/dev/zero"), "/dev/zero", "not a file");
  fs::create_symlink("/dev/zero", dir / "link");
  EXPECT_ERROR(read_file(dir / "link"), "link", "not a file");
}

TEST(File, TheSizeIsLimitedAndTheLimitNamed) {
  const TempDir dir;
  write_file_atomically(dir / "f", std::string(1000, 'x'));
  EXPECT_EQ(read_file(dir / "f", 1000).size(), 1000u);
  EXPECT_ERROR(read_file(dir / "f", 999), "/f", "1000 bytes", "at most 999");
  fs::resize_file(dir / "f", kMostText + 1);
  EXPECT_ERROR(read_file(dir / "f"), "16777217 bytes", "at most 16777216");
}

TEST(File, AnInterruptEndsTheReading) {
  const TempDir dir;
  write_file_atomically(dir / "f", "x");
  EXPECT_EXIT(
      {
        install_interrupt_handlers();
        ::raise(SIGTERM);
        try {
          (void)read_file(dir / "f");
        } catch (const Interrupted& e) {
          ::_exit(e.signal_number());
        }
        ::_exit(0);
      },
      testing::ExitedWithCode(SIGTERM), "");
}

TEST(File, WriteRefusesALinkThatNeverEnds) {
  const test::TempDir dir;
  fs::create_symlink("loop", dir / "loop");
  EXPECT_ERROR(write_file_atomically(dir / "loop", "x"), "loop: cannot write", "symbolic links");
  EXPECT_TRUE(fs::is_symlink(dir / "loop"));
}

}  // namespace
}  // namespace spikenm
