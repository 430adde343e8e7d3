#include "spikenm/core/owner_check.h"

#include "spikenm/core/file.h"
#include "spikenm/core/run_dir.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace spikenm {
namespace {

namespace fs = std::filesystem;

class OwnerCheck : public testing::Test {
 protected:
  test::TempDir dir;
  RunDir run = RunDir::create(dir / "a", false);
};

TEST_F(OwnerCheck, LetsTheOwnerWrite) {
  EXPECT_NO_THROW(check_still_owned(run.path()));
  run.write_config("seed = 0\n");
  fs::remove(dir / "a/.owner");  // the run is still there
  EXPECT_NO_THROW(run.append_line("metrics.jsonl", {{"epoch", 1}}));
}

TEST_F(OwnerCheck, AFolderThatIsGoneIsNotMadeAgain) {
  run.write_config("seed = 0\n");
  fs::remove_all(dir / "a");
  EXPECT_ERROR(run.write("graph.toml", ""), "/a: the folder was removed or moved away");
  EXPECT_ERROR(run.promote(), "/a: the folder was removed or moved away");
  EXPECT_FALSE(fs::exists(dir / "a"));
  fs::create_directory(dir / "a");  // another folder of the same name
  EXPECT_ERROR(run.append_line("metrics.jsonl", {}), "/a: the folder was removed or moved away");
  EXPECT_TRUE(fs::is_empty(dir / "a"));
}

TEST_F(OwnerCheck, AnotherOwnerIsNamed) {
  fs::rename(dir / "a", dir / "b");
  fs::create_directory(dir / "a");
  write_file_atomically(dir / "a/.owner",
                        "{\"host\":\"node7\",\"pid\":1,\"since\":\"2026-11-16T14:15:30Z\","
                        "\"started\":1}\n");
  EXPECT_ERROR(run.write("graph.toml", ""), "/a: the folder was taken by process 1 on node7");
}

}  // namespace
}  // namespace spikenm
