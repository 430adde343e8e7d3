#include "spikenm/core/safetensors.h"

#include "spikenm/core/random.h"
#include "support/cpu_clock.h"
#include "support/expect_error.h"
#include "support/peak_memory.h"
#include "support/safetensors_bytes.h"
#include "support/temp_dir.h"

#include <cstring>
#include <fstream>

namespace spikenm {
namespace {

using test::TempDir;

SafetensorsFile sample() {
  SafetensorsFile file;
  file.metadata = {{"format", "spikenm"}, {"note", "\"quoted\"\n"}};
  file.tensors = {{"conv1.weight", "F32", {2, 1, 3}, std::vector<uint8_t>(24, 0xA5)},
                  {"conv1.mask", "U8", {2, 1, 3}, {0, 1, 2, 3, 254, 255}},
                  {"empty", "I64", {0, 7}, {}},
                  {"scalar", "F64", {}, {1, 2, 3, 4, 5, 6, 7, 8}}};
  return file;
}

// A file with this header text and `n_bytes` of data.
std::string file_with(const std::string& header, size_t n_bytes) {
  return test::with_header(header, std::string(n_bytes, 'd'));
}

std::string entry(const std::string& shape, const std::string& offsets) {
  return R"({"dtype":"U8","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

void expect_refused(const std::string& header, size_t n_bytes, const char* part) {
  EXPECT_ERROR(decode_safetensors(file_with(header, n_bytes), "m.st"), "m.st", part);
}

// True when the bytes decode and false when they are refused; anything else fails the test.
bool decodes(const std::string& bytes) {
  try {
    const SafetensorsFile file = decode_safetensors(bytes, "m.st");
    size_t held = 0;
    for (const StoredTensor& t : file.tensors) held += t.bytes.size();
    EXPECT_LT(held, bytes.size());
    return true;
  } catch (const Error&) {
    return false;
  }
}

TEST(Safetensors, FileComesBackWhole) {
  const TempDir dir;
  const SafetensorsFile wrote = sample();
  write_safetensors(dir / "m.safetensors", wrote);
  const SafetensorsFile read = read_safetensors(dir / "m.safetensors");
  EXPECT_EQ(read.metadata, wrote.metadata);
  ASSERT_EQ(read.tensors.size(), wrote.tensors.size());
  for (size_t i = 0; i < read.tensors.size(); ++i) {
    EXPECT_EQ(read.tensors[i].name, wrote.tensors[i].name);
    EXPECT_EQ(read.tensors[i].dtype, wrote.tensors[i].dtype);
    EXPECT_EQ(read.tensors[i].shape, wrote.tensors[i].shape);
    EXPECT_EQ(read.tensors[i].bytes, wrote.tensors[i].bytes);
  }
}

// A file may claim any size: what it says of itself is judged before its bytes take memory.
TEST(Safetensors, ALargeFileIsRefusedByItsHeader) {
  const TempDir dir;
  for (const std::string& begin :
       {std::string(), file_with("{", 0), file_with("{\"t\":" + entry("[1]", "[0,1]") + "}", 0)}) {
    std::ofstream(dir / "m.st") << begin;
    std::filesystem::resize_file(dir / "m.st", uint64_t{3} << 30);
    const int64_t before = test::peak_memory_kb();
    EXPECT_ERROR(read_safetensors(dir / "m.st"), "m.st");
    EXPECT_LT(test::peak_memory_kb() - before, 64 << 10);
  }
}

TEST(Safetensors, EmptyFileComesBackEmpty) {
  const SafetensorsFile read = decode_safetensors(encode_safetensors({}), "m.st");
  EXPECT_TRUE(read.tensors.empty());
  EXPECT_TRUE(read.metadata.empty());
}

TEST(Safetensors, DataStartsOnEightBytes) {
  for (const char* name : {"a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh"}) {
    const std::string bytes = encode_safetensors({{{name, "U8", {1}, {7}}}, {}});
    EXPECT_EQ((bytes.size() - 1) % 8, 0u) << name;
  }
}

TEST(Safetensors, TensorsAreFoundByName) {
  const SafetensorsFile file = sample();
  EXPECT_EQ(file.find("conv1.mask"), &file.tensors[1]);
  EXPECT_EQ(file.find("conv2.mask"), nullptr);
}

TEST(Safetensors, TensorWhoseBytesDoNotFillItsShapeIsABug) {
  EXPECT_THROW(encode_safetensors({{{"a", "F32", {2}, {1, 2, 3, 4}}}, {}}), Bug);
}

TEST(Safetensors, TensorsInAnotherOrderThanTheirBytesKeepTheirOwn) {
  const std::string header =
      "{\"b\":" + entry("[1]", "[2,3]") + ",\"a\":" + entry("[2]", "[0,2]") + "}";
  const SafetensorsFile file = decode_safetensors(file_with(header, 0) + "xyz", "m.st");
  EXPECT_EQ(file.find("a")->bytes, (std::vector<uint8_t>{'x', 'y'}));
  EXPECT_EQ(file.find("b")->bytes, (std::vector<uint8_t>{'z'}));
}

TEST(Safetensors, EveryTruncationIsRefused) {
  const std::string whole = encode_safetensors(sample());
  for (size_t n_bytes = 0; n_bytes < whole.size(); ++n_bytes)
    EXPECT_FALSE(decodes(whole.substr(0, n_bytes))) << n_bytes << " of " << whole.size();
}

TEST(Safetensors, TensorBeyondTheDataIsCalledACutFile) {
  expect_refused("{\"a\":" + entry("[4]", "[0,4]") + "}", 3, "ends at byte 4 and the data has 3");
}

TEST(Safetensors, TrailingBytesAreRefused) {
  EXPECT_ERROR(decode_safetensors(encode_safetensors(sample()) + "x", "m.st"), "m.st",
               "1 bytes follow");
}

// Without the checksums that would refuse them all.
TEST(Safetensors, EveryChangedHeaderByteIsRefusedOrDecodes) {
  const std::string whole = test::without_sums(encode_safetensors(sample()));
  const size_t header = test::header_size(whole);
  int refused = 0;
  for (size_t i = 0; i < 8 + header; ++i) {
    for (const int flip : {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff}) {
      std::string mutant = whole;
      mutant[i] = static_cast<char>(mutant[i] ^ flip);
      if (!decodes(mutant)) ++refused;
    }
  }
  EXPECT_GT(refused, static_cast<int>(header));
}

TEST(Safetensors, MutantsAreRefusedOrDecode) {
  const std::string whole = test::without_sums(encode_safetensors(sample()));
  const std::string alphabet = "{}[]\",:0123456789-+.eE\\ntrufalsU8F3\x00\x80\xff ";
  int refused = 0;
  constexpr uint32_t kMutants = 20'000;
  for (uint32_t mutant = 0; mutant < kMutants; ++mutant) {
    const RandomAddress random(2024, 0, mutant);
    std::string bytes = whole;
    const uint32_t n_edits = 1 + random.below(0, 4);
    for (uint32_t edit = 0; edit < n_edits && !bytes.empty(); ++edit) {
      const uint64_t base = 8 * (edit + 1);
      const size_t at = random.below(base, static_cast<uint32_t>(bytes.size()));
      const char c = alphabet[random.below(base + 1, static_cast<uint32_t>(alphabet.size()))];
      switch (random.below(base + 2, 4)) {
        case 0:
          bytes[at] = c;
          break;
        case 1:
          bytes.insert(at, 1, c);
          break;
        case 2:
          bytes.erase(at, 1 + random.below(base + 3, 8));
          break;
        default:
          bytes.insert(
              at, bytes.substr(random.below(base + 3, static_cast<uint32_t>(bytes.size())), 16));
      }
    }
    if (!decodes(bytes)) ++refused;
  }
  EXPECT_GT(refused, static_cast<int>(kMutants / 2));
}

TEST(Safetensors, HeaderLengthBeyondTheFileIsRefused) {
  std::string bytes = file_with("{}", 0);
  for (const uint64_t length : {uint64_t{3}, uint64_t{100'000'001}, UINT64_MAX, UINT64_MAX - 7}) {
    std::memcpy(bytes.data(), &length, 8);
    EXPECT_ERROR(decode_safetensors(bytes, "m.st"), "m.st", "header claims");
  }
  EXPECT_ERROR(decode_safetensors(file_with(std::string((32 << 20) + 1, ' '), 0), "m.st"), "m.st",
               "header claims 33554433 bytes, wanted at most 33554432");
}

TEST(Safetensors, OverlapsAndGapsAreRefused) {
  expect_refused("{\"a\":" + entry("[4]", "[0,4]") + ",\"b\":" + entry("[4]", "[2,6]") + "}", 6,
                 "'b' starts at byte 2, wanted 4");
  expect_refused("{\"a\":" + entry("[2]", "[0,2]") + ",\"b\":" + entry("[2]", "[4,6]") + "}", 6,
                 "'b' starts at byte 4, wanted 2");
  expect_refused("{\"a\":" + entry("[4]", "[0,4]") + ",\"b\":" + entry("[4]", "[0,4]") + "}", 4,
                 "'b' starts at byte 0, wanted 4");
}

TEST(Safetensors, ShapesThatOverflowAreRefused) {
  expect_refused("{\"a\":" + entry("[4294967296,4294967296]", "[0,0]") + "}", 0, "do not agree");
  expect_refused("{\"a\":" + entry("[9223372036854775807,2]", "[0,4]") + "}", 4, "do not agree");
  expect_refused("{\"a\":" + entry("[18446744073709551615]", "[0,4]") + "}", 4, "'a'");
  expect_refused("{\"a\":" + entry("[-4,-1]", "[0,4]") + "}", 4, "'a'");
}

TEST(Safetensors, OffsetsThatAreNotARangeAreRefused) {
  for (const char* offsets : {"[4,0]", "[0]", "[0,4,4]", "[]", "4", "null", "[-4,0]", "[0,-1]",
                              "[0,18446744073709551615]", "[\"0\",\"4\"]"})
    expect_refused("{\"a\":" + entry("[4]", offsets) + "}", 4, "'a'");
}

TEST(Safetensors, NumbersThatAreNotWholeAreRefused) {
  for (const char* number : {"4.0", "4.5", "1e300", "-1e300", "true", "18446744073709551616"}) {
    const std::string text = number;
    expect_refused("{\"a\":" + entry("[" + text + "]", "[0,4]") + "}", 4, "'a'");
    expect_refused("{\"a\":" + entry("[4]", "[0," + text + "]") + "}", 4, "'a'");
  }
}

TEST(Safetensors, UnknownTypeIsRefused) {
  expect_refused(R"({"a":{"dtype":"F31","shape":[1],"data_offsets":[0,4]}})", 4, "'F31'");
}

TEST(Safetensors, EntriesThatAreNotTensorsAreRefused) {
  for (const char* value : {"1", "[]", "{}", "null", R"({"dtype":"U8","shape":[1]})",
                            R"({"dtype":8,"shape":[1],"data_offsets":[0,1]})"})
    expect_refused(std::string("{\"a\":") + value + "}", 1, "'a'");
}

TEST(Safetensors, HeaderThatIsNotAnObjectIsRefused) {
  for (const char* header : {"", "[]", "1", "{", "{}x", "\xff"})
    expect_refused(header, 0, "wanted a JSON object");
}

TEST(Safetensors, AKeyGivenTwiceIsRefused) {
  const std::string a = entry("[4]", "[0,4]");
  expect_refused("{\"a\":" + a + ",\"a\":" + a + "}", 4, "header: found the key 'a' twice");
  expect_refused(R"({"__metadata__":{"x":"1","x":"2"}})", 0, "'x' twice");
  expect_refused(R"({"a":{"dtype":"U8","shape":[4],"shape":[4],"data_offsets":[0,4]}})", 4,
                 "'shape' twice");
}

TEST(Safetensors, OnlyBlanksFollowTheHeader) {
  EXPECT_EQ(decode_safetensors(file_with("{}      ", 0), "m.st").tensors.size(), 0u);
  for (const std::string& end :
       {std::string(1, '\0'), std::string("\0\0{}", 4), std::string("\0 x", 3)})
    expect_refused("{}" + end, 0, "header: found a NUL at byte 2");
}

TEST(Safetensors, MetadataThatIsNotTextIsRefused) {
  expect_refused(R"({"__metadata__":[]})", 0, "__metadata__");
  expect_refused(R"({"__metadata__":{"epoch":3}})", 0, "'epoch'");
}

TEST(Safetensors, DeepNestingIsRefused) {
  constexpr size_t kMany = 1'000'000;
  expect_refused(std::string(kMany, '['), 0, "more than 64");
  expect_refused("{\"a\":" + std::string(kMany, '[') + std::string(kMany, ']') + "}", 0,
                 "more than 64");
}

TEST(Safetensors, ManyTensorsTakeLinearTime) {
  SafetensorsFile wrote;
  for (int i = 0; i < 300'000; ++i)
    wrote.tensors.push_back({"tensor" + std::to_string(i), "U8", {1}, {7}});
  const test::CpuClock clock;
  const SafetensorsFile read = decode_safetensors(encode_safetensors(wrote), "m.st");
  EXPECT_LT(clock.seconds(), 30);  // a tenth of that, or minutes if each name looks at all others
  ASSERT_EQ(read.tensors.size(), wrote.tensors.size());
  EXPECT_EQ(read.tensors.back().name, "tensor299999");
}

}  // namespace
}  // namespace spikenm
