#include "spikenm/core/crc32c.h"
#include "spikenm/core/file.h"
#include "spikenm/core/safetensors.h"
#include "support/expect_error.h"
#include "support/peak_memory.h"
#include "support/temp_dir.h"

namespace spikenm {
namespace {

namespace fs = std::filesystem;

TEST(SafetensorsWrite, ViewsGiveTheBytesThatOwnersGive) {
  const test::TempDir dir;
  const std::vector<uint8_t> first{1, 2, 3, 4}, second{5, 6};
  const std::vector<TensorView> views{{"a", "F32", {1}, first}, {"b", "U8", {2}, second}};
  write_safetensors(dir / "m.st", views, {{"k", "v"}});
  const SafetensorsFile file{{{"a", "F32", {1}, first}, {"b", "U8", {2}, second}}, {{"k", "v"}}};
  EXPECT_EQ(read_file(dir / "m.st"), encode_safetensors(file));
}

// Small tensors are gathered, large ones are not; all lie in their order.
TEST(SafetensorsWrite, TensorsOfAnySizeLieInTheirOrder) {
  const test::TempDir dir;
  SafetensorsFile file;
  for (const size_t size : {3, 70'000, 0, 20'000, 30'000, 40'000, 65'536, 1, 200'000, 5})
    file.tensors.push_back({std::to_string(file.tensors.size()),
                            "U8",
                            {static_cast<int64_t>(size)},
                            std::vector<uint8_t>(size, static_cast<uint8_t>(size / 3))});
  write_safetensors(dir / "m.st", file);
  EXPECT_EQ(read_file(dir / "m.st"), encode_safetensors(file));
  SafetensorsInput(dir / "m.st").verify();
}

TEST(SafetensorsWrite, MakesNoCopyOfTheTensors) {
  const test::TempDir dir;
  const std::vector<uint8_t> bytes(96 << 20, 7);
  const int64_t before = test::peak_memory_kb();
  write_safetensors(dir / "m.st", std::vector<TensorView>{{"a", "U8", {96 << 20}, bytes}}, {});
  SafetensorsInput(dir / "m.st").verify();
  EXPECT_LT(test::peak_memory_kb() - before, 16 << 10);
  EXPECT_GT(fs::file_size(dir / "m.st"), bytes.size());
}

TEST(SafetensorsWrite, AFileThatWouldNotBeReadIsNotWritten) {
  const test::TempDir dir;
  write_file_atomically(dir / "m.st", "old");
  const std::string long_text(33 << 20, 'x');
  EXPECT_ERROR(write_safetensors(dir / "m.st", std::vector<TensorView>{}, {{"k", long_text}}),
               "m.st: would have", "wanted at most", "33554432");
  EXPECT_EQ(read_file(dir / "m.st"), "old");
}

TEST(SafetensorsWrite, TensorWhoseBytesDoNotFillItsShapeIsABugAndWritesNothing) {
  const test::TempDir dir;
  const std::vector<uint8_t> bytes{1, 2, 3, 4};
  EXPECT_THROW(
      write_safetensors(dir / "m.st", std::vector<TensorView>{{"a", "F32", {2}, bytes}}, {}), Bug);
  EXPECT_TRUE(fs::is_empty(dir.path()));
}

}  // namespace
}  // namespace spikenm
