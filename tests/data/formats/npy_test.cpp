#include "spikenm/data/formats/npy.h"

#include "support/containers.h"
#include "support/expect_error.h"

#include <cmath>
#include <limits>

namespace spikenm::data {
namespace {

using test::be;
using test::le;
using test::npy_file;

using Integers = std::vector<int64_t>;
using Floats = std::vector<float>;
using Doubles = std::vector<double>;

NpyArray parse(const std::string& bytes) {
  return parse_npy(as_bytes(bytes), "a.npy");
}

template <class T>
std::vector<T> values_of(const std::string& bytes) {
  return npy_values<T>(parse(bytes), "a.npy");
}

template <class T>
std::string all_le(std::initializer_list<T> values) {
  std::string bytes;
  for (const T value : values) bytes += le(value);
  return bytes;
}
template <class T>
std::string all_be(std::initializer_list<T> values) {
  std::string bytes;
  for (const T value : values) bytes += be(value);
  return bytes;
}

// A file with this header text.
std::string with_header(const std::string& header, const std::string& data = "") {
  return "\x93NUMPY" + le<uint8_t>(1) + le<uint8_t>(0) + le(static_cast<uint16_t>(header.size())) +
         header + data;
}
void expect_header_refused(const std::string& header, const char* reason) {
  EXPECT_ERROR(parse(with_header(header)), "a.npy", reason);
}

TEST(Npy, HeaderSaysTypeShapeAndOrder) {
  const std::string bytes = npy_file("'>u2'", "(2, 3)", std::string(12, '\0'), true);
  const NpyArray array = parse(bytes);
  EXPECT_EQ(array.kind, 'u');
  EXPECT_EQ(array.item_size, 2);
  EXPECT_TRUE(array.big_endian);
  EXPECT_TRUE(array.fortran_order);
  EXPECT_EQ(array.shape, (Integers{2, 3}));
  EXPECT_EQ(array.numel(), 6);
  EXPECT_EQ(array.data.size(), 12u);
  EXPECT_EQ(array.data.data(), as_bytes(bytes).data() + bytes.size() - 12);
}

TEST(Npy, AllVersionsAreRead) {
  for (const int version : {1, 2, 3})
    EXPECT_EQ(
        values_of<int64_t>(npy_file("'<i2'", "(2,)", all_le<int16_t>({-1, 2}), false, version)),
        (Integers{-1, 2}));
  EXPECT_ERROR(parse(npy_file("'<i2'", "(0,)", "", false, 4)), "npy version 4.0");
  EXPECT_ERROR(parse(npy_file("'<i2'", "(0,)", "", false, 0)), "npy version 0.0");
}

TEST(Npy, ScalarsAndEmptyArraysAreRead) {
  EXPECT_EQ(values_of<int64_t>(npy_file("'|u1'", "()", "\x07")), Integers{7});
  EXPECT_TRUE(values_of<int64_t>(npy_file("'|u1'", "(0,)", "")).empty());
  EXPECT_TRUE(values_of<float>(npy_file("'<f8'", "(3, 0, 5)", "", true)).empty());
  EXPECT_TRUE(npy_column<int64_t>(parse(npy_file("'<f8'", "(0, 4)", "")), 3, "a").empty());
  EXPECT_TRUE(
      npy_field<int64_t>(parse(npy_file("[('x', '<i2'), ('t', '<i8')]", "(0,)", "")), "t", "a")
          .empty());
}

TEST(Npy, IntegersOfEverySizeAndOrderAreRead) {
  const Integers wanted = {1, -2};
  EXPECT_EQ(values_of<int64_t>(npy_file("'|i1'", "(2,)", all_le<int8_t>({1, -2}))), wanted);
  EXPECT_EQ(values_of<int64_t>(npy_file("'<i2'", "(2,)", all_le<int16_t>({1, -2}))), wanted);
  EXPECT_EQ(values_of<int64_t>(npy_file("'>i2'", "(2,)", all_be<int16_t>({1, -2}))), wanted);
  EXPECT_EQ(values_of<int64_t>(npy_file("'<i4'", "(2,)", all_le<int32_t>({1, -2}))), wanted);
  EXPECT_EQ(values_of<int64_t>(npy_file("'>i4'", "(2,)", all_be<int32_t>({1, -2}))), wanted);
  EXPECT_EQ(values_of<int64_t>(npy_file("'<i8'", "(2,)", all_le<int64_t>({1, -2}))), wanted);
  EXPECT_EQ(values_of<int64_t>(npy_file("'>i8'", "(2,)", all_be<int64_t>({1, -2}))), wanted);
  EXPECT_EQ(values_of<int64_t>(npy_file("'=i8'", "(2,)", all_le<int64_t>({1, -2}))), wanted);
}

TEST(Npy, UnsignedIntegersOfEverySizeAndOrderAreRead) {
  EXPECT_EQ(values_of<int64_t>(npy_file("'|u1'", "(2,)", "\x01\xff")), (Integers{1, 255}));
  EXPECT_EQ(values_of<int64_t>(npy_file("'<u2'", "(1,)", le<uint16_t>(65534))), Integers{65534});
  EXPECT_EQ(values_of<int64_t>(npy_file("'>u2'", "(1,)", be<uint16_t>(65534))), Integers{65534});
  EXPECT_EQ(values_of<int64_t>(npy_file("'<u4'", "(1,)", le(UINT32_MAX))), Integers{UINT32_MAX});
  EXPECT_EQ(values_of<int64_t>(npy_file("'>u4'", "(1,)", be(UINT32_MAX - 1))),
            Integers{UINT32_MAX - 1});
  EXPECT_EQ(values_of<int64_t>(npy_file("'<u8'", "(1,)", le<uint64_t>(INT64_MAX))),
            Integers{INT64_MAX});
  EXPECT_EQ(values_of<int64_t>(npy_file("'>u8'", "(1,)", be<uint64_t>(3))), Integers{3});
  EXPECT_ERROR(values_of<int64_t>(npy_file("'<u8'", "(2,)", all_le<uint64_t>({0, 1ull << 63}))),
               "a.npy", "value 1 is 9.223372036854776e+18");
}

TEST(Npy, BooleansAreZeroAndOne) {
  for (const char* code : {"'|b1'", "'?'", "'|?'"})
    EXPECT_EQ(values_of<int64_t>(npy_file(code, "(3,)", std::string("\0\1\2", 3))),
              (Integers{0, 1, 1}));
}

TEST(Npy, FloatsAreRead) {
  EXPECT_EQ(values_of<float>(npy_file("'<f4'", "(2,)", all_le({1.5f, -0.25f}))),
            (Floats{1.5f, -0.25f}));
  EXPECT_EQ(values_of<float>(npy_file("'>f4'", "(1,)", be(1.5f))), Floats{1.5f});
  EXPECT_EQ(values_of<double>(npy_file("'<f8'", "(1,)", le(0.1))), Doubles{0.1});
  EXPECT_EQ(values_of<double>(npy_file("'>f8'", "(1,)", be(0.1))), Doubles{0.1});
  EXPECT_EQ(values_of<float>(npy_file("'<i8'", "(1,)", le<int64_t>(-7))), Floats{-7.0f});
}

TEST(Npy, HalvesAreRead) {
  const std::string data =
      all_le<uint16_t>({0x3c00, 0xc000, 0x3555, 0x0001, 0x7bff, 0x8000, 0x0400});
  EXPECT_EQ(values_of<float>(npy_file("'<f2'", "(7,)", data)),
            (Floats{1.0f, -2.0f, 0.33325195f, 0x1p-24f, 65504.0f, -0.0f, 0x1p-14f}));
  const Floats odd =
      values_of<float>(npy_file("'>f2'", "(3,)", all_be<uint16_t>({0x7c00, 0xfc00, 0x7e00})));
  EXPECT_EQ(odd[0], std::numeric_limits<float>::infinity());
  EXPECT_EQ(odd[1], -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(odd[2]));
}

TEST(Npy, WholeFloatsAreIntegersAndOthersAreRefused) {
  EXPECT_EQ(values_of<int64_t>(npy_file("'<f8'", "(3,)", all_le({0.0, -3.0, -0x1p63}))),
            (Integers{0, -3, INT64_MIN}));
  EXPECT_EQ(values_of<int64_t>(npy_file("'<f2'", "(1,)", le<uint16_t>(0x4000))), Integers{2});
  const double inf = std::numeric_limits<double>::infinity();
  for (const double bad : {0.5, std::nan(""), inf, -inf, 0x1p63, -1e300})
    EXPECT_ERROR(values_of<int64_t>(npy_file("'<f8'", "(2,)", all_le({1.0, bad}))),
                 "a.npy: value 1 is ", "wanted a whole number of 64 bits");
  EXPECT_ERROR(values_of<int64_t>(npy_file("'<f4'", "(1,)", le(0x1p63f))), "value 0 is");
}

TEST(Npy, ValuesComeInRowMajorOrder) {
  const std::string data("\0\1\2\3\4\5\6\7\x08\x09\x0a\x0b", 12);
  EXPECT_EQ(values_of<int64_t>(npy_file("'|u1'", "(2, 3, 2)", data)),
            (Integers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  // a[i,j,k] lies at i + 2j + 6k.
  EXPECT_EQ(values_of<int64_t>(npy_file("'|u1'", "(2, 3, 2)", data, true)),
            (Integers{0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11}));
}

TEST(Npy, ColumnsOfAMatrixAreRead) {
  const std::string data = all_le<int16_t>({1, 2, 3, 4, 5, 6});
  const std::string rows = npy_file("'<i2'", "(2, 3)", data);
  const std::string columns = npy_file("'<i2'", "(2, 3)", data, true);
  EXPECT_EQ(npy_column<int64_t>(parse(rows), 1, "a.npy"), (Integers{2, 5}));
  EXPECT_EQ(npy_column<float>(parse(rows), 2, "a.npy"), (Floats{3, 6}));
  EXPECT_EQ(npy_column<double>(parse(columns), 1, "a.npy"), (Doubles{3, 4}));
  for (const int64_t column : {-1, 3})
    EXPECT_ERROR(npy_column<int64_t>(parse(rows), column, "a.npy"), "a.npy: found shape (2,3)");
  EXPECT_ERROR(npy_column<int64_t>(parse(npy_file("'<i2'", "(6,)", data)), 0, "a.npy"),
               "shape (6)");
}

// numpy.save of dtype [('x','<i2'),('y','<i2'),('p','?'),('t','<i8')].
TEST(Npy, FieldsOfRecordsAreRead) {
  const std::string bytes = test::from_hex(
      "934e554d50590100b6007b276465736372273a205b282778272c20273c693227292c20282779272c"
      "20273c693227292c20282770272c20277c623127292c20282774272c20273c693827295d2c202766"
      "6f727472616e5f6f72646572273a2046616c73652c20277368617065273a2028332c292c207d2020"
      "20202020202020202020202020202020202020202020202020202020202020202020202020202020"
      "202020202020202020202020202020202020202020202020202020202020200a0100000001070000"
      "00000000000200000000f8ffffffffffffff03000000010900000000000000");
  const NpyArray array = parse(bytes);
  EXPECT_EQ(array.kind, 'V');
  EXPECT_EQ(array.item_size, 13);
  ASSERT_EQ(array.fields.size(), 4u);
  EXPECT_EQ(array.fields[3].offset, 5);
  EXPECT_EQ(npy_field<int64_t>(array, "x", "a"), (Integers{1, 2, 3}));
  EXPECT_EQ(npy_field<int64_t>(array, "y", "a"), (Integers{0, 0, 0}));
  EXPECT_EQ(npy_field<int64_t>(array, "p", "a"), (Integers{1, 0, 1}));
  EXPECT_EQ(npy_field<double>(array, "t", "a"), (Doubles{7, -8, 9}));
  EXPECT_ERROR(npy_field<int64_t>(array, "z", "a.npy"), "a.npy", "no field 'z'");
  EXPECT_ERROR(npy_values<int64_t>(array, "a.npy"), "a.npy", "wanted numbers");
}

// numpy.save of an aligned dtype: x is followed by 3 bytes of padding, t is big-endian.
TEST(Npy, PaddingInRecordsIsPassedOver) {
  const std::string bytes = test::from_hex(
      "934e554d5059010076007b276465736372273a205b282778272c20277c753127292c202827272c20"
      "277c563327292c20282774272c20273e753427295d2c2027666f727472616e5f6f72646572273a20"
      "46616c73652c20277368617065273a2028322c292c207d2020202020202020202020202020202020"
      "202020202020200a050000000000000106000000ffffffff");
  EXPECT_EQ(npy_field<int64_t>(parse(bytes), "x", "a"), (Integers{5, 6}));
  EXPECT_EQ(npy_field<int64_t>(parse(bytes), "t", "a"), (Integers{1, UINT32_MAX}));
}

TEST(Npy, PlainArrayHasNoFields) {
  EXPECT_ERROR(npy_field<int64_t>(parse(npy_file("'|u1'", "(1,)", "x")), "x", "a"), "no field 'x'");
}

TEST(Npy, PythonObjectsAreRefused) {
  for (const char* descr : {"'|O'", "'O'", "'|O8'", "[('x', '<i2'), ('o', '|O')]"})
    EXPECT_ERROR(parse(npy_file(descr, "(1,)", "12345678")), "a.npy", "Python objects",
                 "executing");
}

TEST(Npy, OtherTypesAreRefused) {
  for (const char* descr :
       {"'<c8'", "'<U4'", "'|S4'", "'<M8[us]'", "'<i3'", "'<f1'", "'<f16'", "'<i'", "''", "'<'",
        "'<i99999999999999999999'", "'<i-4'", "'|V4'", "'|b2'", "'<i4x'", "'<x4'"})
    EXPECT_ERROR(parse(npy_file(descr, "(0,)", "")), "a.npy", "wanted");
}

TEST(Npy, RecordsThatAreNotFlatAreRefused) {
  for (const char* descr :
       {"[]", "[('x', '<i2', (2,))]", "[('x', [('y', '<i2')])]", "[(('title', 'x'), '<i2')]",
        "[('x',)]", "[('x', '<i2') ('y', '<i2')]", "[('', '|V4')]", "[('x', '<i2')"})
    EXPECT_ERROR(parse(npy_file(descr, "(0,)", "")), "a.npy");
  EXPECT_ERROR(parse(npy_file("[('x', '<i2'), ('x', '<i2')]", "(0,)", "")), "two fields", "'x'");
}

TEST(Npy, HeadersOfOtherWritersAreRead) {
  for (const char* header :
       {"{\"shape\":(2L,),\"descr\":\"|u1\",\"fortran_order\":False}",
        "  { 'fortran_order' : False , 'shape' : ( 2 ) , 'descr' : '|u1' }  \n"})
    EXPECT_EQ(values_of<int64_t>(with_header(header, "ab")), (Integers{'a', 'b'}));
}

TEST(Npy, HeadersThatAreNotTheDictAreRefused) {
  expect_header_refused("", "where '{' is wanted");
  expect_header_refused("{}", "lacks descr, fortran_order or shape");
  expect_header_refused("{'descr': '|u1', 'fortran_order': False}", "lacks");
  expect_header_refused("{'descr': '|u1', 'descr': '|u1'}", "key 'descr' too many");
  expect_header_refused("{'other': 1}", "key 'other' too many");
  expect_header_refused("{'fortran_order': 0}", "'0}' where True or False is wanted");
  expect_header_refused("{'shape': [1]}", "where '(' is wanted");
  expect_header_refused("{'shape': (-1,)}", "where a size is wanted");
  expect_header_refused("{'shape': (1.5,)}", "where ')' is wanted");
  expect_header_refused("{'shape': (99999999999999999999,)}", "where a size is wanted");
  expect_header_refused("{'shape': (1, 2", "where ')' is wanted");
  expect_header_refused("{'descr': '|u1", "where a closing quote is wanted");
  expect_header_refused("{'descr': u1}", "where a quoted text is wanted");
  expect_header_refused("{'a\\x62': 1}", "without a backslash");
  expect_header_refused("{'descr': '|u1', 'fortran_order': False, 'shape': ()} x", "its end");
  expect_header_refused("{\n'a\n\nb'", "'a\\x0a\\x0ab'");
}

TEST(Npy, ShapesThatOverflowAreRefused) {
  for (const char* shape : {"(9223372036854775807, 2)", "(4294967296, 4294967296)",
                            "(0, 4294967296, 4294967296)", "(1152921504606846976,)"})
    EXPECT_ERROR(parse(npy_file("'<i8'", shape, "")), "a.npy", "more than a file can hold");
}

TEST(Npy, DataOfAnotherSizeIsRefused) {
  EXPECT_ERROR(parse(npy_file("'<i2'", "(3,)", "12345")), "a.npy: 5 bytes", "wanted 6: cut file");
  EXPECT_ERROR(parse(npy_file("'<i2'", "(2,)", "12345")), "a.npy: 5 bytes", "wanted 4");
  EXPECT_ERROR(parse(npy_file("'<i8'", "(1000000000000,)", "")), "wanted 8000000000000");
}

TEST(Npy, WhatIsNotNpyIsRefused) {
  EXPECT_ERROR(parse("PK\3\4 and more"), "a.npy: not an npy file");
  EXPECT_ERROR(parse(""), "a.npy: cut short: the npy magic");
  std::string large = npy_file("'<i2'", "(0,)", std::string(100'000, ' '), false, 2);
  large.replace(8, 4, le<uint32_t>(65537));
  EXPECT_ERROR(parse(large), "header of 65537 bytes, wanted at most 65536");
}

TEST(Npy, EveryCutIsRefused) {
  const auto open = [](Bytes bytes) { parse_npy(bytes, "a.npy"); };
  test::expect_every_cut_refused(
      open, npy_file("[('x', '<i2'), ('t', '<f8')]", "(2,)", std::string(20, 'd')));
}

TEST(Npy, EveryFlippedBitIsReadOrRefused) {
  const auto open = [](Bytes bytes) {
    const NpyArray array = parse_npy(bytes, "a.npy");
    for (const NpyField& field : array.fields) npy_field<int64_t>(array, field.name, "a.npy");
    if (array.fields.empty()) npy_values<int64_t>(array, "a.npy");
  };
  for (const char* descr : {"'<i8'", "[('x', '<i2'), ('t', '<u4'), ('p', '?'), ('q', '|i1')]"}) {
    const std::string bytes = npy_file(descr, "(2, 2)", std::string(32, '\1'), true);
    EXPECT_GT(test::refused_flips(open, bytes), static_cast<int>(bytes.size()));
  }
}

}  // namespace
}  // namespace spikenm::data
