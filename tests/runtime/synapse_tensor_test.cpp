#include "spikenm/runtime/synapse_tensor.h"

#include "support/expect_error.h"
#include "support/stored_models.h"

#include <gtest/gtest.h>

namespace spikenm::runtime {
namespace {

using nm::Axis;
using nm::WeightShape;

std::vector<float> numbered(const WeightShape& shape) {
  std::vector<float> weight(static_cast<size_t>(shape.numel()));
  for (size_t i = 0; i < weight.size(); ++i) weight[i] = static_cast<float>(i + 1);
  return weight;
}

struct Case {
  WeightShape shape;
  WeightRule rule;
};

const Case kCases[] = {
    {{4, 8, 3, 3}, {{2, 4, 1}, Axis::kIn, false}},
    {{5, 9, 3, 3}, {{2, 4, 2}, Axis::kIn, false}},
    {{5, 9, 3, 3}, {{2, 4, 2}, Axis::kIn, true}},
    {{3, 5, 3, 3}, {{1, 4, 1}, Axis::kFlat, false}},
    {{6, 64, 1, 1}, {{2, 64, 3}, Axis::kIn, false}},
    {{2, 7, 1, 1}, {{3, 7, 1}, Axis::kIn, false}},
    {{4, 6, 2, 3}, {{2, 3, 4}, Axis::kFlat, false}},
    {{3, 2, 3, 3}, {{2, 4, 1}, Axis::kIn, false}},
    {{3, 4, 1, 2}, {{1, 1, 1}, Axis::kIn, true}},
    {{70, 16, 3, 3}, {{2, 16, 64}, Axis::kIn, true}},
};

TEST(SynapseTensor, UnpackingGivesTheKeptWeightsBack) {
  for (const Case& c : kCases) {
    const std::vector<uint8_t> keep = test::random_keep(c.shape, c.rule, 3);
    const std::vector<float> weight = numbered(c.shape);
    const SynapseTensor tensor =
        pack_synapse(weight, keep, c.shape, c.rule, WeightType::kFloat, "w");
    const TensorSizes sizes = tensor_sizes(c.shape, c.rule, WeightType::kFloat, "w");
    EXPECT_EQ(tensor.values.size(), sizes.values);
    EXPECT_EQ(tensor.positions.size(), sizes.positions);
    const std::vector<float> again = unpack_floats(tensor);
    for (size_t i = 0; i < weight.size(); ++i)
      ASSERT_EQ(again[i], keep[i] != 0 ? weight[i] : 0) << c.rule.pattern.text() << " at " << i;
  }
}

TEST(SynapseTensor, ABlockMayKeepFewerThanN) {
  const WeightShape shape{1, 8, 1, 1};
  const std::vector<uint8_t> keep{0, 0, 0, 1, 0, 0, 0, 0};
  const SynapseTensor tensor =
      pack_synapse(numbered(shape), keep, shape, WeightRule{{2, 4, 1}, Axis::kIn, false},
                   WeightType::kFloat, "w");
  EXPECT_EQ(unpack_floats(tensor), (std::vector<float>{0, 0, 0, 4, 0, 0, 0, 0}));
}

// The example of docs/format.md.
TEST(SynapseTensor, PositionsAreStoredOncePerMask) {
  const WeightShape shape{2, 4, 1, 1};
  const std::vector<float> weight{0, 0.5, 0, -1, 0, 2, 0, 1};
  const std::vector<uint8_t> keep{0, 1, 0, 1, 0, 1, 0, 1};
  const SynapseTensor tensor = pack_synapse(
      weight, keep, shape, WeightRule{{2, 4, 2}, Axis::kIn, false}, WeightType::kInt8, "w");
  EXPECT_EQ(tensor.positions, (std::vector<uint8_t>{0b1101}));
  EXPECT_EQ(tensor.values,
            (std::vector<uint8_t>{64, 129, 127, 64}));  // 63.5 and -127, 127 and 63.5
  EXPECT_EQ(tensor.scale, (std::vector<float>{1.0f / 127, 2.0f / 127}));
}

TEST(SynapseTensor, Int8IsWithinHalfAStepOfTheWeight) {
  const WeightShape shape{3, 20, 3, 3};
  std::vector<float> weight = numbered(shape);
  for (size_t i = 0; i < weight.size(); ++i) weight[i] = std::sin(weight[i]) * 0.01f;
  const SynapseTensor tensor = pack_synapse(weight, {}, shape, {}, WeightType::kInt8, "w");
  const std::vector<int8_t> values = unpack_int8(tensor);
  for (size_t i = 0; i < weight.size(); ++i) {
    const float scale = tensor.scale[i / 180];
    EXPECT_NEAR(values[i] * scale, weight[i], scale * 0.5001f);
  }
}

TEST(SynapseTensor, AChannelOfZerosIsZeros) {
  const WeightShape shape{1, 4, 1, 1};
  const SynapseTensor tensor =
      pack_synapse(std::vector<float>(4), {}, shape, {}, WeightType::kInt8, "w");
  EXPECT_EQ(unpack_int8(tensor), std::vector<int8_t>(4));
}

TEST(SynapseTensor, MasksThatBreakTheRuleAreRefused) {
  const WeightShape shape{2, 4, 1, 1};
  const std::vector<float> weight = numbered(shape);
  EXPECT_ERROR(pack_synapse(weight, std::vector<uint8_t>(8, 1), shape,
                            WeightRule{{2, 4, 1}, Axis::kIn, false}, WeightType::kFloat, "conv1"),
               "conv1", "keeps 4", "2:4");
  EXPECT_ERROR(pack_synapse(weight, std::vector<uint8_t>{1, 1, 0, 0, 0, 1, 1, 0}, shape,
                            WeightRule{{2, 4, 2}, Axis::kIn, false}, WeightType::kFloat, "conv1"),
               "conv1", "shares a mask");
  EXPECT_ERROR(
      tensor_sizes(shape, WeightRule{{2, 4, 1}, Axis::kFlat, true}, WeightType::kFloat, "conv1"),
      "conv1", "share_taps", "axis in");
}

TEST(SynapseTensor, APositionOutsideItsBlockIsRefused) {
  const WeightShape shape{1, 3, 1, 1};
  SynapseTensor tensor =
      pack_synapse(numbered(shape), std::vector<uint8_t>{0, 1, 0}, shape,
                   WeightRule{{1, 3, 1}, Axis::kIn, false}, WeightType::kFloat, "w");
  check_positions(tensor, "w");
  tensor.positions = std::vector<uint8_t>{3};
  EXPECT_ERROR(check_positions(tensor, "conv1"), "conv1", "position 3", "block of 3");
}

TEST(SynapseTensor, FilesAreSmall) {
  // The two linear layers and five large convolutions of 6conv2fc.
  const WeightShape fc{2048, 16384, 1, 1};
  const double dense = 4.0 * static_cast<double>(fc.numel());
  const auto bytes = [&](const WeightRule& rule) {
    const TensorSizes sizes = tensor_sizes(fc, rule, WeightType::kInt8, "fc");
    return static_cast<double>(sizes.values + sizes.positions);
  };
  EXPECT_LT(bytes({{2, 4, 1}, Axis::kIn, false}), dense / 6);
  EXPECT_LT(bytes({{2, 16, 1}, Axis::kIn, false}), dense / 20);
}

TEST(SynapseTensor, TakesASixthOrATwentiethOfFloats) {
  const nm::WeightShape shape{.cout = 256, .cin = 256, .kh = 3, .kw = 3};
  const auto smaller = [&](const nm::NmPattern& pattern) {
    const TensorSizes sizes =
        tensor_sizes(shape, WeightRule{.pattern = pattern}, WeightType::kInt8, "test");
    return 4.0 * static_cast<double>(shape.numel()) /
           static_cast<double>(sizes.values + sizes.positions + 4 * 256);
  };
  EXPECT_GE(smaller({.n = 2, .m = 4}), 6);
  EXPECT_GE(smaller({.n = 2, .m = 16}), 20);
}

}  // namespace
}  // namespace spikenm::runtime
