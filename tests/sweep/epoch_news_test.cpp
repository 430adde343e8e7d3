#include "spikenm/sweep/epoch_news.h"

#include "spikenm/core/file.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>

namespace spikenm::sweep {
namespace {

using News = std::vector<std::string>;

const std::string kShort = "search 3/24  loss 1.2345  train 45.10 %  val 44.00 %";
const std::string kLine = kShort + "  lr 0.001  1234/s  left 0:12:34  1.2 GB";

TEST(EpochNews, KnowsTheLineOfAnEpochAndTellsItInShort) {
  EXPECT_EQ(epoch_part(kLine), kShort);
  EXPECT_EQ(epoch_part("finetune 24/24  loss nan"), "finetune 24/24  loss nan");
  for (const char* other :
       {"", "search", "search 3", "search 3/", "search 3/24 loss 1", " 3/24  loss 1",
        "warning: search 3/24  loss 1", "runs/a: goes on in search epoch 3 of 24"})
    EXPECT_EQ(epoch_part(other), "") << other;
}

TEST(EpochNews, EachIsToldOnceWhenItsLineIsComplete) {
  const test::TempDir dir;
  const std::filesystem::path log = dir / "log";
  EpochNews none(dir / "none", 0);
  EXPECT_EQ(none.next(), News());
  const std::string older = kLine + "\n";
  append_to_file(log, older);
  EpochNews news(log, older.size());
  EXPECT_EQ(news.next(), News());
  append_to_file(log, "note: a word\n" + kLine + "\nfinetune 4/24");
  EXPECT_EQ(news.next(), News{kShort});
  EXPECT_EQ(news.next(), News());
  append_to_file(log, "  loss 1  lr 2\n");
  EXPECT_EQ(news.next(), News{"finetune 4/24  loss 1"});
  std::filesystem::remove(log);
  EXPECT_EQ(news.next(), News());
}

}  // namespace
}  // namespace spikenm::sweep
