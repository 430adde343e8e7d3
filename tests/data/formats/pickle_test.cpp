#include "spikenm/data/formats/pickle.h"

#include "spikenm/core/random.h"
#include "support/containers.h"
#include "support/expect_error.h"
#include "support/pickle_samples.h"

namespace spikenm::data {
namespace {

using namespace std::string_literals;
using test::le;

using Integers = std::vector<int64_t>;

PickleValue parse(const std::string& bytes) {
  return parse_pickle(as_bytes(bytes), "a.pkl");
}

std::string short_text(const std::string& text) {
  return "U" + le(static_cast<uint8_t>(text.size())) + text;
}

// A CIFAR-10 batch opcode by opcode as Python 2 wrote it: protocol 2, byte strings.
std::string cifar_batch(const std::string& pixels, const std::string& labels) {
  std::string bytes = "\x80\x02}q\x01("s + short_text("batch_label") + "q\x02" +
                      short_text("training batch 1 of 5") + "q\x03" + short_text("labels") +
                      "q\x04]q\x05(";
  for (const char label : labels) bytes += std::string("K") + label;
  bytes += "e" + short_text("data") + "q\x06" + "cnumpy.core.multiarray\n_reconstruct\nq\x07" +
           "cnumpy\nndarray\nq\x08K\0\x85q\x09"s + short_text("b") + "\x87Rq\x0a(K\x01M"s +
           le(static_cast<uint16_t>(labels.size())) + "M" +
           le(static_cast<uint16_t>(pixels.size() / labels.size())) + "\x86" +
           "cnumpy\ndtype\nq\x0b" + short_text("u1") + "K\0K\x01\x87Rq\x0c(K\x03"s +
           short_text("|") + "NNNJ" + le(-1) + "J" + le(-1) + "K\0tb\x89T"s +
           le(static_cast<uint32_t>(pixels.size())) + pixels + "tb" + short_text("filenames") +
           "q\x0d]q\x0e(";
  for (const char label : labels) bytes += short_text("x"s + label) + "q\x0f";
  return bytes + "eu.";
}

TEST(Pickle, ReadsCifarAsPython2WroteIt) {
  const PickleValue batch = parse(cifar_batch("abcdef", "\x09\x01"));
  EXPECT_EQ(*batch.get("batch_label")->text(), "training batch 1 of 5");
  const std::vector<PickleValue>* labels = batch.get("labels")->items();
  ASSERT_NE(labels, nullptr);
  ASSERT_EQ(labels->size(), 2u);
  EXPECT_EQ(*(*labels)[0].integer(), 9);
  const PickleArray* data = batch.get("data")->array();
  ASSERT_NE(data, nullptr);
  EXPECT_EQ(data->array.shape, (Integers{2, 3}));
  EXPECT_EQ(data->array.kind, 'u');
  EXPECT_FALSE(data->array.fortran_order);
  EXPECT_EQ(as_text(data->array.data), "abcdef");
  EXPECT_EQ(*(*batch.get("filenames")->items())[1].text(), "x\x01");
  EXPECT_EQ(batch.get("fine_labels"), nullptr);
}

void expect_batch(const std::string& bytes, const std::string& name) {
  const PickleValue batch = parse(bytes);
  const PickleArray* data = batch.get("data")->array();
  ASSERT_NE(data, nullptr);
  EXPECT_EQ(data->array.shape, (Integers{2, 3}));
  EXPECT_EQ(npy_values<int64_t>(data->array, "data"), (Integers{250, 251, 252, 253, 254, 255}));
  EXPECT_EQ(*(*batch.get("labels")->items())[1].integer(), 1);
  EXPECT_EQ(*batch.get("name")->text(), name);
}

TEST(Pickle, ReadsEveryProtocolOfPython3) {
  for (const std::string& bytes : test::kOfPython3) expect_batch(bytes, "of 5");
  for (const std::string& bytes : test::kBytesOfPython3) expect_batch(bytes, "");
}

TEST(Pickle, ReadsScalarsOfNumpy) {
  for (const std::string& bytes : test::kScalars) {
    const PickleValue list = parse(bytes);
    EXPECT_EQ(*(*list.items())[0].integer(), -5);
    EXPECT_EQ(*(*list.items())[1].number(), 0.5);
    EXPECT_TRUE(*(*list.items())[2].boolean());
  }
}

TEST(Pickle, ReadsOrdersOfNumpy) {
  for (const std::string& bytes : test::kFortranArrays) {
    const PickleValue value = parse(bytes);
    EXPECT_TRUE(value.array()->array.fortran_order);
    EXPECT_EQ(npy_values<int64_t>(value.array()->array, "a"), (Integers{1, 2, 3, 4, 5, 6}));
  }
}

TEST(Pickle, ArrayOutlivesWhatItCameFrom) {
  PickleArray array;
  {
    const std::string bytes = cifar_batch("abcdef", "\x09\x01");
    array = *parse(bytes).get("data")->array();
  }
  EXPECT_EQ(as_text(array.array.data), "abcdef");
}

TEST(Pickle, PlainValuesAreRead) {
  EXPECT_TRUE(parse("N.").is_none());
  EXPECT_TRUE(*parse("\x88.").boolean());
  EXPECT_FALSE(*parse("I00\n.").boolean());
  EXPECT_EQ(*parse("I-12\n.").integer(), -12);
  EXPECT_EQ(*parse("L34L\n.").integer(), 34);
  EXPECT_EQ(*parse("M\xff\xff.").integer(), 65535);
  EXPECT_EQ(*parse("J" + le(INT32_MIN) + ".").integer(), INT32_MIN);
  EXPECT_EQ(*parse("\x8a\0."s).integer(), 0);
  EXPECT_EQ(*parse("\x8a\x02\xff\x7f.").integer(), 32767);
  EXPECT_EQ(*parse("\x8a\x01\xff.").integer(), -1);
  EXPECT_EQ(*parse("\x8b" + le<uint32_t>(8) + le(INT64_MIN) + ".").integer(), INT64_MIN);
  EXPECT_EQ(*parse("F1.5e3\n.").number(), 1500);
  EXPECT_EQ(*parse("G" + test::be(0.1) + ".").number(), 0.1);
  EXPECT_EQ(*parse("S'a\\n\\x00'\n.").text(), "a\n\0"s);
  EXPECT_EQ(*parse("V\\u20ac\n.").text(), "\xe2\x82\xac");
  EXPECT_EQ(*parse("B" + le<uint32_t>(2) + "hi.").text(), "hi");
  EXPECT_EQ(*parse("\x8d" + le<uint64_t>(2) + "hi.").text(), "hi");
  EXPECT_EQ(*parse("\x8e" + le<uint64_t>(0) + ".").text(), "");
}

TEST(Pickle, AccessorsAreNullForOtherKinds) {
  const PickleValue one = parse("K\x01."), list = parse("]."), dict = parse("}.");
  EXPECT_FALSE(one.is_none());
  EXPECT_EQ(one.boolean(), nullptr);
  EXPECT_EQ(one.number(), nullptr);
  EXPECT_EQ(one.text(), nullptr);
  EXPECT_EQ(one.array(), nullptr);
  EXPECT_EQ(one.items(), nullptr);
  EXPECT_EQ(one.get("a"), nullptr);
  EXPECT_EQ(list.integer(), nullptr);
  EXPECT_EQ(list.get("a"), nullptr);
  EXPECT_EQ(dict.items(), nullptr);
}

TEST(Pickle, ContainersAreRead) {
  EXPECT_EQ(parse("(K\x01K\x02l.").items()->size(), 2u);
  EXPECT_EQ(parse("(t.").items()->size(), 0u);
  EXPECT_EQ(parse("K\x01K\x02K\x03\x87.").items()->size(), 3u);
  EXPECT_EQ(parse("]K\x01"
                  "aK\x02"
                  "a.")
                .items()
                ->size(),
            2u);
  EXPECT_EQ(*parse("(" + short_text("k") +
                   "K\x07"
                   "d.")
                 .get("k")
                 ->integer(),
            7);
  EXPECT_EQ(
      *parse("}" + short_text("k") + "K\x07s" + short_text("k") + "K\x08s.").get("k")->integer(),
      8);
  EXPECT_EQ(*parse("}K\x01K\x07s" + short_text("k") + "K\x08s.").get("k")->integer(), 8);
}

TEST(Pickle, MemoGivesTheSameAgain) {
  const std::string index = le<uint32_t>(70'000);
  const PickleValue value = parse(
      "(]q\5K\1a"
      "h\5r" +
      index + "j" + index + "p9\ng9\n\x94h\3t.");
  ASSERT_EQ(value.items()->size(), 5u);
  for (const PickleValue& item : *value.items()) {
    EXPECT_EQ(item.items(), (*value.items())[0].items());
    EXPECT_EQ(item.items()->size(), 1u);
  }
}

TEST(Pickle, OtherNamesAreRefusedAndNothingIsExecuted) {
  EXPECT_ERROR(parse("cos\nsystem\n(S'touch /tmp/x'\ntR."), "a.pkl: asks for Python's 'os.system'",
               "nothing was executed");
  EXPECT_ERROR(parse("\x80\x04\x8c\x08"
                     "builtins\x8c\x04"
                     "eval\x93."),
               "'builtins.eval'");
  EXPECT_ERROR(parse("cnumpy\nload\n."), "'numpy.load'");
  EXPECT_ERROR(parse("K\x01K\x02\x93."), "a Python name that is no text");
}

TEST(Pickle, OtherOpcodesAreRefusedAndNothingIsExecuted) {
  for (const char opcode : "\x81\x82\x83\x84\x8f\x90\x91\x92\x97\x98io012PQ"s)
    EXPECT_ERROR(parse("(K\x01K\x01"s + opcode + "."), "a.pkl: pickle opcode 0x", "at byte 5",
                 "nothing was executed");
}

TEST(Pickle, CallsOfWhatIsNoConstructorAreRefused) {
  EXPECT_ERROR(parse("K\x01)R."), "calls what cannot be called");
  EXPECT_ERROR(parse("cnumpy\ndtype\n]R."), "wanted a tuple of arguments");
  EXPECT_ERROR(parse("K\x01)b."), "no numpy object");
}

TEST(Pickle, DamagedProgramsAreRefused) {
  EXPECT_ERROR(parse("."), "a.pkl: damaged: takes more values");
  EXPECT_ERROR(parse("K\x01\x86."), "takes more values");
  EXPECT_ERROR(parse("K\x01(\x85."), "takes more values");  // a mark guards what lies below it
  EXPECT_ERROR(parse("(."), "takes more values");
  EXPECT_ERROR(parse("t."), "ends a container that was not begun");
  EXPECT_ERROR(parse("(e."), "adds to a container that is not there");
  EXPECT_ERROR(parse("](K\x01"
                     "a."),
               "adds to a container that is not there");
  EXPECT_ERROR(parse("}K\x01"
                     "a."),
               "adds to what is no list");
  EXPECT_ERROR(parse("]K\x01K\x01s."), "adds to what is no dict");
  EXPECT_ERROR(parse(")K\x01"
                     "a."),
               "adds to what is no list");
  EXPECT_ERROR(parse("}(K\x01u."), "a key without a value");
  EXPECT_ERROR(parse("(K\x01"
                     "d."),
               "a key without a value");
  EXPECT_ERROR(parse("h\x01."), "nothing is remembered as 1");
  EXPECT_ERROR(parse("Ix\n."), "'x' is no number");
  EXPECT_ERROR(parse("I99999999999999999999\n."), "is no number");
  EXPECT_ERROR(parse("\x8a\x09"
                     "123456789."),
               "an integer of 9 bytes");
  EXPECT_ERROR(parse("\x80\x06N."), "pickle protocol 6, wanted 0 to 5");
  EXPECT_ERROR(parse("N.N"), "1 bytes follow the pickle");
}

TEST(Pickle, ClaimOfALargeTextTakesNoMemory) {
  EXPECT_ERROR(parse("X" + le(UINT32_MAX) + "hi."), "a.pkl: cut short: text");
  EXPECT_ERROR(parse("\x8e" + le(UINT64_MAX) + "hi."), "a.pkl: cut short: text");
  EXPECT_ERROR(parse("r" + le(UINT32_MAX)), "a.pkl");
  EXPECT_TRUE(parse("Nr" + le(UINT32_MAX) + ".").is_none());
}

TEST(Pickle, ContainersThatHoldThemselvesAreRefused) {
  EXPECT_ERROR(parse("]q\1h\1a."), "a.pkl: a container holds itself");
  EXPECT_ERROR(parse("}q\1K\1h\1s."), "a container holds itself");
  EXPECT_ERROR(parse("]q\1(h\1ta."), "changes after it was put in another");
  EXPECT_ERROR(parse("]q\1]q\2h\1ah\1h\2"
                     "a."),
               "changes after it was put in another");
}

TEST(Pickle, DeepNestingIsRefused) {
  EXPECT_EQ(parse(std::string(64, ']') + std::string(63, 'a') + ".").items()->size(), 1u);
  EXPECT_ERROR(parse(std::string(65, ']') + std::string(64, 'a') + "."), "deeper than 64");
  EXPECT_ERROR(parse(")" + std::string(1'000'000, '\x85') + "."), "deeper than 64");
}

// Each list holds the one before twice: 2^60 values if they were copied.
TEST(Pickle, SharedContainersStayCheap) {
  std::string bytes = "]q\0"s;
  for (int i = 0; i < 60; ++i) bytes += "](h\0h\0eq\0"s;
  EXPECT_EQ(parse(bytes + ".").items()->size(), 2u);
}

TEST(Pickle, TextEncodedOverAndOverIsRefused) {
  std::string bytes = "c_codecs\nencode\nq\0X"s + le<uint32_t>(100'000) +
                      std::string(100'000, 'x') + "X" + le<uint32_t>(6) + "latin1\x86q\1";
  for (int i = 0; i < 50'000; ++i) bytes += "h\0h\1R"s;
  EXPECT_ERROR(parse(bytes + "."), "a.pkl: encodes more text than it holds");
}

TEST(Pickle, EndlessProgramsAreRefused) {
  EXPECT_ERROR(parse(std::string((1 << 21) + 1, '(')), "a pickle of more than 2097152 steps",
               "wanted at most 2097152 (a fixed limit)");
}

TEST(Pickle, EveryCutIsRefused) {
  const auto open = [](Bytes bytes) { parse_pickle(bytes, "a.pkl"); };
  test::expect_every_cut_refused(open, cifar_batch("abcdef", "\x09\x01"));
  for (const std::string& bytes : test::kOfPython3) test::expect_every_cut_refused(open, bytes);
}

TEST(Pickle, EveryFlippedBitIsReadOrRefused) {
  const auto open = [](Bytes bytes) { parse_pickle(bytes, "a.pkl"); };
  for (const std::string& bytes : test::kOfPython3)
    EXPECT_GT(test::refused_flips(open, bytes), static_cast<int>(bytes.size()));
  for (const std::string& bytes : test::kBytesOfPython3)
    EXPECT_GT(test::refused_flips(open, bytes), static_cast<int>(bytes.size()));
}

// Random programs of known opcodes reach states that no damage to a good file does.
TEST(Pickle, RandomProgramsAreReadOrRefused) {
  const std::string pieces[] = {"N",
                                "K\1",
                                ")",
                                "]",
                                "}",
                                "(",
                                "t",
                                "l",
                                "d",
                                "a",
                                "e",
                                "s",
                                "u",
                                "\x85",
                                "\x86",
                                "\x87",
                                "q\1",
                                "h\1",
                                "\x94",
                                "h\0"s,
                                "R",
                                "b",
                                "cnumpy\ndtype\n",
                                "cnumpy\nndarray\n",
                                "U\2u1",
                                "U\1|",
                                "U\1b",
                                "cnumpy.core.multiarray\n_reconstruct\n",
                                "\x93",
                                "U\0"s,
                                "K\0"s,
                                "cnumpy.core.multiarray\nscalar\n",
                                "c_codecs\nencode\n",
                                "J\xff\xff\xff\xff",
                                "cnumpy.core.numeric\n_frombuffer\n",
                                "U\6latin1",
                                "U\1C",
                                "\x88"};
  int read = 0;
  for (uint32_t program = 0; program < 50'000; ++program) {
    const RandomAddress random(7, 0, program);
    std::string bytes;
    const uint32_t n_pieces = 1 + random.below(0, 12);
    for (uint32_t i = 0; i < n_pieces; ++i)
      bytes += pieces[random.below(4 * (i + 1), std::size(pieces))];
    read += test::parses([](Bytes b) { parse_pickle(b, "a.pkl"); }, bytes + ".") ? 1 : 0;
  }
  EXPECT_GT(read, 500);
}

}  // namespace
}  // namespace spikenm::data
