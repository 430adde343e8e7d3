#include "spikenm/core/event_records.h"

#include <gtest/gtest.h>

#include <limits>

namespace spikenm {
namespace {

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<uint8_t>(byte));
  return text;
}

// A file of scalars with these steps.
std::string file_with(std::initializer_list<int64_t> steps) {
  std::string file = version_record(1.0);
  for (const int64_t step : steps) file += scalar_record("loss", step, 2.0, 0.5F);
  return file;
}

// As the protocol buffers and sums of the tensorboard package have them.
TEST(EventRecords, AreTensorBoards) {
  EXPECT_EQ(hex(version_record(1700000000.5)),
            "1800000000000000a37f4b220900002040fc54d9411a0d627261696e2e4576656e743a322b353110");
  EXPECT_EQ(
      hex(scalar_record("loss", 300, 1700000001.25, 0.1F)),
      "1b000000000000001a0d9e130900005040fc54d94110ac022a0d0a0b0a046c6f737315cdcccc3d1dca317f");
}

TEST(EventRecords, AreReadWithTheirSteps) {
  constexpr int64_t kLast = std::numeric_limits<int64_t>::max();
  const std::string file = file_with({0, 1, 127, 128, kLast, -1});
  const std::vector<EventRecord> records = whole_records(as_bytes(file));
  ASSERT_EQ(records.size(), 7u);
  EXPECT_TRUE(records[0].is_version);
  const std::vector<int64_t> wanted{0, 0, 1, 127, 128, kLast, -1};
  std::string bytes;
  for (size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(records[i].step, wanted[i]);
    EXPECT_EQ(records[i].is_version, i == 0);
    bytes += as_text(records[i].bytes);
  }
  EXPECT_EQ(bytes, file);
}

TEST(EventRecords, AFileThatIsCutAnywhereHasTheRecordsBefore) {
  const std::string first = file_with({1}), file = file_with({1, 2});
  for (size_t n = 0; n <= file.size(); ++n) {
    const size_t wanted = n == file.size()                  ? 3
                          : n >= first.size()               ? 2
                          : n >= version_record(1.0).size() ? 1
                                                            : 0;
    EXPECT_EQ(whole_records(as_bytes(file.substr(0, n))).size(), wanted) << n;
  }
}

TEST(EventRecords, AFlippedBitEndsTheFileThere) {
  const std::string first = file_with({1}), file = file_with({1, 2, 3});
  const size_t second_end = file_with({1, 2}).size();
  for (size_t bit = 8 * first.size(); bit < 8 * second_end; ++bit) {
    std::string changed = file;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    EXPECT_EQ(whole_records(as_bytes(changed)).size(), 2u) << bit;
  }
}

TEST(EventRecords, ZerosAreNoRecords) {
  EXPECT_TRUE(whole_records(as_bytes(std::string(100, '\0'))).empty());
}

}  // namespace
}  // namespace spikenm
