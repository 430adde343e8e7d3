#include "spikenm/train/run_lists.h"

#include "spikenm/core/key.h"
#include "spikenm/train/run_keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace spikenm::train {
namespace {

TEST(RunLists, EveryNameHasOneLine) {
  std::set<std::string> kinds;
  for (const RunList& list : run_lists()) {
    EXPECT_TRUE(kinds.insert(list.name).second) << list.name;
    EXPECT_FALSE(list.rows.empty()) << list.name;
    for (const ListRow& row : list.rows) {
      EXPECT_FALSE(row.name.empty() || row.summary.empty()) << list.name << " " << row.name;
      EXPECT_EQ(row.summary.find('\n'), std::string::npos) << row.name;
    }
  }
  EXPECT_EQ(kinds.size(), 11U);
}

// Names come from the declarations; where a key lists its choices, they are the same.
TEST(RunLists, NamesAreThoseThatTheirKeysTake) {
  for (const RunList& list : run_lists()) {
    bool found = false;
    for (const KeyGroup& group : run_keys()) {
      for (const Key* key : group.keys) {
        if (group.section + "." + key->name != list.key) continue;
        found = true;
        if (key->choices.empty()) continue;
        std::vector<std::string> names;
        for (const ListRow& row : list.rows) names.push_back(row.name);
        EXPECT_EQ(names, key->choices) << list.key;
      }
    }
    EXPECT_TRUE(found) << list.key;
  }
}

}  // namespace
}  // namespace spikenm::train
