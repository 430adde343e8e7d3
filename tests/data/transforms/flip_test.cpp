#include "support/expect_error.h"
#include "support/samples.h"

namespace spikenm::data {
namespace {

using test::numbered_sample;
using test::transformed;

Sample mirror(const Sample& sample) {
  Sample result = sample;
  const auto W = static_cast<size_t>(sample.shape.width);
  for (size_t i = 0; i < sample.values.size(); ++i)
    result.values[i] = sample.values[i / W * W + W - 1 - i % W];
  return result;
}

TEST(Flip, MirrorsEveryRowOfEveryPlane) {
  for (const int64_t width : {1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33}) {
    const Sample sample = numbered_sample({2, 3, 5, width});
    EXPECT_EQ(transformed("flip:1", {}, sample, 0).values, mirror(sample).values) << width;
    EXPECT_EQ(transformed("flip:0", {}, sample, 0).values, sample.values) << width;
  }
}

TEST(Flip, HappensAsOftenAsTold) {
  const Sample sample = numbered_sample({1, 1, 1, 2});
  for (const auto& [text, probability] :
       {std::pair("flip:0.2", 0.2), {"flip", 0.5}, {"flip:0.9", 0.9}}) {
    int64_t flipped = 0;
    for (int64_t i = 0; i < 10000; ++i)
      flipped += transformed(text, {}, sample, i).values != sample.values;
    // Four standard deviations are at most 200.
    EXPECT_NEAR(static_cast<double>(flipped), 10000 * probability, 200) << text;
  }
}

TEST(Flip, ASetWithMirroredClassesIsToldWhatBecomesOfLabels) {
  const TransformContext context{.mirrored = {0, 2, 1}};
  Sample sample = numbered_sample({1, 1, 1, 2});
  for (const int64_t label : {0, 1, 2}) {
    sample.label = label;
    const Sample swapped = transformed("flip:label-swap:1", context, sample, 0);
    EXPECT_EQ(swapped.label, context.mirrored[static_cast<size_t>(label)]);
    EXPECT_EQ(swapped.values, mirror(sample).values);
    EXPECT_EQ(transformed("flip:label-swap:0", context, sample, 0).label, label);
    const Sample literal = transformed("flip:1:upr-literal", context, sample, 0);
    EXPECT_EQ(literal.label, label);
    EXPECT_EQ(literal.values, mirror(sample).values);
    EXPECT_EQ(transformed("flip:1", {}, sample, 0).label, label);
  }
}

TEST(Flip, WhatBecomesOfLabelsIsNeverGuessed) {
  const Sample sample = numbered_sample({1, 1, 1, 2});
  EXPECT_ERROR(transformed("flip", {.mirrored = {0}}, sample, 0), "data.augment: 'flip'",
               "left and right are classes", "flip:label-swap", "flip:upr-literal");
  EXPECT_ERROR(transformed("flip:label-swap", {}, sample, 0), "'flip:label-swap'",
               "no two classes");
  EXPECT_ERROR(transformed("flip:swap", {.mirrored = {0}}, sample, 0), "'swap'", "upr-literal");
  EXPECT_ERROR(transformed("flip:label-swap:upr-literal", {.mirrored = {0}}, sample, 0),
               "wanted a number");
}

TEST(Flip, NamedFlipsDrawLikeThePlainOne) {
  const Sample sample = numbered_sample({1, 1, 1, 2});
  for (int64_t i = 0; i < 100; ++i) {
    const Sample plain = transformed("flip", {}, sample, i);
    for (const char* text : {"flip:label-swap", "flip:upr-literal"})
      EXPECT_EQ(transformed(text, {.mirrored = {0}}, sample, i).values, plain.values) << i;
  }
}

TEST(Flip, LabelOutsideTheTableIsABug) {
  Sample sample = numbered_sample({1, 1, 1, 2});
  sample.label = 2;
  EXPECT_THROW(transformed("flip:1:label-swap", {.mirrored = {1, 0}}, sample, 0), Bug);
}

TEST(Flip, RefusesWhatIsNoProbability) {
  const Sample sample = numbered_sample({1, 1, 1, 2});
  EXPECT_ERROR(transformed("flip:1.01", {}, sample, 0), "'flip:1.01'", "from 0 to 1");
  EXPECT_ERROR(transformed("flip:-0.1", {}, sample, 0), "'flip:-0.1'", "from 0 to 1");
}

}  // namespace
}  // namespace spikenm::data
