#include "spikenm/core/build_id.h"

#include <gtest/gtest.h>

namespace spikenm {
namespace {

TEST(BuildId, IsHexadecimalAndTheSameEachTime) {
  const std::string id = build_id();
  ASSERT_GE(id.size(), 16u);  // the linker's default is 20 bytes
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos) << id;
  EXPECT_EQ(build_id(), id);
}

}  // namespace
}  // namespace spikenm
