#include "spikenm/sweep/spec_file.h"

#include "spikenm/core/file.h"
#include "support/expect_error.h"

namespace spikenm::sweep {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

Spec parse(const std::string& text) {
  return parse_spec(text, "lists/a.toml");
}

TEST(SpecFile, HoldsEverythingASweepNeeds) {
  const Spec spec = parse(R"(
    title = "T"
    base = "../base.toml"
    published = "p.csv"
    seeds = 3
    pool = ["m.k"]
    [plot]
    x = "m.x"
    x_label = "X"
    y = "sops_m"
    log = true
    reference = "dense"
    [[member]]
    name = "dense"
    drop = ["method"]
    set = ["method.name=dense"]
    grid = false
    [[member]]
    name = "A"
    [grid]
    "m.x" = [1, 0.1]
    m.k = ["a", [2, 3], true]
  )");
  EXPECT_EQ(spec.title, "T");
  EXPECT_EQ(spec.base, fs::path("lists/../base.toml"));
  EXPECT_EQ(spec.published, fs::path("lists/p.csv"));
  EXPECT_EQ(spec.seeds, (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(spec.pool, (Texts{"m.k"}));
  EXPECT_EQ(spec.plot.x, "m.x");
  EXPECT_EQ(spec.plot.x_label, "X");
  EXPECT_EQ(spec.plot.y, "sops_m");
  EXPECT_TRUE(spec.plot.log);
  EXPECT_EQ(spec.plot.reference, "dense");
  ASSERT_EQ(spec.members.size(), 2u);
  EXPECT_EQ(spec.members[0].drop, (Texts{"method"}));
  EXPECT_EQ(spec.members[0].set, (Texts{"method.name=dense"}));
  EXPECT_FALSE(spec.members[0].in_grid);
  EXPECT_TRUE(spec.members[1].in_grid);
  ASSERT_EQ(spec.grid.size(), 2u);
  EXPECT_EQ(spec.grid[0].values, (Texts{"1", "0.1"}));
  EXPECT_EQ(spec.grid[1].key, "m.k");
  EXPECT_EQ(spec.grid[1].values, (Texts{"\"a\"", "[2,3]", "true"}));
}

TEST(SpecFile, LeavesOutWhatItLikes) {
  const Spec spec = parse("[grid]\na = [1]");
  EXPECT_TRUE(spec.base.empty());
  EXPECT_EQ(spec.seeds, (std::vector<int64_t>{0}));
  EXPECT_EQ(parse("seeds = [4, 2]").seeds, (std::vector<int64_t>{4, 2}));
  EXPECT_EQ(parse("seeds = [8]").seeds, std::vector<int64_t>{8}) << "a list of one is a list";
  EXPECT_EQ(spec.plot.y, "test_accuracy");
}

TEST(SpecFile, UnknownKeysNameTheNearest) {
  EXPECT_ERROR(parse("titel = \"x\""), "lists/a.toml", "'titel'", "nearest is title");
  EXPECT_ERROR(parse("[plot]\nlogx = true"), "a.toml: plot", "'logx'", "nearest is log");
  EXPECT_ERROR(parse("[[member]]\nname = \"a\"\n[[member]]\nname = \"b\"\nsets = []"),
               "a.toml: member 2", "'sets'", "nearest is set");
}

TEST(SpecFile, WrongTypesAreNamed) {
  EXPECT_ERROR(parse("title = 3"), "a.toml: title: found 3", "text in quotes");
  EXPECT_ERROR(parse("seeds = 2.5"), "a.toml: seeds: found 2.5", "whole number");
  EXPECT_ERROR(parse("seeds = [1, \"x\"]"), "a.toml: seeds", "whole number");
  EXPECT_ERROR(parse("seeds = 0"), "a.toml: seeds: found 0");
  EXPECT_ERROR(parse("pool = \"a\""), "pool", "list of texts");
  EXPECT_ERROR(parse("plot = 1"), "plot", "wanted a table");
  EXPECT_ERROR(parse("[plot]\nlog = 1"), "log: found 1", "true or false");
  EXPECT_ERROR(parse("grid = [1]"), "grid", "wanted a table");
  EXPECT_ERROR(parse("[grid]\na = 1"), "grid: a: found 1", "list of values");
  EXPECT_ERROR(parse("[grid]\na = []"), "grid: a: found []", "list of values");
  EXPECT_ERROR(parse("[grid]\na = [{b = 1}]"), "grid: a", "found a table");
  EXPECT_ERROR(parse("[member]\nname = \"a\""), "wanted [[member]]");
  EXPECT_ERROR(parse("member = [1]"), "member 1", "wanted a table");
  EXPECT_ERROR(parse("[[member]]\nset = []"), "member 1", "no name");
  EXPECT_ERROR(parse("[[member]]\nname = \"a\"\nset = [1]"), "member 1: set", "list of texts");
  EXPECT_ERROR(parse("title = "), "lists/a.toml:1:", "TOML");
}

// The files that the project carries.
TEST(SpecFile, TheCarriedSweepsHaveTheirMembers) {
  const auto members = [](const char* file) {
    const fs::path path = fs::path(SPIKENM_SOURCE_DIR) / "configs" / file;
    Spec spec = parse_spec(read_file(path), path);
    expand(spec);
    EXPECT_TRUE(fs::exists(spec.base)) << spec.base;
    EXPECT_TRUE(spec.published.empty() || fs::exists(spec.published)) << spec.published;
    return spec.members.size();
  };
  EXPECT_EQ(members("ablations/temperature.toml"), 14u);        // A to N
  EXPECT_EQ(members("ablations/search_epochs.toml"), 14u);      // 13 and dense
  EXPECT_EQ(members("ablations/lambda_eid.toml"), 11u);         // 10 and dense
  EXPECT_EQ(members("ablations/eid_target.toml"), 15u);         // 2 tau_q and uniform, 5 masks
  EXPECT_EQ(members("studies/short_masks.toml"), 1 + 2 * 17u);  // dense, and 17 at two patterns
  EXPECT_EQ(members("studies/held_masks.toml"), 1 + 2 * 5u);
  EXPECT_EQ(members("studies/held_settings.toml"), 2 * 9u);
  EXPECT_EQ(members("studies/controls.toml"), 2 * 13u);
  EXPECT_EQ(members("studies/other_methods.toml"), 1 + 2 + 2 * 6u);
  EXPECT_EQ(members("studies/table_a.toml"), 1 + 2 * 8u);
  EXPECT_EQ(members("studies/table_b.toml"), 7u);
  EXPECT_EQ(members("studies/table_c.toml"), 1 + 3 * 3u);
  EXPECT_EQ(members("studies/table_d.toml"), 2 * 17u);
  EXPECT_EQ(members("studies/table_d_draws.toml"), 1 + 5u);  // top-n, and five draws
  EXPECT_EQ(members("studies/default_settings.toml"), 2 * 6u);
  EXPECT_EQ(members("studies/table_e.toml"), 1 + 3 * 3 + 3u);  // three with neurons
  EXPECT_EQ(members("studies/table_f_lambda.toml"), 2 * 7u);
  EXPECT_EQ(members("studies/table_f_search.toml"), 4 * 7u);
  EXPECT_EQ(members("studies/table_g.toml"), 1 + 2 * 3u);
  EXPECT_EQ(members("studies/table_share.toml"), 2 * 8u);
  EXPECT_EQ(members("studies/table_taps.toml"), 3 * 6u);
}

}  // namespace
}  // namespace spikenm::sweep
