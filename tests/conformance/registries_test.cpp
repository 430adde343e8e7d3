// What every registry must hold, whatever its rows are.
#include "spikenm/data/dataset.h"
#include "spikenm/data/transforms/transform.h"
#include "spikenm/graph/models/models.h"
#include "spikenm/sparsity/method.h"
#include "spikenm/train/loss.h"
#include "spikenm/train/phase.h"

#include <gtest/gtest.h>

#include <set>

namespace spikenm {
namespace {

template <class Factory>
void expect_named_rows(const Registry<Factory>& registry) {
  std::set<std::string> names;
  EXPECT_FALSE(registry.rows().empty());
  for (const auto& row : registry.rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name << " is there twice";
    EXPECT_FALSE(row.summary.empty()) << row.name;
  }
}

TEST(EveryRegistry, HasRowsWithANameOfTheirOwnAndASummary) {
  expect_named_rows(data::datasets());
  expect_named_rows(data::transforms());
  expect_named_rows(graph::models());
  expect_named_rows(sparsity::methods());
  expect_named_rows(train::losses());
  expect_named_rows(train::phases());
}

}  // namespace
}  // namespace spikenm
