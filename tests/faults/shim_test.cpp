#include "support/faults.h"

#include <gtest/gtest.h>

#include <csignal>

namespace spikenm::faults {
namespace {

class Shim : public testing::Test {
 protected:
  Shim() { make_folders(dir / "x"); }

  const test::InMemory in_memory;
  test::TempDir dir;
  const test::FaultyRun ways{{SPIKENM_FAULT_WAYS, (dir / "x").string()}, dir / "x"};
};

TEST_F(Shim, SeesEveryVariantOfACall) {
  const test::FaultyEnd end = ways.run();
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(count_of(end.calls, "open"), 1 + 11 + 2);
  EXPECT_EQ(count_of(end.calls, "write"), 1 + 6);
  EXPECT_EQ(count_of(end.calls, "fsync"), 2);
  EXPECT_EQ(count_of(end.calls, "truncate"), 2 + 2);
  EXPECT_EQ(count_of(end.calls, "mkdir"), 4);
  EXPECT_EQ(count_of(end.calls, "rename"), 4);
  // remove() of a folder calls unlink() first, then rmdir().
  EXPECT_EQ(count_of(end.calls, "unlink"), 1 + 2 + 3);
  for (const test::FileCall& each : end.calls)
    EXPECT_TRUE(each.path.starts_with(std::filesystem::canonical(dir / "x").string())) << each.path;
}

TEST_F(Shim, LeavesOtherFoldersAlone) {
  make_folders(dir / "x2");
  const test::FaultyRun elsewhere({SPIKENM_FAULT_WAYS, (dir / "x2").string()}, dir / "x");
  const test::FaultyEnd end = elsewhere.run({.call = "open", .kind = "kill"});
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_TRUE(end.calls.empty());
}

TEST_F(Shim, KillsAtTheCallThatIsNamed) {
  const test::FaultyEnd end = ways.run({.call = "rename", .kind = "kill", .at = 2});
  EXPECT_EQ(end.code, -SIGKILL);
  EXPECT_EQ(count_of(end.calls, "rename"), 2);
  EXPECT_TRUE(std::filesystem::exists(dir / "x/g"));
  EXPECT_FALSE(std::filesystem::exists(dir / "x/h"));
}

TEST_F(Shim, AKindThatIsNotKnownEndsTheProgram) {
  const test::FaultyEnd end = ways.run({.call = "open", .kind = "ENOSPACE"});
  EXPECT_EQ(end.code, -SIGABRT);
  EXPECT_NE(end.err.find("'ENOSPACE' is not known"), std::string::npos);
}

}  // namespace
}  // namespace spikenm::faults
