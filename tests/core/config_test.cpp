#include "spikenm/core/config.h"

#include "spikenm/core/file.h"
#include "support/cpu_clock.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace spikenm {
namespace {

namespace fs = std::filesystem;
using test::TempDir;
using Ints = std::vector<int64_t>;
using Reals = std::vector<double>;
using Texts = std::vector<std::string>;
using Table = std::vector<std::pair<std::string, std::string>>;

Config parse(const char* text) {
  return Config::from_text(text, "test.toml");
}

TEST(Config, LettersOutsideAsciiAreRefusedOrAText) {
  EXPECT_ERROR(Config::from_text("\xC8\x93 s", "odd.toml"), "odd.toml", "not valid TOML");
  Config config = Config::from_text("a = '/data/Möwe' # größer", "x");
  config.override_with("b=/data/Möwe");
  EXPECT_EQ(config.get("a", ""), "/data/Möwe");
  EXPECT_EQ(config.get("b", ""), "/data/Möwe");
}

TEST(Config, ControlCharactersAreRefusedAndNotAsserted) {
  for (const std::string& text :
       {std::string("[\0\0data]\nn = 1", 14), std::string("a.\0 = 1", 7), std::string("\0", 1)})
    EXPECT_ERROR(Config::from_text(text, "odd.toml"), "odd.toml", "not valid TOML");
}

TEST(Config, MissingKeysGiveTheirDefaults) {
  const Config config;
  EXPECT_EQ(config.get<int64_t>("seed", 7), 7);
  EXPECT_EQ(config.get<double>("lr", 0.1), 0.1);
  EXPECT_EQ(config.get<bool>("verbose", true), true);
  EXPECT_EQ(config.get("name", "dense"), "dense");
  EXPECT_EQ(config.get<Ints>("sizes", {1, 2}), (Ints{1, 2}));
  EXPECT_FALSE(config.has("seed"));
}

TEST(Config, GivenKeysHaveTheirTypes) {
  const Config config = parse(R"(
    seed = -3
    lr = 1e-3
    verbose = false
    name = "sparse"
    sizes = [1, 2, 3]
    rates = [0.5, 1]
    names = ["a", "b"]
  )");
  EXPECT_EQ(config.get<int64_t>("seed", 0), -3);
  EXPECT_EQ(config.get<double>("lr", 0), 1e-3);
  EXPECT_EQ(config.get<bool>("verbose", true), false);
  EXPECT_EQ(config.get("name", ""), "sparse");
  EXPECT_EQ(config.get<Ints>("sizes", {}), (Ints{1, 2, 3}));
  EXPECT_EQ(config.get<Reals>("rates", {}), (Reals{0.5, 1.0}));
  EXPECT_EQ(config.get<Texts>("names", {}), (Texts{"a", "b"}));
  EXPECT_TRUE(config.has("seed"));
}

TEST(Config, WholeNumberServesAsADouble) {
  EXPECT_EQ(parse("lr = 2").get<double>("lr", 0), 2.0);
}

TEST(Config, SingleValueServesAsAList) {
  EXPECT_EQ(parse("sizes = 4").get<Ints>("sizes", {}), (Ints{4}));
}

TEST(Config, WrongTypeNamesKeyValueAndWish) {
  const Config config = parse(R"(train = {epochs = 2.5, lr = "fast", on = 1, sizes = [1, "x"]})");
  EXPECT_ERROR(config.get<int64_t>("train.epochs", 0), "train.epochs", "2.5", "a whole number");
  EXPECT_ERROR(parse("n = 3.0").get<int64_t>("n", 0), "n: found 3.0 (number)");
  EXPECT_ERROR(config.get<double>("train.lr", 0), "train.lr", "\"fast\"", "a finite number");
  EXPECT_ERROR(config.get<bool>("train.on", true), "train.on", "whole number", "true or false");
  EXPECT_ERROR(config.get("train.on", ""), "train.on", "1", "text in quotes");
  EXPECT_ERROR(config.get<Ints>("train.sizes", {}), "train.sizes",
               "wanted a list of whole numbers");
}

TEST(Config, NumbersThatAreNotFiniteAreRefused) {
  const Config config = parse("a = inf\nb = nan");
  EXPECT_ERROR(config.get<double>("a", 0), "a: found inf", "finite");
  EXPECT_ERROR(config.get<double>("b", 0), "b: found nan", "finite");
}

TEST(Config, DatesAndTablesInListsAreRefused) {
  EXPECT_ERROR(parse("[train]\nday = 2024-01-01"), "train.day");
  EXPECT_ERROR(parse("[[phase]]\nname = \"search\""), "phase");
}

TEST(Config, RangesAreClosedAndNamed) {
  const Config config = parse("n = 5\nx = 0.5");
  EXPECT_EQ(config.get_int("n", 1, 5, 5), 5);
  EXPECT_ERROR(config.get_int("n", 1, 6, 9), "n: found 5, wanted 6 to 9");
  EXPECT_ERROR(config.get_int("n", 1, 1, 4), "n: found 5, wanted 1 to 4");
  EXPECT_EQ(config.get_real("x", 0, 0.5, 0.5), 0.5);
  EXPECT_ERROR(config.get_real("x", 0, 0.75, 1), "x: found 0.5, wanted 0.75 to 1");
}

TEST(Config, ChoiceGivesItsPlaceOrListsTheChoices) {
  const Config config = parse("axis = \"in\"\nloss = \"mse2\"");
  EXPECT_EQ(config.get_choice("axis", "flat", {"flat", "in"}), 1u);
  EXPECT_ERROR(config.get_choice("loss", "ce", {"ce", "mse"}), "loss", "'mse2'", "ce, mse");
}

TEST(Config, UnreadKeyNamesTheNearest) {
  const Config config = parse("seed = 1\n[train]\nlrr = 0.1\nepochs = 3");
  (void)config.get<int64_t>("seed", 0);
  (void)config.section("train").get<double>("lr", 0.1);
  (void)config.section("train").get<int64_t>("epochs", 1);
  EXPECT_ERROR(config.reject_unread(), "train.lrr", "nearest is train.lr");
}

TEST(Config, ReadKeysAreNotRejected) {
  const Config config = parse("[train]\nlr = 0.1");
  (void)config.section("train").get<double>("lr", 0);
  EXPECT_NO_THROW(config.reject_unread());
}

TEST(Config, SectionsShareValuesAndNameWholeKeys) {
  const Config config = parse("[a.b]\nc = 3");
  const Config inner = config.section("a").section("b");
  EXPECT_EQ(inner.get<int64_t>("c", 0), 3);
  EXPECT_EQ(inner.full_key("d"), "a.b.d");
  EXPECT_ERROR(inner.get("c", ""), "a.b.c");
}

TEST(Config, OverridesTakeTomlValues) {
  Config config = parse("[train]\nlr = 0.1\nepochs = 3");
  config.override_with("train.lr=1e-2");
  config.override_with("train.sizes=[1, 2]");
  config.override_with("train.on=true");
  config.override_with("train.name=\"a b\"");
  const Config train = config.section("train");
  EXPECT_EQ(train.get<double>("lr", 0), 0.01);
  EXPECT_EQ(train.get<Ints>("sizes", {}), (Ints{1, 2}));
  EXPECT_EQ(train.get<bool>("on", false), true);
  EXPECT_EQ(train.get("name", ""), "a b");
  EXPECT_EQ(train.get<int64_t>("epochs", 0), 3);
}

TEST(Config, OverridesTakeBareWordsAsText) {
  Config config;
  config.override_with("method.name=dense");
  config.override_with("method.pattern=2:4");
  config.override_with("path=/data/a=b");
  config.override_with("note=");
  EXPECT_EQ(config.get("method.name", ""), "dense");
  EXPECT_EQ(config.get("method.pattern", ""), "2:4");
  EXPECT_EQ(config.get("path", ""), "/data/a=b");
  EXPECT_EQ(config.get("note", "x"), "");
}

TEST(Config, OverridesTakeQuotedKeys) {
  Config config = parse("[layer_pattern]\n\"conv*\" = \"2:4\"");
  config.override_with("layer_pattern.\"conv*\"=\"2:8\"");
  EXPECT_EQ(config.get_table("layer_pattern"), (Table{{"conv*", "2:8"}}));
}

TEST(Config, AnOverrideWithATableOverridesTheKeysInIt) {
  Config config = Config::from_text("[train.stop_early]\npatience = 1\nmin_delta = 2.5", "t");
  config.override_with("train.stop_early={patience = 3}");
  const Config section = config.section("train").section("stop_early");
  EXPECT_EQ(section.get<int64_t>("patience", 0), 3);
  EXPECT_EQ(section.get<double>("min_delta", 0), 2.5);
  EXPECT_ERROR(config.override_with("train.stop_early={}"), "train.stop_early", "empty table");
}

TEST(Config, OverrideWithoutAnAssignmentIsAUsageError) {
  Config config;
  EXPECT_THROW(config.override_with("train.lr"), UsageError);
  EXPECT_THROW(config.override_with("=3"), UsageError);
  EXPECT_THROW(config.override_with(""), UsageError);
  EXPECT_ERROR(config.override_with("train.lr"), "'train.lr'", "train.lr=0.1");
}

TEST(Config, OverrideWithADateIsRefused) {
  Config config;
  EXPECT_ERROR(config.override_with("train.day=2024-01-01"), "train.day");
}

TEST(Config, OverrideThatIsNotUtf8IsRefused) {
  Config config;
  EXPECT_ERROR(config.override_with("data.path=/caf\xe9"), "data.path", "not UTF-8");
}

TEST(Config, TableKeepsTheOrderOfTheFile) {
  EXPECT_EQ(parse("[p]\n\"z*\" = \"1:4\"\na = \"2:4\"\n\"m.n\" = \"3:4\"").get_table("p"),
            (Table{{"z*", "1:4"}, {"a", "2:4"}, {"m.n", "3:4"}}));
  EXPECT_EQ(parse("p = {\"z*\" = \"1:4\", a = \"2:4\"}").get_table("p"),
            (Table{{"z*", "1:4"}, {"a", "2:4"}}));
}

TEST(Config, TableOfOtherThanTextIsRefused) {
  EXPECT_ERROR(parse("[p]\na = 2").get_table("p"), "p.a", "text in quotes");
  EXPECT_ERROR(parse("[p]\na = inf").get_table("p"), "p.a: found inf", "text in quotes");
}

TEST(Config, TableKeysCountAsRead) {
  const Config config = parse("[p]\na = \"2:4\"");
  (void)config.get_table("p");
  EXPECT_NO_THROW(config.reject_unread());
}

// What a run reads, in the shapes that are hard to write back.
std::string read_all(const Config& config) {
  const Config train = config.section("train");
  (void)config.get<int64_t>("seed", INT64_MIN);
  (void)train.get<double>("lr", 1e-5);
  (void)train.get<double>("whole", 3.0);
  (void)train.get<double>("large", 1e30);
  (void)train.get<Reals>("rates", {1.0, 0.1});
  (void)train.get<Texts>("names", {"a", "\"b\"", "c\\d\n\t\x01", "ü"});
  (void)config.get<Ints>("top_after_section", {});
  (void)train.section("inner").get<bool>("on", true);
  (void)config.get("section with space.key", "x");
  (void)config.get_table("p");
  return config.resolved_toml();
}

TEST(Config, ResolvedTomlGivesTheSameConfig) {
  Config config = parse("[p]\n\"conv*\" = \"2:4\"\n\"conv*.a.b\" = \"1:4\"\n\"a b\" = \"2:8\"");
  config.override_with("train.lr=0.30000000000000004");
  const std::string text = read_all(config);
  const Config again = Config::from_text(text, "resolved.toml");
  EXPECT_EQ(read_all(again), text);
  EXPECT_EQ(again.section("train").get<double>("lr", 0), 0.30000000000000004);
  EXPECT_EQ(again.section("train").get<Texts>("names", {}),
            (Texts{"a", "\"b\"", "c\\d\n\t\x01", "ü"}));
  EXPECT_EQ(again.get<int64_t>("seed", 0), INT64_MIN);
  EXPECT_EQ(again.get_table("p"), config.get_table("p"));
  EXPECT_NO_THROW(again.reject_unread());
}

TEST(Config, ResolvedTomlHoldsEveryValueRead) {
  const Config config = parse("[train]\nlr = 0.5\nunread = 1");
  (void)config.section("train").get<double>("lr", 0);
  (void)config.section("train").get<int64_t>("epochs", 3);
  EXPECT_EQ(config.resolved_toml(), "\n[train]\nlr = 0.5\nepochs = 3\n");
}

TEST(Config, AKeyGivenInTwoWaysIsRefused) {
  for (const char* text : {"\"train.lr\" = 5\n[train]\nlr = 1\n", "a.\"b.c\" = 1\n[a.b]\nc = 1\n"})
    EXPECT_ERROR(parse(text), "test.toml: ", "given twice");
  const TempDir dir;
  write_file_atomically(dir / "base.toml", "[train]\nlr = 1\n");
  write_file_atomically(dir / "own.toml", "extends = \"base.toml\"\n\"train.lr\" = 5\n");
  EXPECT_EQ(Config::from_file(dir / "own.toml").get<double>("train.lr", 0), 5);
  write_file_atomically(dir / "own.toml", "\"train.lr\" = 5\n[train]\nlr = 1\n");
  EXPECT_ERROR(Config::from_file(dir / "own.toml"), "own.toml: train.lr: given twice");
}

TEST(Config, BadTomlNamesFileAndLine) {
  EXPECT_ERROR(parse("a = 1\nb = = 2\n"), "test.toml:2:", "TOML");
  EXPECT_ERROR(parse("a = 1\na = 2\n"), "test.toml:2:", "TOML");
  EXPECT_ERROR(parse("[train\n"), "test.toml:1:", "TOML");
}

TEST(Config, FileIsReadAndNamed) {
  const TempDir dir;
  write_file_atomically(dir / "run.toml", "seed = 4\n");
  EXPECT_EQ(Config::from_file(dir / "run.toml").get<int64_t>("seed", 0), 4);
  write_file_atomically(dir / "run.toml", "seed =");
  EXPECT_ERROR(Config::from_file(dir / "run.toml"), "run.toml:1:");
  EXPECT_ERROR(Config::from_file(dir / "absent.toml"), "absent.toml");
}

class Extends : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    fs::create_directories((dir / name).parent_path());
    write_file_atomically(dir / name, text);
  }
  Config read(const std::string& name) { return Config::from_file(dir / name); }

  TempDir dir;
};

TEST_F(Extends, TheFilesOwnKeysGoOverThoseOfItsBases) {
  write("base/all.toml", "seed = 1\n[train]\nlr = 0.5\nepochs = 9\n");
  write("base/set.toml", "extends = \"all.toml\"\n[train]\nepochs = 8\nloss = \"tet\"\n");
  write("set/run.toml", "extends = \"../base/set.toml\"\n[train]\nloss = \"ce\"\n");
  const Config config = read("set/run.toml");
  EXPECT_EQ(config.get<int64_t>("seed", 0), 1);
  EXPECT_EQ(config.get<double>("train.lr", 0), 0.5);
  EXPECT_EQ(config.get<int64_t>("train.epochs", 0), 8);
  EXPECT_EQ(config.get("train.loss", ""), "ce");
  EXPECT_NO_THROW(config.reject_unread());
  EXPECT_EQ(config.resolved_toml().find("extends"), std::string::npos);
}

TEST_F(Extends, TablesOfTheUsersKeysAreJoinedKeyByKey) {
  write("base.toml", "[p]\na = \"1:4\"\n\"conv*\" = \"2:4\"\n");
  write("run.toml", "extends = \"base.toml\"\n[p]\nb = \"1:8\"\na = \"2:8\"\n");
  EXPECT_EQ(read("run.toml").get_table("p"), (Table{{"a", "2:8"}, {"conv*", "2:4"}, {"b", "1:8"}}));
}

TEST_F(Extends, TheSameBaseInTwoFilesIsNoCycle) {
  write("base.toml", "seed = 1\n");
  write("a.toml", "extends = \"base.toml\"\n");
  write("base_link.toml", "extends = \"a.toml\"\n");
  EXPECT_EQ(read("base_link.toml").get<int64_t>("seed", 0), 1);
}

TEST_F(Extends, ACycleNamesBothFiles) {
  write("a.toml", "extends = \"b.toml\"\n");
  write("b.toml", "extends = \"./a.toml\"\n");
  EXPECT_ERROR(read("a.toml"), "b.toml: extends ", "a.toml", "comes back to itself");
  write("self.toml", "extends = \"self.toml\"\n");
  EXPECT_ERROR(read("self.toml"), "self.toml: extends ", "comes back to itself");
}

TEST_F(Extends, AMissingOrBrokenBaseIsNamed) {
  write("a.toml", "extends = \"none/b.toml\"\n");
  EXPECT_ERROR(read("a.toml"), "a.toml: extends ", "none/b.toml", "not there");
  write("none/b.toml", "seed = = 1\n");
  EXPECT_ERROR(read("a.toml"), "none/b.toml:1:", "TOML");
  write("folder.toml/x", "");
  write("a.toml", "extends = \"folder.toml\"\n");
  EXPECT_ERROR(read("a.toml"), "folder.toml: is a folder");
}

TEST_F(Extends, OnlyAPathWillDo) {
  for (const auto& [value, shown] :
       std::vector<std::pair<const char*, const char*>>{{"3", "3"},
                                                        {"[\"b.toml\"]", "[\"b.toml\"]"},
                                                        {"{a = 1}", "{\"a\":1}"},
                                                        {"\"\"", "\"\""}}) {
    write("a.toml", fmt::format("extends = {}\n", value));
    EXPECT_ERROR(read("a.toml"), "a.toml: extends: found ", shown, "path of a base file");
  }
}

TEST_F(Extends, TextHasNoFolderToLookIn) {
  EXPECT_ERROR(parse("extends = \"b.toml\""), "test.toml: extends", "only a file");
  EXPECT_EQ(parse("[a]\nextends = \"b\"").get("a.extends", ""), "b");
}

// A run that reads [method] as `name` says, and of [train] the keys of its schedule.
std::vector<std::string> read_by_name(const Config& config) {
  const Config method = config.section("method"), train = config.section("train");
  if (method.get("name", "sparse") == "sparse") {
    (void)method.get("pattern", "2:4");
    (void)method.get_table("layer_pattern");
    if (method.get<double>("lambda", 5) == 0) method.no_effect("credit", {"lambda"});
    (void)method.get("credit", "net");
  }
  method.selects("name");
  if (train.get("schedule", "cosine") == "step") {
    (void)train.get<double>("gamma", 0.1);
  } else {
    train.no_effect("gamma", {"schedule"});
  }
  return config.reject_unread();
}

constexpr const char* kSparse =
    "[method]\nname = 'sparse'\npattern = '2:8'\nlayer_pattern.conv1 = '2:4'\ncredit = 'all'\n"
    "[train]\nschedule = 'step'\ngamma = 0.5\n";

Config over_sparse(const std::vector<std::string>& overrides) {
  Config config = parse(kSparse);
  for (const std::string& assignment : overrides) config.override_with(assignment);
  return config;
}

TEST(Config, KeysOfTheFileGiveWayToAnOverriddenSelector) {
  EXPECT_EQ(read_by_name(over_sparse({})), Texts{});
  const Config dense = over_sparse({"method.name=dense"});
  EXPECT_EQ(read_by_name(dense),
            (Texts{"note: method.pattern, method.layer_pattern.conv1, method.credit of the config "
                   "file are dropped: no effect with method.name = \"dense\""}));
  EXPECT_EQ(read_by_name(over_sparse({"train.schedule=cosine"})),
            (Texts{"note: train.gamma of the config file is dropped: no effect with "
                   "train.schedule = \"cosine\""}));
  EXPECT_EQ(read_by_name(over_sparse({"method.name=dense", "train.schedule=cosine"})).size(), 2u);
  // What is written out says nothing of them.
  const std::string text = dense.resolved_toml();
  EXPECT_EQ(text, "\n[method]\nname = \"dense\"\n\n[train]\nschedule = \"step\"\ngamma = 0.5\n");
  EXPECT_EQ(read_by_name(parse(text.c_str())), Texts{});
}

TEST(Config, KeysOfTheCommandLineGiveWayToNothing) {
  EXPECT_ERROR(read_by_name(over_sparse({"method.name=dense", "method.pattern=2:4"})),
               "method.pattern: this run reads no such key");
  EXPECT_ERROR(read_by_name(over_sparse({"train.gamma=0.5", "train.schedule=cosine"})),
               "train.gamma: has no effect with train.schedule = \"cosine\"; leave it out");
}

TEST(Config, OnlyAChangedSelectorExcusesItsOwnSection) {
  EXPECT_ERROR(read_by_name(parse("[method]\nname = 'dense'\npattern = '2:4'")),
               "method.pattern: this run reads no such key");
  Config same = parse("[method]\nname = 'dense'\npattern = '2:4'");
  same.override_with("method.name=dense");
  EXPECT_ERROR(read_by_name(same), "method.pattern");
  Config is_default = parse("[method]\npatern = '2:4'");
  is_default.override_with("method.name=sparse");
  EXPECT_ERROR(read_by_name(is_default), "method.patern", "nearest is method.pattern");
  Config twice = parse("[method]\nname = 'dense'\npattern = '2:4'");
  twice.override_with("method.name=sparse");
  twice.override_with("method.name=dense");
  EXPECT_ERROR(read_by_name(twice), "method.pattern");
  Config other = parse("[method]\nname = 'dense'\npattern = '2:4'");
  other.override_with("train.schedule=step");
  EXPECT_ERROR(read_by_name(other), "method.pattern");
  Config typo = parse("[train]\nschedule = 'step'\ngama = 0.5");
  typo.override_with("train.schedule=cosine");  // excuses gamma alone: its keys are known
  EXPECT_ERROR(read_by_name(typo), "train.gama");
}

TEST(Config, AKeyWithoutEffectIsRefusedWithItsCause) {
  EXPECT_ERROR(read_by_name(parse("[method]\nlambda = 0\ncredit = 'net'")),
               "method.credit: has no effect with method.lambda = 0; leave it out");
  EXPECT_ERROR(read_by_name(parse("[train]\ngamma = 1")), "train.gamma: has no effect",
               "train.schedule = \"cosine\"");
  Config swept = parse("[method]\nlambda = 5\ncredit = 'net'");
  swept.override_with("method.lambda=0");
  EXPECT_EQ(read_by_name(swept), (Texts{"note: method.credit of the config file is dropped: no "
                                        "effect with method.lambda = 0"}));
  EXPECT_EQ(swept.resolved_toml().find("credit"), std::string::npos);
}

TEST(Config, AResolvedConfigMayHoldKeysWithoutEffectAndNoOthers) {
  EXPECT_EQ(read_by_name(Config::from_resolved("[method]\nlambda = 0\ncredit = 'net'", "run")),
            Texts{});
  Config given = Config::from_resolved("[method]\nlambda = 0\ncredit = 'net'", "run");
  given.override_with("method.credit=all");
  EXPECT_ERROR(read_by_name(given), "method.credit: has no effect");
  EXPECT_ERROR(read_by_name(Config::from_resolved("[method]\npatern = '2:4'", "run")),
               "method.patern");
}

TEST_F(Extends, APathIsRelativeToTheFileThatGivesIt) {
  fs::create_directories(dir / "nets");
  write("nets/base.toml", "file = 'a.toml'\nother = '/abs/b.toml'\n");
  write("run.toml", "extends = 'nets/base.toml'\nown = 'c.toml'\n");
  Config config = read("run.toml");
  EXPECT_EQ(config.get_path("file"), dir / "nets/a.toml");
  EXPECT_EQ(config.get_path("other"), "/abs/b.toml");
  EXPECT_EQ(config.get_path("own"), dir / "c.toml");
  EXPECT_EQ(config.get_path("absent"), "");
  config.override_with("file=here.toml");
  EXPECT_EQ(config.get_path("file"), "here.toml");
  EXPECT_ERROR((void)parse("file = ''").get_path("file"), "file: found no path");
}

TEST(Config, AKeyMayTakeThePlaceOfOtherSections) {
  const auto take = [](Config config) {
    static_cast<void>(config.get<int64_t>("model.T", 4));
    static_cast<void>(config.get("model.file", ""));
    config.overrule({"model", "neuron"}, "model.file");
    return config.reject_unread();
  };
  const char* const text = "[model]\nT = 2\nfile = 'net.toml'\nwidth = 4\n[neuron]\ntau = 3.0\n";
  EXPECT_EQ(take(parse(text)), (Texts{"note: model.width, neuron.tau of the config file are "
                                      "dropped: no effect with model.file = \"net.toml\""}));
  Config given = parse(text);
  given.override_with("neuron.tau=4");
  EXPECT_ERROR(take(given), "neuron.tau: has no effect with model.file = \"net.toml\"");
  Config elsewhere = parse("[model]\nfile = 'net.toml'\n[train]\nlr = 1\n");
  EXPECT_ERROR(take(elsewhere), "train.lr: this run reads no such key");
}

TEST(Config, AValueMayBeResolvedAsAnother) {
  const Config config = parse("file = 'net.toml'");
  static_cast<void>(config.get_path("file"));
  config.resolve_as("file", "graph.toml");
  EXPECT_EQ(config.resolved_toml(), "file = \"graph.toml\"\n");
}

TEST(Config, DroppedKeysAreNotGiven) {
  Config config = parse("seed = 1\nmethods = 2\n[method]\nname = \"a\"\n[method.p]\nx = \"2:4\"");
  config.drop("method");
  EXPECT_FALSE(config.has("method.name"));
  EXPECT_TRUE(config.get_table("method.p").empty());
  EXPECT_EQ(config.get<int64_t>("methods", 0), 2);
  config.drop("seed");
  EXPECT_EQ(config.get<int64_t>("seed", 7), 7);
  EXPECT_NO_THROW(config.reject_unread());
}

TEST(Config, ManyKeysTakeLinearTime) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += fmt::format("key{} = {}\n", i, i);
  const test::CpuClock clock;
  Config config = Config::from_text(text, "wide.toml");
  config.override_with("key99999=1");
  for (int i = 0; i < 100'000; ++i)
    EXPECT_EQ(config.get<int64_t>(fmt::format("key{}", i), -1), i < 99'999 ? i : 1);
  config.reject_unread();
  EXPECT_LT(clock.seconds(), 30);  // a tenth of that, or minutes if each key looks at all others
}

}  // namespace
}  // namespace spikenm
