#include "spikenm/core/key_text.h"

#include <gtest/gtest.h>

namespace spikenm {
namespace {

const IntKey kWidth{"width", 64, 1, 4096, "channels of the first convolution"};
const IntKey kHidden{"hidden", 9, 0, kMostWhole, "neurons"};
const RealKey kLr{"lr", {0.1, "0.2 with a | in it"}, 0, kMostNumber, "learning rate"};
const RealKey kAlpha{"alpha", Varies{"2 for atan"}, 0, 1, "slope"};
const ChoiceKey kReset{"reset", "hard", {"hard", "soft"}, "what a spike leaves", "with if"};
const PathKey kFile{"file", "a file"};
const IntKey kSeed{"seed", 0, 0, INT64_MAX, "of all"};

std::vector<KeyGroup> groups() {
  return {{"", "", {&kSeed}},
          {"model", "", {&kFile}},
          {"model", "a", {&kWidth, &kAlpha}},
          {"train", "", {&kLr}},
          {"model", "b", {&kWidth, &kHidden}},
          {"neuron.more", "", {&kReset}}};
}

TEST(KeyText, SaysWhatAKeyTakes) {
  EXPECT_EQ(key_range(kWidth), "whole number, 1 to 4096");
  EXPECT_EQ(key_range(kHidden), "whole number, 0 or more");
  EXPECT_EQ(key_range(kSeed), "whole number, 0 or more");
  EXPECT_EQ(key_range(kLr), "number, 0 or more");
  EXPECT_EQ(key_range(kReset), "one of hard, soft");
  EXPECT_EQ(key_range(kFile), "path");
  const IntRangeListKey sizes{"sizes", std::vector<int64_t>{9}, {1, kMostWhole}, "sizes"};
  const RealRangeListKey shares{
      "shares", std::vector<double>{0.5}, {0, 1, /*open=*/true}, "shares"};
  const RealRangeListKey scales{"scales", std::vector<double>{1}, {0, kMostNumber, true}, "scales"};
  EXPECT_EQ(key_range(sizes), "whole numbers, each 1 or more");
  EXPECT_EQ(key_range(shares), "numbers, each more than 0 and less than 1");
  EXPECT_EQ(key_range(scales), "numbers, each more than 0");
  const Json row = keys_as_json({{"", "", {&shares}}})[0];
  EXPECT_EQ(row["range"], (Json{0, 1}));
  EXPECT_EQ(row["range_open"], true);
}

TEST(KeyText, AKeyOfSeveralReadersIsShownOnce) {
  EXPECT_EQ(keys_as_text(groups()),
            "outside all sections\n"
            "  seed = 0\n      of all [whole number, 0 or more]\n"
            "\n[model]\n  file\n      a file [path]\n"
            "\n[model] of a, b\n"
            "  width = 64\n      channels of the first convolution [whole number, 1 to 4096]\n"
            "\n[model] of a\n  alpha  (default: 2 for atan)\n      slope [number, 0 to 1]\n"
            "\n[model] of b\n  hidden = 9\n      neurons [whole number, 0 or more]\n"
            "\n[train]\n  lr = 0.1  (0.2 with a | in it)\n"
            "      learning rate [number, 0 or more]\n"
            "\n[neuron.more]\n  reset = \"hard\"\n"
            "      what a spike leaves [one of hard, soft], only with if\n");
}

TEST(KeyText, MarkdownHasATableForEach) {
  EXPECT_EQ(keys_as_markdown(select_keys(groups(), "train")),
            "\n## [train]\n\n| key | takes | default | meaning |\n|---|---|---|---|\n"
            "| `lr` | number, 0 or more | `0.1`; 0.2 with a \\| in it | learning rate |\n");
  const std::string all = keys_as_markdown(groups());
  EXPECT_NE(all.find("\n## Outside all sections\n"), std::string::npos);
  EXPECT_NE(all.find("\nOf `a`, `b`:\n"), std::string::npos);
  EXPECT_NE(all.find("what a spike leaves; only with if"), std::string::npos);
}

TEST(KeyText, JsonHasEverything) {
  const Json all = keys_as_json(groups());
  ASSERT_EQ(all.size(), 7U);
  EXPECT_EQ(all[2], (Json{{"key", "model.width"},
                          {"type", "whole number"},
                          {"what", "channels of the first convolution"},
                          {"of", {"a", "b"}},
                          {"default", 64},
                          {"range", {1, 4096}}}));
  EXPECT_EQ(all[6]["choices"], (Json{"hard", "soft"}));
}

TEST(KeyText, AKeyOfTextShowsTheNamesThatItTakes) {
  static const TextKey loss{"loss", "ce", "what is minimised"};
  static const TextListKey phases{"phases", std::vector<std::string>{"a"}, "what is done"};
  const std::vector<KeyGroup> train{{"train", "", {&loss, &phases}}};
  const NamesByKey names{{"train.loss", {{"ce", "mse"}, "losses"}}, {"train.phases", {{"a"}, ""}}};
  EXPECT_EQ(keys_as_text(train, names),
            "[train]\n  loss = \"ce\"\n"
            "      what is minimised [one of ce, mse; spikenm list losses]\n"
            "  phases = [\"a\"]\n      what is done [texts, names of a]\n");
  EXPECT_NE(keys_as_markdown(train, names).find("| one of ce, mse; `spikenm list losses` |"),
            std::string::npos);
  EXPECT_EQ(keys_as_json(train, names)[0]["choices"], (Json{"ce", "mse"}));
}

TEST(KeyText, AWordIsASectionAReaderOrAKey) {
  const auto count = [](const char* word) {
    size_t n = 0;
    for (const SharedKeys& shared : share_keys(select_keys(groups(), word)))
      n += shared.keys.size();
    return n;
  };
  EXPECT_EQ(count("model"), 4U);
  EXPECT_EQ(count("top"), 1U);
  EXPECT_EQ(count("neuron"), 1U);
  EXPECT_EQ(count("a"), 2U);
  EXPECT_EQ(count("width"), 1U);
  EXPECT_EQ(count("model.width"), 1U);
  EXPECT_TRUE(select_keys(groups(), "widht").empty());
  for (const std::string& word : key_words(groups()))
    EXPECT_FALSE(select_keys(groups(), word).empty()) << word;
}

}  // namespace
}  // namespace spikenm
