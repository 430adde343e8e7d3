#include "spikenm/core/md5.h"

#include <gtest/gtest.h>

namespace spikenm {
namespace {

// The test suite of RFC 1321, appendix A.5.
TEST(Md5, GivesThePublishedSums) {
  EXPECT_EQ(md5_hex({}), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(md5_hex(as_bytes("abc")), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(md5_hex(as_bytes("message digest")), "f96b697d7cb7938d525a2f31aaf161d0");
}

}  // namespace
}  // namespace spikenm
