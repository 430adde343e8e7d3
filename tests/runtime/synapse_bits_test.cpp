#include "spikenm/runtime/synapse_bits.h"

#include "support/expect_error.h"

namespace spikenm::runtime {
namespace {

const nm::WeightShape kShape{.cout = 2, .cin = 5, .kh = 1, .kw = 1};

// A linear layer of 5 inputs and 2 outputs, as in docs/format.md.
const std::vector<float> kWeight{0, 0.5f, 0, -1, 0, /**/ 2, 0, 0, 0, 1};
const std::vector<uint8_t> kKeep{0, 1, 0, 1, 0, /**/ 1, 0, 0, 0, 1};

SynapseTensor packed(WeightType type) {
  return pack_synapse(kWeight, kKeep, kShape, std::nullopt, type, "fc");
}

TEST(SynapseBits, TheExampleOfTheFormat) {
  const SynapseTensor tensor = packed(WeightType::kInt8);
  EXPECT_TRUE(tensor.as_bits);
  const BitWeights found = to_bit_weights(tensor);
  EXPECT_EQ(found.bits, (std::vector<uint8_t>{0x2a, 0x02}));
  EXPECT_EQ(found.values, (std::vector<uint8_t>{0x40, 0x81, 0x7f, 0x40}));
  EXPECT_EQ(tensor.scale, (std::vector<float>{1.0f / 127, 2.0f / 127}));
  EXPECT_EQ(stored_weights(tensor), 4);
}

TEST(SynapseBits, WhatIsReadIsWhatWasWritten) {
  for (const WeightType type : {WeightType::kFloat, WeightType::kInt8}) {
    const SynapseTensor tensor = packed(type);
    const BitWeights found = to_bit_weights(tensor);
    const auto whole = from_bit_weights(found.bits, found.values, kShape, type, "fc");
    EXPECT_TRUE(std::equal(whole.begin(), whole.end(), tensor.values.data(),
                           tensor.values.data() + tensor.values.size()));
  }
  EXPECT_EQ(unpack_floats(packed(WeightType::kFloat)), kWeight);
}

TEST(SynapseBits, WhatTheMaskDropsIsNotStored) {
  std::vector<float> weight = kWeight;
  weight[0] = 9;  // dropped, and not yet 0
  const SynapseTensor tensor =
      pack_synapse(weight, kKeep, kShape, std::nullopt, WeightType::kFloat, "fc");
  EXPECT_EQ(unpack_floats(tensor), kWeight);
}

TEST(SynapseBits, WhatTheMaskKeepsMayBeZero) {
  std::vector<float> weight = kWeight;
  weight[1] = 0;
  const SynapseTensor tensor =
      pack_synapse(weight, kKeep, kShape, std::nullopt, WeightType::kFloat, "fc");
  EXPECT_EQ(stored_weights(tensor), 3);
  EXPECT_EQ(unpack_floats(tensor), weight);
}

TEST(SynapseBits, BytesThatDoNotFitAreNamed) {
  const std::vector<uint8_t> four{1, 2, 3, 4}, three{1, 2, 3}, zero{1, 0, 3, 4};
  const auto read = [&](const std::vector<uint8_t>& bits, const std::vector<uint8_t>& values) {
    return from_bit_weights(bits, values, kShape, WeightType::kInt8, "a.snm: 'fc'");
  };
  const std::vector<uint8_t> bits{0x2a, 0x02}, behind{0x2a, 0x04};
  EXPECT_EQ(read(bits, four).size(), 10u);
  EXPECT_ERROR(read(behind, four), "a.snm: 'fc': found a bit behind its 10 weights");
  EXPECT_ERROR(read(bits, three), "found 3 bytes of values, wanted 4 for 4 bits");
  EXPECT_ERROR(read(bits, zero), "found the value 0 at weight 3");
}

}  // namespace
}  // namespace spikenm::runtime
