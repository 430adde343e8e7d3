#include "spikenm/core/file.h"

#include "spikenm/core/interrupt.h"
#include "support/expect_error.h"
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
