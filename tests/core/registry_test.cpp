#include "spikenm/core/registry.h"

#include "support/expect_error.h"

namespace spikenm {
namespace {

Registry<int> numbers() {
  return {"method", {{"dense", "keeps all", 1}, {"magnitude", "keeps the largest", 2}}};
}

TEST(Registry, FindsByName) {
  EXPECT_EQ(numbers().find("magnitude"), 2);
}

TEST(Registry, KeepsTheOrderOfItsTable) {
  EXPECT_EQ(numbers().names(), (std::vector<std::string>{"dense", "magnitude"}));
}

TEST(Registry, UnknownNameListsTheKnownOnesAndTheNearest) {
  EXPECT_ERROR(numbers().find("magnitud"), "method 'magnitud'", "known: dense, magnitude",
               "nearest: magnitude");
}

TEST(Registry, NamesAreWhole) {
  EXPECT_ERROR(numbers().find("dens"), "nearest: dense");
}

TEST(Registry, EmptyNameIsUnknown) {
  EXPECT_ERROR(numbers().find(""), "method ''");
}

}  // namespace
}  // namespace spikenm
