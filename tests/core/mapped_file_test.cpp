#include "spikenm/core/mapped_file.h"

#include "spikenm/core/file.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace spikenm {
namespace {

TEST(MappedFile, ShowsTheBytesOfTheFile) {
  const test::TempDir dir;
  write_file_atomically(dir / "a", "some bytes");
  const MappedFile file(dir / "a");
  EXPECT_EQ(as_text(file.bytes()), "some bytes");
}

TEST(MappedFile, AnEmptyFileHasNoBytes) {
  const test::TempDir dir;
  write_file_atomically(dir / "a", "");
  EXPECT_TRUE(MappedFile(dir / "a").bytes().empty());
}

TEST(MappedFile, MovesWithoutUnmapping) {
  const test::TempDir dir;
  write_file_atomically(dir / "a", "first");
  write_file_atomically(dir / "b", "second");
  MappedFile a(dir / "a");
  MappedFile moved(std::move(a));
  EXPECT_EQ(as_text(moved.bytes()), "first");
  moved = MappedFile(dir / "b");
  EXPECT_EQ(as_text(moved.bytes()), "second");
}

TEST(MappedFile, NamesWhatItCannotOpen) {
  const test::TempDir dir;
  EXPECT_ERROR(MappedFile(dir / "absent"), "absent", "No such file");
  EXPECT_ERROR(MappedFile(dir.path()), "not a file");
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_ERROR(MappedFile(dir / "pipe"), "pipe", "not a file");
}

TEST(ByteReader, StopsAtTheEndAndSaysWhere) {
  const uint8_t bytes[] = {1, 2, 3, 4, 5, 6};
  ByteReader reader(bytes, "some.bin");
  EXPECT_EQ(reader.le<uint16_t>("first word"), 0x0201);
  EXPECT_EQ(reader.be<uint16_t>("second word"), 0x0304);
  EXPECT_EQ(reader.left(), 2u);
  EXPECT_ERROR(reader.be<uint32_t>("third word"), "some.bin", "third word at byte 4", "needs 4",
               "found 2");
  EXPECT_EQ(reader.le<uint8_t>("byte"), 5);
}

}  // namespace
}  // namespace spikenm
