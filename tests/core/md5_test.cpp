#include "spikenm/core/md5.h"

#include "spikenm/core/file.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>

namespace spikenm {
namespace {

// The test suite of RFC 1321, appendix A.5.
TEST(Md5, GivesThePublishedSums) {
  EXPECT_EQ(md5_hex({}), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(md5_hex(as_bytes("abc")), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(md5_hex(as_bytes("message digest")), "f96b697d7cb7938d525a2f31aaf161d0");
}

TEST(Md5, OfAFileIsThatOfItsBytes) {
  const test::TempDir dir;
  for (const size_t size : {size_t{0}, size_t{3}, size_t{1} << 20, (size_t{5} << 19) + 1}) {
    std::string content(size, 'x');
    for (size_t i = 0; i < size; i += 7) content[i] = static_cast<char>(i);
    write_file_atomically(dir / "f", content);
    EXPECT_EQ(md5_hex(InputFile(dir / "f")), md5_hex(as_bytes(content))) << size;
  }
  const InputFile file(dir / "f");
  std::filesystem::resize_file(dir / "f", 9);
  EXPECT_ERROR(md5_hex(file), "f: was cut to 9 bytes");
}

}  // namespace
}  // namespace spikenm
