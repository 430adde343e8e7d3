#include "spikenm/core/folder.h"

#include "spikenm/core/file.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

#include <algorithm>

namespace spikenm {
namespace {

TEST(Folder, ListsItsEntries) {
  const test::TempDir dir;
  EXPECT_TRUE(list_folder(dir.path()).empty());
  EXPECT_TRUE(list_folder(dir / "none").empty());
  write_file_atomically(dir / "a", "");
  make_folders(dir / "b/c");
  auto found = list_folder(dir.path());
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, (std::vector<std::filesystem::path>{dir / "a", dir / "b"}));
}

TEST(Folder, OneThatCannotBeReadIsAnError) {
  const test::TempDir dir;
  write_file_atomically(dir / "a", "");
  EXPECT_ERROR(list_folder(dir / "a"), "/a: cannot read the folder: Not a directory");
}

}  // namespace
}  // namespace spikenm
