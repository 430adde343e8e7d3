#include "spikenm/sweep/spec.h"

#include "spikenm/core/file.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace spikenm::sweep {
namespace {

using Texts = std::vector<std::string>;

Member listed(const char* name, const Texts& set = {}, bool in_grid = true) {
  Member member;
  member.name = name;
  member.set = set;
  member.in_grid = in_grid;
  return member;
}

Spec expanded(Spec spec) {
  expand(spec);
  return spec;
}

Texts names_of(const Spec& spec) {
  Texts names;
  for (const Member& member : spec.members) names.push_back(member.name);
  return names;
}

TEST(Grid, ArgumentIsAKeyAndItsValues) {
  const GridKey grid = parse_grid("method.tau_max=1,0.1");
  EXPECT_EQ(grid.key, "method.tau_max");
  EXPECT_EQ(grid.values, (Texts{"1", "0.1"}));
  EXPECT_EQ(parse_grid("a=x").values, (Texts{"x"}));
  EXPECT_EQ(parse_grid("m.layer_pattern.\"conv*\"=2:4,2:8").key, "m.layer_pattern.conv*");
}

TEST(Grid, CommasInBracketsAndQuotesPartNothing) {
  EXPECT_EQ(parse_grid("n=[1, 0.05],[0.3,0.02],2").values, (Texts{"[1, 0.05]", "[0.3,0.02]", "2"}));
  EXPECT_EQ(parse_grid("n=\"a,b\",'c,]d'").values, (Texts{"\"a,b\"", "'c,]d'"}));
}

TEST(Grid, ArgumentWithoutKeyOrValueIsAUsageError) {
  for (const char* argument : {"", "a", "=1", "a=", "a=1,", "a=,1", "a=1,,2"})
    EXPECT_THROW((void)parse_grid(argument), UsageError) << argument;
}

TEST(Seeds, OneNumberCountsAndAListIsItself) {
  EXPECT_EQ(first_seeds(3, "seeds"), (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(listed_seeds({4, 0, 7}, "seeds"), (std::vector<int64_t>{4, 0, 7}));
  EXPECT_EQ(listed_seeds({8}, "seeds"), std::vector<int64_t>{8});
  EXPECT_ERROR(first_seeds(0, "seeds"), "seeds", "found 0");
  EXPECT_ERROR(listed_seeds({}, "seeds"), "seeds", "empty");
  EXPECT_ERROR(listed_seeds({1, -2}, "seeds"), "found -2");
  EXPECT_ERROR(listed_seeds({1, 1}, "seeds"), "found 1 twice");
}

TEST(Expand, AGridAloneIsRunForTheBase) {
  Spec spec;
  spec.grid = {{"method.tau_max", {"1", "0.1"}}, {"train.lr", {"0.5"}}};
  spec = expanded(spec);
  EXPECT_EQ(names_of(spec), (Texts{"tau_max=1,lr=0.5", "tau_max=0.1,lr=0.5"}));
  EXPECT_EQ(spec.members[1].set, (Texts{"method.tau_max=0.1", "train.lr=0.5"}));
  EXPECT_EQ(spec.members[1].place, "tau_max=0.1,lr=0.5");  // no x: each by its name
  EXPECT_EQ(spec.members[1].series, "");
  EXPECT_EQ(swept_keys(spec), (Texts{"method.tau_max", "train.lr"}));
}

TEST(Expand, AGridOfOneKeyIsDrawnOverIt) {
  Spec spec;
  spec.grid = {{"method.lambda_eid", {"0", "5"}}};
  spec.members = {listed("dense", {"method.name=dense"}, false)};
  spec = expanded(spec);
  EXPECT_EQ(spec.plot.x, "method.lambda_eid");
  EXPECT_EQ(names_of(spec), (Texts{"dense", "lambda_eid=0", "lambda_eid=5"}));
  EXPECT_EQ(spec.members[0].place, "");
  EXPECT_EQ(spec.members[2].place, "5");
  EXPECT_EQ(spec.members[2].series, "");
}

TEST(Expand, TheGridIsRunForEveryMemberThatWantsIt) {
  Spec spec;
  spec.grid = {{"method.pattern", {"\"2:4\"", "\"2:16\""}}};
  spec.members = {listed("dense", {}, false), listed("random", {"method.name=random"}),
                  listed("rewire")};
  spec.plot.x = kByMember;
  spec = expanded(spec);
  EXPECT_EQ(names_of(spec), (Texts{"dense", "random,pattern=2:4", "random,pattern=2:16",
                                   "rewire,pattern=2:4", "rewire,pattern=2:16"}));
  EXPECT_EQ(spec.members[2].set, (Texts{"method.name=random", "method.pattern=\"2:16\""}));
  EXPECT_EQ(spec.members[2].place, "random");
  EXPECT_EQ(spec.members[2].series, "pattern=2:16");
}

TEST(Expand, ANumberOfTheResultsAlongXHasACurveForEachListedMember) {
  Spec spec;
  spec.grid = {{"method.pattern", {"\"2:4\"", "\"2:16\""}}};
  spec.members = {listed("dense", {}, false), listed("random"), listed("rewire")};
  spec.plot.x = "weight_pct";
  spec = expanded(spec);
  EXPECT_EQ(spec.members[2].series, "random");
  EXPECT_EQ(spec.members[3].series, "rewire");
  EXPECT_EQ(spec.members[0].series, "dense");
}

// No line leads from one method to another.
TEST(Expand, KeysOfWordsMakeCurvesOverANumberOfTheResults) {
  Spec spec;
  spec.grid = {{"method.name", {"spikenm", "\"random\""}},
               {"method.pattern", {"\"2:4\"", "\"2:16\""}},
               {"method.tau_max", {"1", "-.5"}},
               {"method.draw", {"\"a\"", "\"b\""}}};
  spec.pool = {"method.draw"};
  spec.plot.x = "weight_pct";
  Spec alone = expanded(spec);
  EXPECT_EQ(alone.members.at(0).series, "name=spikenm");
  EXPECT_EQ(alone.members.at(7).series, "name=spikenm");
  EXPECT_EQ(alone.members.at(8).series, "name=random");
  spec.members = {listed("narrow")};
  EXPECT_EQ(expanded(spec).members.at(8).series, "narrow,name=random");
}

TEST(Expand, PooledKeysShareAGroup) {
  Spec spec;
  spec.grid = {{"m.tau_q", {"1", "2.4"}}, {"m.freeze_draw", {"0", "1"}}};
  spec.members = {listed("credit")};
  spec.pool = {"m.freeze_draw"};
  spec.plot.x = "m.tau_q";
  spec = expanded(spec);
  ASSERT_EQ(spec.members.size(), 4u);
  EXPECT_EQ(spec.members[0].group, "credit,tau_q=1");
  EXPECT_EQ(spec.members[1].group, "credit,tau_q=1");
  EXPECT_EQ(spec.members[1].name, "credit,tau_q=1,freeze_draw=1");
  EXPECT_EQ(spec.members[3].place, "2.4");
  EXPECT_EQ(spec.members[3].series, "credit");
}

TEST(Expand, KeysThatEndAlikeAreNamedWhole) {
  Spec spec;
  spec.grid = {{"train.lr", {"1"}}, {"method.lr", {"2"}}};
  EXPECT_EQ(names_of(expanded(spec)), (Texts{"train.lr=1,method.lr=2"}));
}

TEST(Expand, ValuesWithSlashesMakeNoFolders) {
  Spec spec;
  spec.grid = {{"data.root", {"/a/b"}}};
  EXPECT_EQ(names_of(expanded(spec)), (Texts{"root=-a-b"}));
  EXPECT_EQ(expanded(spec).members[0].set, (Texts{"data.root=/a/b"}));
}

TEST(Expand, MistakesAreNamed) {
  const auto with = [](const Texts& names) {
    Spec spec;
    for (const std::string& name : names) spec.members.push_back(listed(name.c_str()));
    return spec;
  };
  EXPECT_ERROR(expanded({}), "neither members nor a grid");
  EXPECT_ERROR(expanded(with({"a", "a"})), "member 'a'", "two of that name");
  for (const char* name : {"a/b", "..", ".hidden", "a\nb"})
    EXPECT_ERROR(expanded(with({"b", name})), "wanted a name that can be a folder's");
  EXPECT_ERROR(expanded(with({std::string(151, 'x')})), "1 to 150");
  for (const char* name : {"results.csv", "summary.csv", "plot.png", "plot.svg"})
    EXPECT_ERROR(expanded(with({"b", name})), name, "a file that the sweep writes");

  Spec spec = with({"a"});
  spec.members[0].set = {"lr"};
  EXPECT_ERROR(expanded(spec), "member 'a'", "'lr'", "train.lr=0.1");
  spec.members[0].set = {"seed=3"};
  EXPECT_ERROR(expanded(spec), "member 'a'", "seed");
  spec.members[0].set = {"train.lr=3"};
  spec.set = {"train.lr=4"};
  EXPECT_ERROR(expanded(spec), "--set", "train.lr");
  spec.set = {};
  spec.grid = {{"train.lr", {"1"}}};
  EXPECT_ERROR(expanded(spec), "member 'a'", "train.lr, which the grid does");
  spec.grid = {{"a", {"1"}}, {"a", {"2"}}};
  EXPECT_ERROR(expanded(spec), "grid", "a twice");
  spec.grid = {{"a", {"1", "1"}}};
  EXPECT_ERROR(expanded(spec), "two of that name");
  spec.grid = {{"a", {"1", "-2"}}};
  spec.plot.log = true;
  EXPECT_ERROR(expanded(spec), "plot.log", "a=-2");
  spec.grid = {{"a", {"1", "x"}}};
  EXPECT_ERROR(expanded(spec), "plot.log", "a=x");
  spec.grid = {{"a", Texts(200, "1")}, {"b", Texts(200, "1")}};
  EXPECT_ERROR(expanded(spec), "more than 10000 points", "wanted at most 10000 (a fixed limit)");
  spec.grid.assign(17, {"a", {"1"}});
  EXPECT_ERROR(expanded(spec), "17 keys, wanted at most 16");
}

TEST(Expand, WhatThePlotNamesMustBeThere) {
  Spec spec;
  spec.grid = {{"a", {"1"}}};
  spec.plot.x = "train.b";
  EXPECT_ERROR(expanded(spec), "plot.x", "'train.b'", "a key of the grid", "weight_pct");
  spec.plot.x = "";
  spec.plot.reference = "dense";
  EXPECT_ERROR(expanded(spec), "plot.reference", "'dense'");
  spec.plot.reference = "";
  spec.pool = {"c"};
  EXPECT_ERROR(expanded(spec), "pool", "'c'");
}

TEST(LoadMember, DropsSetsAndThenTheCommandLine) {
  const test::TempDir dir;
  write_file_atomically(dir / "base.toml",
                        "seed = 1\n[method]\nname = \"spikenm\"\nlambda = 5\n[train]\nlr = 0.1\n");
  Spec spec;
  spec.base = dir / "base.toml";
  spec.members = {listed("dense", {"method.name=dense"})};
  spec.members[0].drop = {"method"};
  spec.set = {"train.lr=0.5"};
  spec = expanded(spec);
  const Config config = load_member(spec, spec.members[0]);
  EXPECT_EQ(config.get("method.name", ""), "dense");
  EXPECT_FALSE(config.has("method.lambda"));
  EXPECT_EQ(config.get<double>("train.lr", 0), 0.5);
  EXPECT_EQ(config.get<int64_t>("seed", 0), 1);
}

TEST(LoadMember, AKeyThatTheBaseLacksCannotBeDropped) {
  const test::TempDir dir;
  write_file_atomically(dir / "root.toml", "seed = 1\n[method.p]\na = \"2:4\"\n");
  write_file_atomically(dir / "base.toml", "extends = \"root.toml\"\n[train]\nlr = 0.1\n");
  Spec spec;
  spec.base = dir / "base.toml";
  spec.members = {listed("a", {"method.name=dense"})};
  for (const char* key : {"seed", "method", "method.p", "method.p.a", "train.lr"}) {
    spec.members[0].drop = {key};
    EXPECT_NO_THROW((void)load_member(spec, spec.members[0])) << key;
  }
  spec.members[0].drop = {"seed", "train.lrr"};
  EXPECT_ERROR(load_member(spec, spec.members[0]), "drop", "'train.lrr'", "nearest is train.lr");
  spec.members[0].drop = {"method.name"};  // what the member sets is not the base's
  EXPECT_ERROR(load_member(spec, spec.members[0]), "drop", "'method.name'");
  spec.base = "";
  EXPECT_ERROR(load_member(spec, spec.members[0]), "'method.name', wanted a key of the base");
}

}  // namespace
}  // namespace spikenm::sweep
