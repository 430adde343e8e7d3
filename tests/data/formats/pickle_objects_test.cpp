#include "spikenm/data/formats/pickle_objects.h"

#include "support/expect_error.h"

namespace spikenm::data {
namespace {

using Values = std::vector<PickleValue>;

PickleValue text(const std::string& value) {
  return PickleValue(std::make_shared<const std::string>(value));
}
PickleValue integer(int64_t value) {
  return PickleValue(value);
}
PickleValue tuple(const Values& values) {
  auto items = std::make_shared<PickleItems>();
  items->kind = PickleItems::Kind::kTuple;
  for (const PickleValue& value : values) items->add(value, "a");
  return PickleValue(items);
}
PickleValue make(PickleName name, const Values& arguments, size_t budget = 100) {
  return construct(name, arguments, budget, "a");
}
PickleValue type(const std::string& code) {
  return make(PickleName::kType, {text(code)});
}
PickleValue empty_array() {
  return make(PickleName::kReconstruct, {PickleValue(PickleName::kArray)});
}
Values state(const std::string& code, const Values& shape, bool fortran, const std::string& bytes) {
  return {integer(1), tuple(shape), type(code), PickleValue(fortran), text(bytes)};
}

TEST(PickleObjects, ArrayIsFilledByItsState) {
  const PickleValue array = empty_array();
  EXPECT_EQ(array.array()->array.numel(), 0);
  const PickleValue copy = array;
  set_state(array, state("u1", {integer(2), integer(2)}, true, "abcd"), "a");
  EXPECT_EQ(copy.array()->array.shape, (std::vector<int64_t>{2, 2}));
  EXPECT_TRUE(copy.array()->array.fortran_order);
  EXPECT_EQ(as_text(copy.array()->array.data), "abcd");
}

TEST(PickleObjects, ByteOrderComesFromTheState) {
  const PickleValue order = type("i2");
  set_state(order, {integer(3), text(">")}, "a");
  const PickleValue number = make(PickleName::kScalar, {order, text(std::string("\1\0", 2))});
  EXPECT_EQ(*number.integer(), 256);
  EXPECT_ERROR(set_state(order, {integer(3), text("!")}, "a"), "byte order '!'");
  EXPECT_ERROR(set_state(order, {integer(3)}, "a"), "wanted text as part 1");
}

TEST(PickleObjects, ScalarsBecomePlainValues) {
  EXPECT_TRUE(*make(PickleName::kScalar, {type("b1"), text("\1")}).boolean());
  EXPECT_EQ(*make(PickleName::kScalar, {type("u1"), text("\xff")}).integer(), 255);
  const std::string half("\0\0\0\x3f", 4);
  EXPECT_EQ(*make(PickleName::kScalar, {type("f4"), text(half)}).number(), 0.5);
  EXPECT_ERROR(make(PickleName::kScalar, {type("f8"), text(half)}), "lies in 4 bytes");
}

TEST(PickleObjects, ArraysThatDoNotFitTheirBytesAreRefused) {
  for (const Values& shape :
       {Values{integer(3)}, Values{integer(-4)}, Values{integer(-2), integer(-2)},
        Values{integer(INT64_MAX), integer(2)}, Values{}})
    EXPECT_ERROR(set_state(empty_array(), state("u1", shape, false, "abcd"), "a"),
                 "a: damaged: an array of shape");
}

TEST(PickleObjects, BrokenStatesAreRefused) {
  const Values good = state("u1", {integer(4)}, false, "abcd");
  for (size_t part = 1; part < 5; ++part) {
    Values bad = good;
    bad[part] = PickleValue();
    EXPECT_ERROR(set_state(empty_array(), bad, "a"), "a: damaged: wanted");
  }
  EXPECT_ERROR(set_state(empty_array(), {}, "a"), "has 0 parts, wanted 5");
  EXPECT_ERROR(set_state(integer(1), good, "a"), "no numpy object; nothing was executed");
  Values float_shape = good;
  float_shape[1] = tuple({PickleValue(4.0)});
  EXPECT_ERROR(set_state(empty_array(), float_shape, "a"), "wanted a shape");
}

TEST(PickleObjects, TypesOfObjectsAndRecordsAreRefused) {
  EXPECT_ERROR(type("O8"), "a: holds Python objects");
  EXPECT_ERROR(type("V4"), "a: holds an array of records");
  EXPECT_ERROR(type("U4"), "a: holds values of type 'U4'");
}

TEST(PickleObjects, OtherCallsAreRefused) {
  EXPECT_ERROR(make(PickleName::kReconstruct, {}), "wanted numpy's ndarray");
  EXPECT_ERROR(make(PickleName::kReconstruct, {PickleValue(PickleName::kType)}), "ndarray");
  EXPECT_ERROR(make(PickleName::kArray, {}), "a: makes an array in a way");
  EXPECT_ERROR(make(PickleName::kBytes, {integer(1'000'000'000)}), "a: makes bytes of something");
  EXPECT_ERROR(
      make(PickleName::kFromBuffer, {text(""), type("u1"), tuple({integer(0)}), text("K")}),
      "array order 'K'");
  EXPECT_ERROR(make(PickleName::kEncode, {text("a"), text("rot13")}), "encoding 'rot13'");
}

TEST(PickleObjects, EncodingDrawsOnABudget) {
  size_t budget = 3;
  EXPECT_EQ(
      *construct(PickleName::kEncode, {text("\xc3\xbf!"), text("latin1")}, budget, "a").text(),
      "\xff!");
  EXPECT_EQ(budget, 1u);
  EXPECT_ERROR(construct(PickleName::kEncode, {text("ab"), text("latin1")}, budget, "a"),
               "a: encodes more text than it holds");
}

TEST(PickleObjects, OnlyNumpysNamesAreAllowed) {
  EXPECT_EQ(allowed_name("numpy", "ndarray", "a"), PickleName::kArray);
  EXPECT_ERROR(allowed_name("numpy", "load", "a"), "'numpy.load'", "nothing was executed");
  EXPECT_ERROR(allowed_name("os\n", "system", "a"), "'os\\x0a.system'");
}

}  // namespace
}  // namespace spikenm::data
