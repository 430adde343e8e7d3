#include "spikenm/data/packed_sample.h"

#include "support/expect_error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace spikenm::data {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

void expect_round_trip(const std::vector<float>& values, size_t bytes_a_value) {
  const std::string packed = pack_sample(values);
  EXPECT_EQ(packed.size(), 1 + values.size() * bytes_a_value);
  std::vector<float> back(values.size(), 77.0f);
  unpack_sample(as_bytes(packed), back, "test");
  ASSERT_EQ(back.size(), values.size());
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(std::bit_cast<uint32_t>(back[i]), std::bit_cast<uint32_t>(values[i]))
        << "value " << i << ": " << values[i];
}

TEST(PackedSample, WholeNumbersUpTo255TakeAByte) {
  std::vector<float> all(256);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<float>(i);
  expect_round_trip(all, 1);
  expect_round_trip({0}, 1);
  expect_round_trip(std::vector<float>(1001, 0.0f), 1);
}

TEST(PackedSample, WholeNumbersUpTo65535TakeTwo) {
  expect_round_trip({0, 1, 255, 256}, 2);
  std::vector<float> all(65536);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<float>(i);
  expect_round_trip(all, 2);
}

TEST(PackedSample, AllElseKeepsItsFloats) {
  expect_round_trip({65536}, 4);
  expect_round_trip({1, 2, 3, 0.5f}, 4);
  expect_round_trip({254.99998f}, 4);
  expect_round_trip({-1}, 4);
  expect_round_trip({1e-45f, 1.17549435e-38f}, 4);  // the smallest there are
  expect_round_trip({16777216, 3.4e38f, -3.4e38f}, 4);
  expect_round_trip({0.0f, -0.0f}, 4);
  expect_round_trip({kInfinity, 1}, 4);
  expect_round_trip({-kInfinity}, 4);
}

TEST(PackedSample, NanKeepsItsBits) {
  expect_round_trip({1, std::bit_cast<float>(0x7fc12345u), std::bit_cast<float>(0xffc00001u)}, 4);
}

TEST(PackedSample, NoValuesAreAByte) {
  expect_round_trip({}, 1);
}

TEST(PackedSample, ADamagedSampleIsRefused) {
  const std::vector<float> sample{1, 2, 3, 4};
  const std::string packed = pack_sample(sample);
  std::vector<float> out(4);
  const auto unpack = [&](std::string bytes) { unpack_sample(as_bytes(bytes), out, "x.frames"); };
  EXPECT_ERROR(unpack(""), "x.frames", "0 bytes", "4 values");
  EXPECT_ERROR(unpack(packed.substr(0, 4)), "x.frames", "4 bytes");
  EXPECT_ERROR(unpack(packed + "x"), "x.frames", "6 bytes");
  for (int width = 0; width < 256; ++width) {
    std::string wrong = packed;
    wrong[0] = static_cast<char>(width);
    if (width != 1) EXPECT_ERROR(unpack(wrong), "x.frames", "5 bytes");
  }
}

TEST(PackedSample, ASampleOfAnotherSizeIsRefused) {
  const std::string packed = pack_sample(std::vector<float>{300, 2});
  std::vector<float> one(1), three(3), four(4);
  for (std::vector<float>* out : {&one, &three, &four})
    EXPECT_ERROR(unpack_sample(as_bytes(packed), *out, "x.frames"), "x.frames");
}

}  // namespace
}  // namespace spikenm::data
