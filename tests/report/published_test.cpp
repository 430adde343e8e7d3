#include "spikenm/report/published.h"

#include "spikenm/core/file.h"
#include "support/expect_error.h"

namespace spikenm::report {
namespace {

const std::string kHeader =
    "dataset,method,nm,granularity,model,acc,delta,sops_M,weight_pct,conn_pct,flag\n";

std::vector<PublishedRow> carried() {
  const std::string path = SPIKENM_SOURCE_DIR "/configs/published/results.csv";
  return parse_published(read_file(path), path);
}

// Of the paper's networks, what their configs say.
void set_network(PublishedRow& row) {
  if (row.model == "6conv2fc") {
    row.T = 8;
    row.network = {"T=8", "width=256", "fc=2048", "fc_norm=false", "voters=10"};
  } else if (row.model == "sew_resnet18") {
    row.T = 4;
    row.network = {"T=4", "width=64", "stem=cifar", "block_neuron=if", "voters=1"};
  } else {
    row.T = 10;
    row.network = {"T=10", "width=64", "voters=10"};
  }
}

PublishedRow wanted(const char* dataset, const char* method, const char* pattern, const char* model,
                    const char* granularity = "weight") {
  PublishedRow row;
  row.dataset = dataset;
  row.method = method;
  row.pattern = pattern;
  row.model = model;
  row.granularity = granularity;
  set_network(row);
  return row;
}

TEST(Published, RowsOfTheCarriedFileAreFoundByOurNames) {
  const std::vector<PublishedRow> rows = carried();
  const auto found = find_published(rows, wanted("cifar10", "spikenm", "2:4", "6conv2fc"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->accuracy, 93.64);
  EXPECT_EQ(found->weight_pct, 43.27);
  EXPECT_EQ(found->conn_pct, 43.28);
  EXPECT_EQ(found->sops_m, 348.3);
  EXPECT_EQ(found->flag, "");
  const auto flagged = find_published(rows, wanted("cifar100", "spikenm", "2:8", "sew_resnet18"));
  ASSERT_TRUE(flagged);
  EXPECT_EQ(flagged->accuracy, 73.35);
  EXPECT_EQ(flagged->flag, "sops_suspect");
  const auto neurons =
      find_published(rows, wanted("cifar10-dvs", "spikenm", "2:16", "vggsnn", "weight+neuron"));
  ASSERT_TRUE(neurons);
  EXPECT_EQ(neurons->accuracy, 80.9);
  EXPECT_EQ(neurons->conn_pct, 1.39);
  EXPECT_FALSE(neurons->sops_m);
}

TEST(Published, DenseIsWhatTheRowsImply) {
  const std::vector<PublishedRow> rows = carried();
  const auto dense = [&](const char* dataset, const char* model) {
    return find_published(rows, wanted(dataset, "dense", "-", model)).value().accuracy.value();
  };
  EXPECT_NEAR(dense("cifar10", "6conv2fc"), 92.84, 1e-9);
  EXPECT_NEAR(dense("cifar100", "sew_resnet18"), 74.16, 1e-9);
  EXPECT_NEAR(dense("cifar10-dvs", "vggsnn"), 82.4, 1e-9);
  EXPECT_NEAR(dense("dvs-gesture", "vgg13"), 95.40, 1e-9);
}

TEST(Published, OtherThingsAreNotFound) {
  const std::vector<PublishedRow> rows = carried();
  EXPECT_FALSE(find_published(rows, wanted("cifar10", "spikenm", "2:16", "6conv2fc")));
  EXPECT_FALSE(find_published(rows, wanted("cifar10", "spikenm", "24", "6conv2fc")));
  EXPECT_FALSE(find_published(rows, wanted("cifar10", "random", "2:4", "6conv2fc")));
  EXPECT_FALSE(find_published(rows, wanted("cifar10", "spikenm", "2:4", "vggsnn")));
  EXPECT_FALSE(find_published(rows, wanted("moving-shapes", "dense", "-", "small_conv")));
  EXPECT_FALSE(
      find_published(rows, wanted("cifar10", "spikenm", "2:4", "6conv2fc", "weight+neuron")));
}

TEST(Published, FiguresAreForTheirNetworkAndTimeStepsAlone) {
  const std::vector<PublishedRow> rows = carried();
  for (const char* method : {"spikenm", "dense"}) {
    const PublishedRow paper =
        wanted("cifar10", method, std::string_view(method) == "dense" ? "-" : "2:4", "6conv2fc");
    EXPECT_TRUE(find_published(rows, paper));
    PublishedRow narrow = paper, short_run = paper, unknown = paper;
    narrow.network[1] = "width=96";
    EXPECT_FALSE(find_published(rows, narrow)) << method;
    short_run.T = 4;
    EXPECT_FALSE(find_published(rows, short_run)) << method;
    unknown.T = std::nullopt;
    EXPECT_FALSE(find_published(rows, unknown)) << method;
    unknown = paper;
    unknown.network.clear();
    EXPECT_FALSE(find_published(rows, unknown)) << method;
  }
}

TEST(Published, AFileWithoutNetworksIsForAllOfThatName) {
  const auto rows = parse_published(kHeader + "d,m,2:4,weight,v,90,1,,,,\n", "p.csv");
  EXPECT_TRUE(find_published(rows, wanted("d", "m", "2:4", "v")));
  EXPECT_ERROR(parse_published("T," + kHeader + "eight,d,m,2:4,weight,v,90,1,,,,\n", "p.csv"),
               "p.csv:2: T: found 'eight', wanted a number");
}

// As result.json has it: the rule in the place of the pattern, and our names of methods.
TEST(Published, MethodsWithoutBlocksAreFoundByTheirRule) {
  const auto accuracy = [](const char* method, const char* model, const char* rule,
                           const char* granularity, double conn) {
    PublishedRow row = wanted("cifar10", method, rule, model, granularity);
    if (row.model == "resnet19") row.T = 2, row.network = {"T=2", "width=64"};
    row.conn_pct = conn;
    const auto found = find_published(carried(), row);
    return found ? found->accuracy.value() : 0;
  };
  EXPECT_EQ(accuracy("upr", "6conv2fc", "unstructured", "weight+neuron", 3), 92.63);
  EXPECT_EQ(accuracy("grad-r", "6conv2fc", "unstructured", "weight", 36), 92.54);
  EXPECT_EQ(accuracy("esl", "resnet19", "unstructured", "weight", 50), 91.09);
  PublishedRow slim = wanted("dvs-gesture", "nsl", "channel", "vgg13", "channel");
  slim.weight_pct = 70;
  EXPECT_EQ(find_published(carried(), slim).value().accuracy, 94.79);
}

TEST(Published, OfSeveralDensitiesTheNearestIsTaken) {
  const auto stds = [](std::optional<double> conn, std::optional<double> weight) {
    PublishedRow row = wanted("cifar10-dvs", "stds", "unstructured", "vggsnn");
    row.conn_pct = conn;
    row.weight_pct = weight;
    const auto found = find_published(carried(), row);
    return found ? found->accuracy.value() : 0;
  };
  EXPECT_EQ(stds(21, 50), 81.7);
  EXPECT_EQ(stds(11, 50), 81.1);
  EXPECT_EQ(stds(4, 50), 79.8);
  EXPECT_EQ(stds(50, 4.67), 0);  // more than half as dense again as any row
  EXPECT_EQ(stds(1, 21), 0);
  EXPECT_EQ(stds(std::nullopt, std::nullopt), 81.7);  // the first, where nothing is known
  PublishedRow weights = wanted("cifar10-dvs", "upr", "unstructured", "vggsnn");
  weights.conn_pct = 26;
  EXPECT_EQ(find_published(carried(), weights).value().accuracy, 80.0);  // UPR*
}

TEST(Published, AModelOfAnotherNameMayStandForThePublishedOne) {
  PublishedRow row = wanted("cifar10-dvs", "sca", "channel", "vgg", "channel");
  row.network = {"name=vgg", "T=10", "layers=64-A-128-A-128-A-256-A-256-A"};
  row.conn_pct = 7;
  EXPECT_EQ(find_published(carried(), row).value().accuracy, 71.9);
  row.network.back() = "layers=64-A";
  EXPECT_FALSE(find_published(carried(), row));
}

TEST(Published, EveryCarriedRowSaysWhereItComesFrom) {
  for (const PublishedRow& row : carried()) {
    EXPECT_TRUE(row.table == "1" || row.table == "2") << row.line;
    EXPECT_TRUE(row.source == "paper" || row.source == "copied") << row.line;
    EXPECT_FALSE(row.recipe.empty() || row.category.empty() || row.network.empty()) << row.line;
  }
}

TEST(Published, BrokenFilesAreNamed) {
  for (const char* text : {"dataset,method\na,b\n", "dataset,method\n"})
    EXPECT_ERROR(parse_published(text, "p.csv"),
                 "p.csv: found the columns dataset, method, wanted at least dataset, method, nm, "
                 "granularity, model, acc, delta, sops_M, weight_pct, conn_pct, flag");
  for (const char* cell : {"x", "1e999", "nan", "inf", "1 ", "1,0"}) {
    const std::string text = kHeader + "d,m,2:4,weight,v,\"" + cell + "\",1,,,,\n";
    EXPECT_ERROR(parse_published(text, "p.csv"), "p.csv:2: acc", cell, "wanted a number");
  }
  EXPECT_ERROR(parse_published(kHeader + "a,b\n", "p.csv"), "p.csv:2", "2 cells, wanted 11");
}

}  // namespace
}  // namespace spikenm::report
