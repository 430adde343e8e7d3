// Runs whose disk fills up, whose folder becomes read-only, or whose folder goes away: one sentence,
// exit 1, and the last checkpoint goes on.
#include "support/cli.h"
#include "support/in_memory.h"
#include "support/run_ending.h"

#include <sched.h>
#include <sys/mount.h>

#include <chrono>
#include <thread>

namespace spikenm::faults {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::Arguments, test::has, test::Outcome;

class Disk : test::InMemory, public test::Cli {
 protected:
  Arguments train(const std::string& out) {
    return tiny({"train", "--quiet", "--out", out},
                {"train.epochs=40", "checkpoints.every_epochs=1", "checkpoints.every_minutes=0"});
  }

  // What the test mounts is seen by its own processes alone. False: we may not mount.
  static bool may_mount() {
    return ::unshare(CLONE_NEWNS) == 0 &&
           ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  }

  bool has_checkpoints(const std::string& out, int n) {
    for (int i = 0; i < 1200; ++i) {
      std::error_code error;
      const fs::directory_iterator entries(dir / out / RunDir::kCheckpoints, error);
      if (!error && std::count_if(begin(entries), end(entries), [](const fs::directory_entry& e) {
                      return e.path().extension() == ".safetensors";
                    }) >= n)
        return true;
      std::this_thread::sleep_for(5ms);
    }
    return false;
  }

  void expect_sentence(const Outcome& found, const std::string& part) {
    EXPECT_EQ(found.code, 1) << found.err;
    EXPECT_EQ(found.out, "");
    size_t sentences = 0;
    std::istringstream lines(found.err);
    std::string last;
    for (std::string line; std::getline(lines, line); last = line)
      sentences += line.starts_with("spikenm: ") ? 1 : 0;
    EXPECT_EQ(sentences, 1u) << found.err;
    EXPECT_TRUE(last.starts_with("spikenm: ") && has(last, part)) << found.err;
  }

  // The run goes on and ends as the one in `whole`.
  void expect_going_on(const std::string& out) {
    const Outcome found = run({"train", "--quiet", "--out", out, "--resume"});
    EXPECT_EQ(found.code, 0) << found.err;
    EXPECT_TRUE(has(found.err, ": goes on ")) << found.err;
    EXPECT_EQ(test::ending_of(dir / out), test::ending_of(dir / "whole"));
  }
};

TEST_F(Disk, AFullOneIsSaidAndTheRunGoesOnWhenThereIsRoom) {
  if (!may_mount()) GTEST_SKIP() << "only root may mount; TrainFaults fills the disk without it";
  ASSERT_EQ(run(train("whole")).code, 0);
  uintmax_t checkpoint = 0;
  for (const auto& entry : fs::directory_iterator(dir / "whole" / RunDir::kCheckpoints))
    checkpoint = entry.file_size();
  // Room for one checkpoint of the search, which has more state, but not for all.
  const std::string size = fmt::format("size={}", checkpoint * 5 / 2 + 50'000);
  fs::create_directory(dir / "disk");
  ASSERT_EQ(::mount("none", (dir / "disk").c_str(), "tmpfs", 0, size.c_str()), 0);
  const Outcome found = run(train("disk/a"));
  expect_sentence(found, "No space left on device");
  EXPECT_TRUE(has_checkpoints("disk/a", 1));
  // There is still no room.
  expect_sentence(run({"train", "--quiet", "--out", "disk/a", "--resume"}),
                  "No space left on device");
  ASSERT_EQ(::mount("none", (dir / "disk").c_str(), "tmpfs", MS_REMOUNT, "size=64m"), 0);
  expect_going_on("disk/a");
  EXPECT_EQ(::umount((dir / "disk").c_str()), 0);
}

TEST_F(Disk, AFolderThatBecomesReadOnlyIsSaid) {
  if (!may_mount()) GTEST_SKIP() << "only root may mount";
  ASSERT_EQ(run(train("whole")).code, 0);
  const pid_t child = start(train("a"));
  ASSERT_TRUE(has_checkpoints("a", 2));
  const fs::path folder = dir / "a";
  ASSERT_EQ(::mount(folder.c_str(), folder.c_str(), nullptr, MS_BIND, nullptr), 0);
  ASSERT_EQ(::mount("none", folder.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr), 0);
  expect_sentence(finish(child), "Read-only file system");
  const Outcome refused = run({"train", "--quiet", "--out", "a", "--resume"});
  expect_sentence(refused, "a: cannot write into the run folder: Read-only file system");
  ASSERT_EQ(::umount2(folder.c_str(), MNT_DETACH), 0);
  expect_going_on("a");
}

TEST_F(Disk, AFolderThatIsMovedAwayIsSaidAndNotMadeAgain) {
  ASSERT_EQ(run(train("whole")).code, 0);
  const pid_t child = start(train("a"));
  ASSERT_TRUE(has_checkpoints("a", 2));
  fs::rename(dir / "a", dir / "b");
  expect_sentence(finish(child), "a");
  EXPECT_FALSE(fs::exists(dir / "a"));
  expect_going_on("b");
}

TEST_F(Disk, AFolderThatIsRemovedIsSaidAndNotMadeAgain) {
  const pid_t child = start(train("a"));
  ASSERT_TRUE(has_checkpoints("a", 1));
  fs::rename(dir / "a", dir / "b");  // so that nothing is added while it is removed
  fs::remove_all(dir / "b");
  expect_sentence(finish(child), "a");
  EXPECT_FALSE(fs::exists(dir / "a"));
}

}  // namespace
}  // namespace spikenm::faults
