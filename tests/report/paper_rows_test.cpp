#include "spikenm/report/paper_rows.h"

#include "support/paper_runs.h"

#include <gtest/gtest.h>

namespace spikenm::report {
namespace {

using test::make_run;
using test::published_row;

TEST(PaperRows, RunsThatDifferInTheSeedAloneAreOneRow) {
  const auto rows = paper_rows(
      {make_run({.seed = 0}, 80), make_run({.seed = 1}, 82), make_run({.pattern = "2:8"}, 70)}, {});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].n, 2u);
  EXPECT_EQ(rows[0].accuracy->mean, 81);
  EXPECT_NEAR(*rows[0].accuracy->spread, 1.4142135623730951, 1e-12);  // sqrt((1 + 1) / 1)
  EXPECT_EQ(rows[0].accuracy_best_val->mean, 82);
  EXPECT_EQ(rows[1].n, 1u);
  EXPECT_EQ(rows[1].pattern, "2:8");
  EXPECT_FALSE(rows[1].accuracy->spread);
}

TEST(PaperRows, TimeStepsComeFromTheResultOrTheConfig) {
  report::Run run = make_run({}, 80);
  EXPECT_EQ(paper_rows({run}, {})[0].T, 8);
  run.result["T"] = 4;
  EXPECT_EQ(paper_rows({run}, {})[0].T, 4);
}

TEST(PaperRows, TheDifferenceIsToDenseRunsOfTheSameRecipe) {
  const auto rows = paper_rows({make_run({}, 80), make_run({.method = "dense", .pattern = "-"}, 84),
                                make_run({.method = "dense", .pattern = "-", .seed = 1}, 86),
                                make_run({.epochs = 20}, 83), make_run({.width = 8}, 60)},
                               {});
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].method, "dense");  // first of its dataset and model
  EXPECT_EQ(rows[0].delta, 0);
  EXPECT_EQ(rows[1].delta, -5);  // 80 - (84 + 86)/2
  EXPECT_EQ(rows[2].delta, std::nullopt);
  EXPECT_EQ(rows[3].delta, std::nullopt);
}

TEST(PaperRows, ADenseNetworkWithPrunedNeuronsIsNoBaseline) {
  report::Run pruned = make_run({.method = "dense", .pattern = "-"}, 70);
  pruned.config["method"]["granularity"] = "weight+neuron";
  pruned.result["granularity"] = "weight+neuron";
  const auto alone = paper_rows({pruned, make_run({}, 80)}, {published_row("")});
  ASSERT_EQ(alone.size(), 2u);
  EXPECT_EQ(alone[0].delta, std::nullopt);
  EXPECT_FALSE(alone[0].published);  // nor is the dense figure its own
  EXPECT_EQ(alone[1].delta, std::nullopt);

  report::Run dense = make_run({.method = "dense", .pattern = "-"}, 84);
  dense.result["granularity"] = "weight";
  const auto rows = paper_rows({pruned, dense, make_run({}, 80)}, {});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].delta, -14);
  EXPECT_EQ(rows[1].delta, 0);
  EXPECT_EQ(rows[2].delta, -4);
}

TEST(PaperRows, PublishedFiguresStandBesideTheirRow) {
  const auto rows = paper_rows({make_run({}, 80), make_run({.pattern = "2:8"}, 70),
                                make_run({.method = "dense", .pattern = "-"}, 84)},
                               {published_row("")});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_NEAR(rows[0].published.value().accuracy.value(), 92.84, 1e-9);
  EXPECT_EQ(rows[1].published.value().accuracy, 93.64);
  EXPECT_FALSE(rows[2].published);
}

TEST(PaperRows, DenseRunsOfAnotherRecipeAreNotPooled) {
  report::Run fast = make_run({.method = "dense", .pattern = "-"}, 70),
              large = make_run({.method = "dense", .pattern = "-"}, 60);
  fast.config["train"]["lr"] = 0.1;
  large.config["train"]["batch_size"] = 250;
  const auto rows = paper_rows(
      {make_run({}, 80), fast, make_run({.method = "dense", .pattern = "-"}, 84), large}, {});
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[3].method, "spikenm");
  EXPECT_EQ(rows[3].delta, -4);
  EXPECT_EQ(paper_rows({make_run({}, 80), fast}, {})[1].delta, std::nullopt);
}

TEST(PaperRows, AToyOfTheSameNameHasNoPublishedFigure) {
  const std::vector<PublishedRow> published{published_row("")};
  const auto figure = [&](const report::Run& run) {
    return paper_rows({run}, published).at(0).published.has_value();
  };
  EXPECT_TRUE(figure(make_run({}, 80)));
  EXPECT_FALSE(figure(make_run({.width = 96}, 80)));
  EXPECT_FALSE(figure(make_run({.method = "dense", .pattern = "-", .width = 96}, 80)));
  report::Run short_run = make_run({}, 80);
  short_run.config["model"]["T"] = 4;
  EXPECT_FALSE(figure(short_run));
  report::Run unknown = make_run({}, 80);
  unknown.config["model"].erase("width");
  EXPECT_FALSE(figure(unknown));
}

TEST(PaperRows, APartOfTheSetOrOfTheLayersHasNoPublishedFigure) {
  const std::vector<PublishedRow> published{published_row("")};
  report::Run run = make_run({}, 80);
  run.config["data"]["train_size"] = 0;  // all
  run.result["layer_patterns"] = {{"conv1", "2:4"}, {"conv2", "2:4"}};
  EXPECT_TRUE(paper_rows({run}, published)[0].published);
  report::Run part = run, first_dense = run;
  part.config["data"]["train_size"] = 1000;
  EXPECT_FALSE(paper_rows({part}, published)[0].published);
  first_dense.result["layer_patterns"]["conv1"] = "dense";
  EXPECT_FALSE(paper_rows({first_dense}, published)[0].published);
}

TEST(PaperRows, RowsOfTheSameNamesCarryWhatTellsThemApart) {
  report::Run strong = make_run({}, 81);
  strong.config["method"]["lambda_eid"] = 5;
  const auto rows = paper_rows(
      {make_run({}, 80), strong, make_run({.epochs = 20}, 82), make_run({.pattern = "2:8"}, 70)},
      {});
  ASSERT_EQ(rows.size(), 4u);
  using Texts = std::vector<std::string>;
  EXPECT_EQ(rows[0].difference.needed, (Texts{"method.lambda_eid=-", "train.epochs=10"}));
  EXPECT_EQ(rows[1].difference.needed, (Texts{"method.lambda_eid=5", "train.epochs=10"}));
  EXPECT_EQ(rows[2].difference.needed, (Texts{"method.lambda_eid=-", "train.epochs=20"}));
  EXPECT_EQ(rows[3].difference.needed, Texts{});  // its pattern does
}

}  // namespace
}  // namespace spikenm::report
