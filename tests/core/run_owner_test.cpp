#include "spikenm/core/run_owner.h"

#include "spikenm/core/file.h"
#include "support/child.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include <string>
#include <vector>

namespace spikenm {
namespace {

namespace fs = std::filesystem;
using test::in_child;
using test::status_of;
using test::TempDir;

// A word from one process to another.
struct Pipe {
  Pipe() { EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0); }
  ~Pipe() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void tell() const { EXPECT_EQ(::write(ends[1], "x", 1), 1); }
  void wait() const {
    char told = 0;
    EXPECT_EQ(::read(ends[0], &told, 1), 1);
  }
  int ends[2] = {-1, -1};
};

// A child that owns the folder until it is killed.
pid_t start_owner(const fs::path& folder, const TakeOptions& options = {}) {
  const Pipe owns;
  const pid_t child = in_child([&] {
    const RunOwner owner = RunOwner::take(folder, options);
    owns.tell();
    return ::pause();
  });
  owns.wait();
  return child;
}

void kill_and_wait(pid_t child) {
  ::kill(child, SIGKILL);
  EXPECT_EQ(status_of(child), -1);
}

OwnerRecord record_in(const fs::path& folder) {
  return parse_owner(read_file(folder / RunOwner::kFile), "record").value();
}

void write_record(const fs::path& folder, const std::string& host) {
  OwnerRecord owner = owner_of_now();
  owner.host = host;
  write_file_atomically(folder / RunOwner::kFile, to_text(owner));
}

// What a note on stderr says while the folder is taken.
std::string note_of_taking(const fs::path& folder, const TakeOptions& options = {}) {
  testing::internal::CaptureStderr();
  static_cast<void>(RunOwner::take(folder, options));
  return testing::internal::GetCapturedStderr();
}

// With the kernel's locks, and as on a file system without them.
class RunOwnerBothWays : public testing::TestWithParam<bool> {
 protected:
  RunOwner take(bool take_over = false) {
    return RunOwner::take(dir.path(), {.take_over = take_over, .kernel_locks = GetParam()});
  }
  TempDir dir;
};

INSTANTIATE_TEST_SUITE_P(Locks, RunOwnerBothWays, testing::Bool());

TEST_P(RunOwnerBothWays, NamesItsProcessAndGoesWithoutATrace) {
  {
    const RunOwner owner = take();
    EXPECT_EQ(record_in(dir.path()).pid, ::getpid());
    EXPECT_TRUE(is_on_this_host(record_in(dir.path())));
  }
  EXPECT_TRUE(fs::is_empty(dir.path()));
}

TEST_P(RunOwnerBothWays, ALiveOwnerIsNamedAndRefused) {
  const pid_t child = start_owner(dir.path(), {.kernel_locks = GetParam()});
  const std::string pid = "process " + std::to_string(child) + " on ";
  const std::string since = record_in(dir.path()).since;
  for (const bool take_over : {false, true})
    EXPECT_ERROR(take(take_over), dir.path().c_str(), pid.c_str(), since.c_str(), "still runs",
                 "--out");
  EXPECT_EQ(record_in(dir.path()).pid, child);
  kill_and_wait(child);
}

TEST_P(RunOwnerBothWays, OneProcessOwnsAFolderOnce) {
  const RunOwner owner = take();
  EXPECT_ERROR(take(), "still runs");
}

TEST_P(RunOwnerBothWays, AKilledOwnerIsTakenOverAndSaid) {
  const pid_t child = start_owner(dir.path(), {.kernel_locks = GetParam()});
  kill_and_wait(child);
  EXPECT_EQ(record_in(dir.path()).pid, child);
  const std::string note = note_of_taking(dir.path(), {.kernel_locks = GetParam()});
  EXPECT_NE(note.find("note: " + dir.path().string()), std::string::npos) << note;
  EXPECT_NE(note.find("process " + std::to_string(child) + " on "), std::string::npos) << note;
  EXPECT_TRUE(note.ends_with("which is gone\n")) << note;
  EXPECT_TRUE(fs::is_empty(dir.path()));
}

TEST_P(RunOwnerBothWays, AnOwnerOnAnotherHostIsTakenOverOnlyWhereTold) {
  write_record(dir.path(), "node7");
  EXPECT_ERROR(take(), "on node7, since", "--take-over", "--out");
  EXPECT_EQ(record_in(dir.path()).host, "node7");
  const std::string note =
      note_of_taking(dir.path(), {.take_over = true, .kernel_locks = GetParam()});
  EXPECT_NE(note.find("on node7"), std::string::npos) << note;
}

TEST_P(RunOwnerBothWays, ARecordThatWasCutOffIsNobodys) {
  for (const std::string& left :
       {std::string(), std::string("{\"ho"), std::string("{\"host\":\"node7\",\"pid\":4"),
        std::string(4, '\0')}) {
    write_file_atomically(dir / ".owner", left);
    EXPECT_EQ(note_of_taking(dir.path(), {.kernel_locks = GetParam()}), "");
  }
}

TEST_P(RunOwnerBothWays, AnothersFileIsKept) {
  write_file_atomically(dir / ".owner", "mine\n");
  EXPECT_ERROR(take(true), ".owner", "not the record");
  EXPECT_EQ(read_file(dir / ".owner"), "mine\n");
  fs::rename(dir / ".owner", dir / "elsewhere");
  fs::create_symlink(dir / "elsewhere", dir / ".owner");
  EXPECT_ERROR(take(true), ".owner", "cannot open");
  EXPECT_EQ(read_file(dir / "elsewhere"), "mine\n");
  fs::remove(dir / ".owner");
  ASSERT_EQ(::mkfifo((dir / ".owner").c_str(), 0600), 0);
  EXPECT_ERROR(take(true), ".owner", "not a file");
}

TEST_P(RunOwnerBothWays, AFolderThatIsNotThereIsAnError) {
  EXPECT_ERROR(RunOwner::take(dir / "none", {.kernel_locks = GetParam()}), "none/.owner",
               "No such file");
}

TEST_P(RunOwnerBothWays, ARecordThatIsAnothersByNowStays) {
  {
    const RunOwner owner = take();
    fs::rename(dir / ".owner", dir / "old");
    write_record(dir.path(), "node7");
  }
  EXPECT_EQ(record_in(dir.path()).host, "node7");
}

TEST_P(RunOwnerBothWays, AForkedChildFreesNothing) {
  RunOwner owner = take();
  const pid_t child = in_child([&] {
    const RunOwner copy = std::move(owner);
    return 0;
  });
  EXPECT_EQ(status_of(child), 0);
  EXPECT_ERROR(take(), "still runs");
}

TEST_P(RunOwnerBothWays, AMovedOwnerOwns) {
  RunOwner first = take();
  {
    const RunOwner second = std::move(first);
    EXPECT_ERROR(take(), "still runs");
  }
  EXPECT_TRUE(fs::is_empty(dir.path()));
}

// Each child holds the folder until all have tried.
int winners_among(int n, const fs::path& folder) {
  const Pipe go, tried, leave;
  std::vector<pid_t> children;
  for (int i = 0; i < n; ++i)
    children.push_back(in_child([&] {
      go.wait();
      int status = 0;
      try {
        const RunOwner owner = RunOwner::take(folder);
        tried.tell();
        leave.wait();
        status = 1;
      } catch (const Error& e) {
        tried.tell();
        status = std::string(e.what()).find("still runs") != std::string::npos ? 0 : 98;
      }
      return status;
    }));
  for (int i = 0; i < n; ++i) go.tell();
  for (int i = 0; i < n; ++i) tried.wait();
  for (int i = 0; i < n; ++i) leave.tell();
  int won = 0;
  for (const pid_t child : children) won += status_of(child);
  return won;
}

TEST(RunOwner, OneOfEightThatWantADeadOwnersFolderGetsIt) {
  testing::internal::CaptureStderr();
  for (int round = 0; round < 5; ++round) {
    const TempDir dir;
    kill_and_wait(start_owner(dir.path()));
    EXPECT_EQ(winners_among(8, dir.path()), 1);
  }
  testing::internal::GetCapturedStderr();
}

// Whoever gets the lock of a file that its owner has just removed must not believe in it.
TEST(RunOwner, OwnersThatComeAndGoAreNeverTwo) {
  const TempDir dir;
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i)
    children.push_back(in_child([&] {
      for (int round = 0; round < 50; ++round) {
        try {
          const RunOwner owner = RunOwner::take(dir.path());
          const int alone = ::open((dir / "alone").c_str(), O_CREAT | O_EXCL | O_CLOEXEC, 0600);
          if (alone < 0) return 1;
          ::close(alone);
          ::unlink((dir / "alone").c_str());
        } catch (const Error& e) {
          if (std::string(e.what()).find("still runs") == std::string::npos) throw;
        }
      }
      return 0;
    }));
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
  EXPECT_TRUE(fs::is_empty(dir.path()));
}

// A program that the owner starts and that outlives it.
TEST(RunOwner, NoProgramThatItStartsHoldsTheFolder) {
  const TempDir dir;
  const Pipe started;
  pid_t sleeper = 0;
  const pid_t child = in_child([&] {
    const RunOwner owner = RunOwner::take(dir.path());
    const pid_t grandchild = ::fork();
    if (grandchild == 0) {
      ::execlp("sleep", "sleep", "600", nullptr);
      ::_exit(98);
    }
    if (::write(started.ends[1], &grandchild, sizeof grandchild) < 0) return 1;
    return ::pause();
  });
  ASSERT_EQ(::read(started.ends[0], &sleeper, sizeof sleeper), ssize_t{sizeof sleeper});
  const std::string program = "/proc/" + std::to_string(sleeper) + "/comm";
  while (read_file(program) != "sleep\n") ::usleep(1000);
  kill_and_wait(child);
  EXPECT_NE(note_of_taking(dir.path()), "");
  ::kill(sleeper, SIGKILL);
}

TEST(FindOwner, SeesWhoKeepsOthersFromTheFolder) {
  const TempDir dir;
  EXPECT_EQ(find_owner(dir / "none"), std::nullopt);
  EXPECT_EQ(find_owner(dir.path()), std::nullopt);
  const pid_t child = start_owner(dir.path());
  EXPECT_EQ(find_owner(dir.path()).value(), record_in(dir.path()));
  kill_and_wait(child);
  EXPECT_EQ(find_owner(dir.path()), std::nullopt);
  write_record(dir.path(), "node7");
  EXPECT_EQ(find_owner(dir.path())->host, "node7");
  write_file_atomically(dir / ".owner", "mine\n");
  EXPECT_EQ(find_owner(dir.path()), std::nullopt);
  EXPECT_EQ(read_file(dir / ".owner"), "mine\n");
}

TEST(FindOwner, WhoLooksKeepsNobodyOut) {
  const TempDir dir;
  write_file_atomically(dir / ".owner", "");
  const pid_t child = in_child([&] {
    while (true) static_cast<void>(find_owner(dir.path()));
    return 0;
  });
  for (int i = 0; i < 50; ++i) EXPECT_NO_THROW(static_cast<void>(RunOwner::take(dir.path())));
  kill_and_wait(child);
}

}  // namespace
}  // namespace spikenm
