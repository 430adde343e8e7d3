#include "spikenm/core/safetensors_layout.h"

#include "spikenm/core/crc32c.h"
#include "spikenm/core/file.h"
#include "spikenm/core/safetensors.h"
#include "support/expect_error.h"
#include "support/safetensors_bytes.h"
#include "support/temp_dir.h"

#include <algorithm>
#include <fstream>

namespace spikenm {
namespace {

SafetensorsFile sample() {
  return {.tensors = {{"conv1.weight", "F32", {2, 1}, {1, 2, 3, 4, 5, 6, 7, 8}},
                      {"none", "I64", {0, 7}, {}},
                      {"conv1.mask", "U8", {3}, {0, 1, 255}},
                      {"scalar", "BF16", {}, {9, 10}}},
          .metadata = {{"format", "spikenm"}, {"note", "\"quoted\"\n"}}};
}

// The error for these bytes; empty when they are read without one.
std::string refusal(const std::string& bytes) {
  try {
    static_cast<void>(decode_safetensors(bytes, "m.st"));
    return "";
  } catch (const Error& e) {
    return e.what();
  }
}

TEST(SafetensorsLayout, AFlippedBitAnywhereIsRefusedByName) {
  const std::string whole = encode_safetensors(sample());
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    const std::string found = refusal(damaged);
    EXPECT_TRUE(found.starts_with("m.st: ")) << "bit " << bit << ": " << found;
    EXPECT_TRUE(found.find("tensor") != found.npos || found.find("header") != found.npos) << found;
    EXPECT_EQ(found.find('\n'), found.npos) << found;
  }
}

// The same for a file on disk, whose tensors are read one by one.
TEST(SafetensorsLayout, AFlippedBitInAFileIsRefusedByName) {
  const test::TempDir dir;
  const std::string whole = encode_safetensors(sample());
  const size_t data = 8 + test::header_size(whole);
  const std::vector<std::string> owner{"conv1.weight", "conv1.mask", "scalar"};
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1 << at % 8);
    std::ofstream(dir / "m.st", std::ios::binary)
        << damaged;  // without a sync, which would be slow
    const char* tensor = owner[at < data + 8 ? 0 : at < data + 11 ? 1 : 2].c_str();
    if (at < data) {
      EXPECT_ERROR(SafetensorsInput(dir / "m.st"), "m.st: ");
    } else {
      EXPECT_ERROR(read_safetensors(dir / "m.st"), "m.st: tensor", tensor, "checksum", "damaged");
      EXPECT_ERROR(SafetensorsInput(dir / "m.st").verify(), "m.st: tensor", tensor, "checksum");
    }
  }
}

TEST(SafetensorsLayout, AFileWithoutChecksumsIsReadAndSaysSo) {
  const test::TempDir dir;
  const std::string whole = encode_safetensors(sample());
  write_file_atomically(dir / "with.st", whole);
  write_file_atomically(dir / "without.st", test::without_sums(whole));
  EXPECT_TRUE(SafetensorsInput(dir / "with.st").has_checksum());
  const SafetensorsInput without(dir / "without.st");
  EXPECT_FALSE(without.has_checksum());
  without.verify();
  EXPECT_EQ(without.header().metadata, sample().metadata);
  EXPECT_EQ(without.bytes(*without.header().find("conv1.mask")), sample().tensors[2].bytes);
}

TEST(SafetensorsLayout, ChecksumsAreNoMetadataOfTheCaller) {
  EXPECT_EQ(decode_safetensors(encode_safetensors(sample()), "m.st").metadata, sample().metadata);
  for (const char* key : {"crc32c", "crc32c.tensors"}) {
    SafetensorsFile file = sample();
    file.metadata[key] = "00000000";
    EXPECT_THROW(encode_safetensors(file), Bug);
  }
}

// Another program may lay out the same header in another way.
TEST(SafetensorsLayout, BlanksAndOrderInTheHeaderDoNotCount) {
  const std::string whole = encode_safetensors(sample());
  const size_t length = test::header_size(whole);
  const Json header = Json::parse(whole.substr(8, length));
  const std::string data = whole.substr(8 + length);
  const nlohmann::json sorted = header;  // by name
  Json reversed = Json::object();
  for (auto it = header.rbegin(); it != header.rend(); ++it) reversed[it.key()] = it.value();
  for (const std::string& text : {header.dump(3), sorted.dump(), reversed.dump()})
    EXPECT_EQ(refusal(test::with_header(text, data)), "");
}

TEST(SafetensorsLayout, EmptyTensorsInOnePlaceMayBeInAnyOrder) {
  const std::vector<StoredTensor> tensors{
      {"b", "U8", {0}, {}}, {"c", "F32", {0, 3}, {}}, {"a", "U8", {0}, {}}, {"d", "U8", {1}, {7}}};
  std::vector<size_t> order{0, 1, 2, 3};
  do {
    SafetensorsFile file;
    for (const size_t i : order) file.tensors.push_back(tensors[i]);
    EXPECT_EQ(refusal(encode_safetensors(file)), "");
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(SafetensorsLayout, TensorsThatChangePlacesAreRefused) {
  SafetensorsFile file;
  file.tensors = {{"a", "U8", {2}, {1, 2}}, {"b", "U8", {2}, {3, 4}}};
  const std::string swapped = test::with_changed_header(encode_safetensors(file), [](Json& header) {
    std::swap(header["a"]["data_offsets"], header["b"]["data_offsets"]);
  });
  EXPECT_NE(refusal(swapped).find("m.st: header: found the checksum"), std::string::npos);
}

TEST(SafetensorsLayout, ChecksumsThatAreNoneAreRefused) {
  const std::string whole = encode_safetensors(sample());
  const auto refused_with = [&](const char* key, const char* value, const char* part) {
    const std::string found = refusal(test::with_changed_header(
        whole, [&](Json& header) { header["__metadata__"][key] = value; }));
    EXPECT_NE(found.find(part), std::string::npos) << found;
  };
  for (const char* value : {"", "1234567", "123456789", "1234567G", "1234ABCD", "0x123456"})
    refused_with("crc32c", value, "m.st: header: its checksum is not 8 hex digits");
  refused_with("crc32c", "12345678", "m.st: header: found the checksum ");
  refused_with("crc32c.tensors", "", "m.st: header: found the checksum ");
  for (const char* key : {"crc32c", "crc32c.tensors"}) {
    const std::string found = refusal(
        test::with_changed_header(whole, [&](Json& header) { header["__metadata__"].erase(key); }));
    EXPECT_NE(found.find("m.st: header: found the checksum"), std::string::npos) << found;
    EXPECT_NE(found.find("without"), std::string::npos) << found;
  }
}

// The header's checksum is right here, but the list of tensor checksums is not.
TEST(SafetensorsLayout, SumsOfTensorsMustBeOneForEach) {
  const auto judge = [](const char* sums) {
    std::vector<TensorEntry> entries{{"a", "U8", {1}, 0, 1, 0}, {"b", "U8", {1}, 1, 2, 0}};
    Metadata metadata{{"crc32c.tensors", sums}};
    for (uint32_t guess = 0;; ++guess) {  // the error says which checksum would be right
      metadata["crc32c"] = fmt::format("{:08x}", guess);
      try {
        return take_sums(entries, metadata, "m.st");
      } catch (const Error& e) {
        const std::string_view said = e.what(), before = "header: found the checksum ";
        const size_t at = said.find(before);
        if (guess > 0 || at == said.npos) throw;
        guess = static_cast<uint32_t>(
                    std::stoul(std::string(said.substr(at + before.size(), 8)), nullptr, 16)) -
                1;
      }
    }
  };
  EXPECT_TRUE(judge("00000001 00000002"));
  EXPECT_ERROR(judge("00000001"), "m.st: header: found 8 letters of checksums, wanted 17");
  EXPECT_ERROR(judge("00000001x00000002"), "m.st: header: the checksum of tensor 2");
  EXPECT_ERROR(judge("0000000A 00000002"), "m.st: header: the checksum of tensor 1");
}

TEST(SafetensorsLayout, SumsAreThoseOfTheBytes) {
  const std::string whole = encode_safetensors(sample());
  const Json header = Json::parse(whole.substr(8, test::header_size(whole)));
  std::string wanted;
  for (const StoredTensor& t : sample().tensors)
    wanted += fmt::format("{}{:08x}", wanted.empty() ? "" : " ", crc32c(t.bytes));
  EXPECT_EQ(header["__metadata__"]["crc32c.tensors"], wanted);
}

}  // namespace
}  // namespace spikenm
