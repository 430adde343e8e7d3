#include "spikenm/sweep/outcome.h"

#include "spikenm/core/file.h"
#include "spikenm/report/csv.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace spikenm::sweep {
namespace {

MemberRun make_run(size_t member, int64_t seed, double lambda, double accuracy) {
  MemberRun run{.member = member, .seed = seed, .run = {}};
  run.run.folder = "x";
  run.run.config = {{"seed", seed}, {"method", {{"name", "spikenm"}, {"lambda", lambda}}}};
  run.run.result = {{"method", "spikenm"},
                    {"seed", seed},
                    {"test_accuracy", accuracy},
                    {"nm_valid", true},
                    {"weight_pct", 50.5}};
  return run;
}

Member listed(const char* name, bool in_grid) {
  Member member;
  member.name = name;
  member.in_grid = in_grid;
  return member;
}

// dense, lambda=0 and lambda=5; two seeds of the last.
struct Example {
  Example() {
    spec.title = "T";
    spec.grid = {{"method.lambda", {"5", "0"}}};
    spec.members = {listed("dense", false)};
    spec.plot.reference = "dense";
    expand(spec);
    runs = {make_run(0, 0, 1, 90), make_run(1, 0, 5, 80), make_run(1, 1, 5, 82),
            make_run(2, 0, 0, 70)};
    runs[0].run.config["method"].erase("lambda");
  }
  Spec spec;
  std::vector<MemberRun> runs;
};

TEST(Outcome, ResultsHaveARowARun) {
  Example e;
  e.runs[1].run.result["versions"] = {{"build", "4f2a"}};
  const report::Csv found = report::parse_csv(results_csv(e.spec, e.runs), "results");
  const size_t hash = found.column("config_md5");
  std::vector<std::string> lines, hashes;
  for (report::Csv::Row row : found.rows) {
    hashes.push_back(row.cells[hash]);
    row.cells.erase(row.cells.begin() + static_cast<std::ptrdiff_t>(hash));
    lines.push_back(report::csv_line(row.cells));
  }
  EXPECT_EQ(found.header, (std::vector<std::string>{"member", "seed", "method.lambda", "config_md5",
                                                    "build", "test_accuracy", "weight_pct"}));
  EXPECT_EQ(lines,
            (std::vector<std::string>{"dense,0,,,90,50.5\n", "lambda=5,0,5.0,4f2a,80,50.5\n",
                                      "lambda=5,1,5.0,,82,50.5\n", "lambda=0,0,0.0,,70,50.5\n"}));
  // Seeds of one member share their hash, members do not.
  EXPECT_EQ(hashes[0].size(), 12u);
  EXPECT_EQ(hashes[1], hashes[2]);
  EXPECT_NE(hashes[0], hashes[1]);
  EXPECT_NE(hashes[1], hashes[3]);
}

TEST(Outcome, SummaryHasMeanAndSpreadAGroup) {
  const Example e;
  EXPECT_EQ(summary_csv(e.spec, e.runs),
            "member,method.lambda,n,test_accuracy,test_accuracy_spread,weight_pct,"
            "weight_pct_spread\n"
            "dense,,1,90,,50.5,\n"
            "lambda=5,5.0,2,81,1.4142135623730951,50.5,0\n"
            "lambda=0,0.0,1,70,,50.5,\n");
}

TEST(Outcome, TableComparesWithTheReferenceAndThePublished) {
  const Example e;
  EXPECT_EQ(summary_table(e.spec, e.runs, {{"lambda=5", 83.9}}),
            "member      test acc %  best val %  Δ dense  weight %  conn %  SOPs M  runs  pub"
            "lished %\n"
            "--------------------------------------------------------------------------------"
            "--------\n"
            "dense            90.00                +0.00     50.50                     1\n"
            "lambda=5  81.00 ± 1.41                -9.00     50.50                     2     "
            "   83.90\n"
            "lambda=0         70.00               -20.00     50.50                     1\n");
}

TEST(Outcome, PlotDrawsACurveOverXAndTheReference) {
  const Example e;
  const report::Plot plot = make_plot(e.spec, e.runs, {});
  EXPECT_EQ(plot.title, "T");
  EXPECT_EQ(plot.x_label, "method.lambda");
  ASSERT_EQ(plot.series.size(), 1u);
  ASSERT_EQ(plot.series[0].values.size(), 2u);
  EXPECT_EQ(plot.series[0].values[0].x, 0);  // by rising x, not as listed
  EXPECT_EQ(plot.series[0].values[0].y, 70);
  EXPECT_FALSE(plot.series[0].values[0].spread);
  EXPECT_EQ(plot.series[0].values[1].x, 5);
  EXPECT_EQ(plot.series[0].values[1].y, 81);
  EXPECT_NEAR(plot.series[0].values[1].spread.value(), 1.4142135623730951, 1e-12);
  ASSERT_EQ(plot.references.size(), 1u);
  EXPECT_EQ(plot.references[0].y, 90);
}

TEST(Outcome, PlotDrawsTheNumberThatIsAskedFor) {
  Example e;
  e.spec.plot.y = "weight_pct";
  const report::Plot plot = make_plot(e.spec, e.runs, {{"lambda=5", 82.4}});
  EXPECT_EQ(plot.y_label, "weight %");
  ASSERT_EQ(plot.series.size(), 1u) << "published figures are accuracies";
  EXPECT_EQ(plot.series[0].values[0].y, 50.5);
  EXPECT_EQ(plot.references.at(0).y, 50.5);
  e.spec.plot.y = "weight";
  EXPECT_ERROR(make_plot(e.spec, e.runs, {}), "plot.y", "'weight'", "nearest is weight_pct");
}

TEST(Outcome, AnyNumberMayStandAlongX) {
  Example e;
  e.spec.members = {listed("dense", false), listed("held", true)};
  e.spec.plot.x = "weight_pct";
  expand(e.spec);
  e.runs[3].run.result["weight_pct"] = 12.5;
  e.runs[2].run.result["weight_pct"] = 51.5;
  const report::Plot plot = make_plot(e.spec, e.runs, {});
  EXPECT_EQ(plot.x_label, "weight %");
  EXPECT_TRUE(plot.names.empty());
  ASSERT_EQ(plot.series.size(), 1u) << "the reference is a line of its own";
  EXPECT_EQ(plot.series[0].name, "held");
  ASSERT_EQ(plot.series[0].values.size(), 2u);
  EXPECT_EQ(plot.series[0].values[0].x, 12.5);
  EXPECT_EQ(plot.series[0].values[0].y, 70);
  EXPECT_EQ(plot.series[0].values[1].x, 51);
  EXPECT_TRUE(plot.series[0].values[1].x_spread);
  e.spec.plot.x = "sops_m";
  EXPECT_ERROR(make_plot(e.spec, e.runs, {}), "plot.x", "'sops_m'", "weight_pct");
}

TEST(Outcome, ANumberOfAMethodsOwnMayStandAlongX) {
  Example e;
  e.spec.members = {listed("held", true)};
  e.spec.plot.reference = "";
  e.spec.plot.x = "empty_rows";
  expand(e.spec);
  e.runs.erase(e.runs.begin());
  for (size_t i = 0; i < e.runs.size(); ++i) {
    e.runs[i].member = i == 2 ? 1 : 0;
    e.runs[i].run.result["empty_rows"] = 3 + i;
  }
  const report::Plot plot = make_plot(e.spec, e.runs, {});
  EXPECT_EQ(plot.x_label, "empty_rows");
  ASSERT_EQ(plot.series.size(), 1u);
  EXPECT_EQ(plot.series[0].values.at(0).x, 3.5);
  EXPECT_EQ(plot.series[0].values.at(1).x, 5);
}

TEST(Outcome, PublishedAccuraciesStandAtThePlacesOfOurs) {
  Spec spec;
  spec.members = {listed("A", true), listed("B", true)};
  spec.plot.x = "weight_pct";
  expand(spec);
  std::vector<MemberRun> runs{make_run(0, 0, 1, 80), make_run(1, 0, 1, 81)};
  runs[1].run.result["weight_pct"] = 25;
  const report::Plot plot = make_plot(spec, runs, {{"B", 82.4}, {"C", 1}});
  ASSERT_EQ(plot.series.size(), 3u);
  EXPECT_EQ(plot.series[2].name, "published");
  EXPECT_EQ(plot.series[2].style, report::Series::Style::kPoints) << "no line joins them";
  ASSERT_EQ(plot.series[2].values.size(), 1u);
  EXPECT_EQ(plot.series[2].values[0].x, 25);
  EXPECT_EQ(plot.series[2].values[0].y, 82.4);
}

TEST(Outcome, PlotByNameHasThePublishedBesideOurs) {
  Spec spec;
  spec.members = {listed("A", true), listed("B", true)};
  expand(spec);
  const report::Plot plot =
      make_plot(spec, {make_run(0, 0, 1, 80), make_run(1, 0, 1, 81)}, {{"B", 82.4}});
  EXPECT_EQ(plot.names, (std::vector<std::string>{"A", "B"}));
  ASSERT_EQ(plot.series.size(), 2u);
  EXPECT_EQ(plot.series[0].name, "ours");
  EXPECT_EQ(plot.series[0].values.size(), 2u);
  EXPECT_EQ(plot.series[1].name, "published");
  ASSERT_EQ(plot.series[1].values.size(), 1u);
  EXPECT_EQ(plot.series[1].values[0].x, 1);
  EXPECT_EQ(plot.series[1].values[0].y, 82.4);
}

TEST(Outcome, PooledMembersAreOneRowAndOnePoint) {
  Spec spec;
  spec.grid = {{"m.target", {"credit", "uniform"}}, {"m.draw", {"0", "1"}}};
  spec.pool = {"m.draw"};
  spec.plot.x = "m.target";
  expand(spec);
  const std::vector<MemberRun> runs{make_run(0, 0, 1, 80), make_run(1, 0, 1, 84),
                                    make_run(2, 0, 1, 70), make_run(3, 0, 1, 70)};
  EXPECT_EQ(summary_csv(spec, runs),
            "member,m.target,n,test_accuracy,test_accuracy_spread,weight_pct,weight_pct_spread\n"
            "target=credit,,2,82,2.8284271247461903,50.5,0\n"
            "target=uniform,,2,70,0,50.5,0\n");
  const report::Plot plot = make_plot(spec, runs, {});
  EXPECT_EQ(plot.names, (std::vector<std::string>{"credit", "uniform"}));
  ASSERT_EQ(plot.series.size(), 1u);
  EXPECT_EQ(plot.series[0].values[0].y, 82);
}

TEST(Outcome, PublishedFileIsMembersAndAccuracies) {
  const test::TempDir dir;
  Spec spec;
  EXPECT_TRUE(read_published(spec).empty());
  spec.published = dir / "p.csv";
  write_file_atomically(spec.published, "config,tau,acc\nA,1,82.4\nB,2,83.9\n");
  EXPECT_EQ(read_published(spec), (std::map<std::string, double>{{"A", 82.4}, {"B", 83.9}}));
  write_file_atomically(spec.published, "config,tau,acc\nA,1,high\n");
  EXPECT_ERROR(read_published(spec), "p.csv:2: acc", "'high'");
  write_file_atomically(spec.published, "config,tau\nA,1\n");
  EXPECT_ERROR(read_published(spec), "p.csv", "no column 'acc'");
}

}  // namespace
}  // namespace spikenm::sweep
