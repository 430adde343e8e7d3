// The recipes we ship hold the paper's values, or what was decided where the paper has none.
#include "spikenm/core/config.h"
#include "spikenm/core/toml.h"
#include "spikenm/report/published.h"
#include "support/cli.h"
#include "support/small_sets.h"

#include <fmt/format.h>

#include <map>
#include <regex>

namespace spikenm::test {
namespace {

namespace fs = std::filesystem;

const fs::path kConfigs = fs::path(SPIKENM_SOURCE_DIR) / "configs";

// UPR's neuron: input scaled by 1/tau, hard reset to 0 in the same step, detached.
const char* const kNeuron = R"(
[neuron]
name = "lif"
tau = 2.0
threshold = 1.0
reset = "hard"
v_reset = 0.0
decay_input = true
detach_reset = true
surrogate = "atan"
alpha = 2.0
)";

// docs/options.md, preset `paper`.
const char* const kMethod = R"(
[method]
name = "spikenm"
preset = "paper"
draws = "at-most"
or_grad = "literal"
axis = "flat"
layers = ["*"]
first_layer = "as-others"
last_layer = "as-others"
redraw_every = 1
noise = [1.0]
prior_kappa = 0.0
weight_grad = "masked"
credit = "temporal"
credit_scale = "block-mean"
tau_q = 1.0
eid_target = "credit"
lambda_eid = 5.0
eid_reduce = "mean"
tau_max = 1.0
tau_min = 0.1
logit_std = 0.01
logit_eps = 1e-8
freeze = "last"
share = 1
)";

const char* const kCifar10 = R"(
[data]
augment = ["crop:4", "flip"]
mean = [0.4914, 0.4822, 0.4465]
std = [0.2023, 0.1994, 0.2010]
[model]
name = "6conv2fc"
T = 8
width = 256
fc = 2048
fc_norm = false
voters = 10
[train]
epochs = 1000
search_epochs = 300
batch_size = 16
optimizer = "adam"
beta1 = 0.9
beta2 = 0.999
weight_decay = 0.0
schedule = "constant"
lr = 1e-4
finetune_lr = 1e-4
loss = "mse"
phases = ["search", "prune", "finetune"]
)";

const char* const kCifar100 = R"(
[data]
mean = [0.5071, 0.4867, 0.4408]
std = [0.2675, 0.2565, 0.2761]
[model]
name = "sew_resnet18"
T = 4
width = 64
stem = "cifar"
block_neuron = "if"
voters = 1
[train]
epochs = 320
search_epochs = 100
batch_size = 64
optimizer = "adam"
weight_decay = 0.0
schedule = "two-cosines"
lr = 1e-3
finetune_lr = 1e-4
loss = "ce"
)";

// Of CIFAR10-DVS and DVS-Gesture.
const char* const kEvents = R"(
[data]
resize = 48
[model]
T = 10
width = 64
voters = 10
[train]
epochs = 320
search_epochs = 100
batch_size = 64
optimizer = "sgd"
momentum = 0.9
nesterov = true
weight_decay = 0.0
schedule = "two-cosines"
lr = 0.025
finetune_lr = 0.0025
loss = "tet"
)";

struct Recipe {
  const char* config;
  std::vector<std::string> values;      // in TOML
  double published;                     // accuracy in %
  std::optional<double> conn_pct = {};  // of the row, where there are several
  bool upr_neuron = true;
};

const char* const kVggsnn = "model.name = 'vggsnn'\n";
const char* const kVgg13 =
    "model.name = 'vgg13'\ndata.augment = ['roll:5|rotate:30|cutout']\n";  // no flip
const char* const kSlow = "method.logit_lr = 1e-4\n";
const char* const kFast = "method.logit_lr = 1e-3\n";
const char* const k2x4 = "method.pattern = '2:4'\n";
const char* const k2x8 = "method.pattern = '2:8'\n";
const char* const k2x16 = "method.pattern = '2:16'\n";
const char* const kDense = "method.name = 'dense'\n";

std::string neurons(const char* target) {
  return std::string("method.granularity = 'weight+neuron'\nmethod.target_conn = ") + target;
}

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all{
      {"cifar10/dense", {kCifar10, kDense}, 92.84},
      {"cifar10/spikenm_2x4", {kCifar10, kMethod, k2x4, kSlow}, 93.64},
      {"cifar10/spikenm_2x8", {kCifar10, kMethod, k2x8, kSlow}, 92.92},
      {"cifar100/dense", {kCifar100, kDense}, 74.16},
      {"cifar100/spikenm_2x4", {kCifar100, kMethod, k2x4, kFast}, 73.92},
      {"cifar100/spikenm_2x8", {kCifar100, kMethod, k2x8, kFast}, 73.35},
      {"cifar10_dvs/dense", {kEvents, kVggsnn, kDense}, 82.4},
      {"cifar10_dvs/spikenm_2x4", {kEvents, kVggsnn, kMethod, k2x4, kFast}, 83.9},
      {"cifar10_dvs/spikenm_2x8", {kEvents, kVggsnn, kMethod, k2x8, kFast}, 83.2},
      {"cifar10_dvs/spikenm_2x16", {kEvents, kVggsnn, kMethod, k2x16, kFast}, 82.3},
      {"cifar10_dvs/spikenm_2x4_neuron",
       {kEvents, kVggsnn, kMethod, k2x4, kFast, neurons("0.0693")},
       82.5},
      {"cifar10_dvs/spikenm_2x8_neuron",
       {kEvents, kVggsnn, kMethod, k2x8, kFast, neurons("0.0466")},
       81.7},
      {"cifar10_dvs/spikenm_2x16_neuron",
       {kEvents, kVggsnn, kMethod, k2x16, kFast, neurons("0.0139")},
       80.9},
      {"dvs_gesture/dense", {kEvents, kVgg13, kDense}, 95.4},
      {"dvs_gesture/spikenm_2x4", {kEvents, kVgg13, kMethod, k2x4, kFast}, 95.73}};
  return all;
}

std::string method(const char* text) {
  return std::string("[method]\n") + text;
}

// Of other papers: their network, T, density and epochs.
const std::vector<Recipe>& other_methods() {
  const char* const slimming =
      "[train]\nepochs = 320\nsearch_epochs = 160\noptimizer = 'sgd'\nschedule = 'two-steps'\n"
      "milestones = [0.5, 0.75]\nlr = 0.1\nfinetune_lr = 0.1\n";
  const char* const evolving = "[train]\nepochs = 300\nsearch_epochs = 225\nloss = 'tet'\n";
  const char* const resnet = "[model]\nname = 'resnet19'\nT = 2\nwidth = 64\n";
  const char* const upr_events = "[train]\nepochs = 320\nsearch_epochs = 240\n";
  const char* const one_phase = "[train]\nepochs = 320\nsearch_epochs = 320\n";
  const auto esl = [](const char* share) {
    return method("name = 'esl'\ngrow = 'rigl'\ntarget_weight = ") + share;
  };
  const auto stds = [](const char* share) {
    return method("name = 'stds'\ntarget_weight = ") + share;
  };
  const auto upr = [](const char* share) {
    return method("name = 'upr'\nmask_beta_min = 5.0\nmask_beta_max = 1000.0\ntarget_weight = ") +
           share;
  };
  const auto nsl = [](const char* share) {
    return method("name = 'nsl'\npenalty = 1e-4\nchannels = ") + share;
  };
  const char* const integrate =
      "[neuron]\nname = 'if'\nsurrogate = 'sigmoid'\n[train]\nepochs = 400\nsearch_epochs = 300";
  const auto sca = [](const char* share, const char* regrow) {
    return method("name = 'sca'\nchannels = ") + share + "\nregrow = " + regrow;
  };
  static const std::vector<Recipe> all{
      {"methods/cifar10_nsl",
       {nsl("0.76"), slimming, "[model]\nname = 'vggsnn'\nT = 4\nwidth = 64"},
       91.22},
      {"methods/cifar10_sca",
       {sca("0.75", "0.2"), method("penalty = 3e-5"), integrate,
        "[train]\noptimizer = 'sgd'\nschedule = 'step'\nlr = 0.01",
        "[model]\nname = 'vggsnn'\nT = 4\nwidth = 64"},
       91.14,
       std::nullopt,
       false},
      {"methods/cifar10_grad_r",
       {method("name = 'grad-r'\nsparsity = 0.6328\nalpha = 1e-3"),
        "[train]\nepochs = 2048\nsearch_epochs = 2048\nbatch_size = 16\nlr = 1e-4"},
       92.54},
      {"methods/cifar10_esl", {esl("0.5"), evolving, resnet}, 91.09},
      {"methods/cifar10_upr",
       {upr("0.3424"), neurons("0.0297"), "[train]\nepochs = 1000\nsearch_epochs = 800"},
       92.63},
      {"methods/cifar100_nsl", {nsl("0.75"), slimming}, 66.40},
      {"methods/cifar100_esl", {esl("0.5"), evolving, resnet}, 73.48},
      {"methods/cifar100_upr",
       {upr("0.2935"), neurons("0.1176"), "[train]\nepochs = 320\nsearch_epochs = 280"},
       72.34},
      {"methods/cifar10_dvs_esl", {esl("0.1"), evolving, kVggsnn}, 78.30, 10},
      {"methods/cifar10_dvs_esl_36", {esl("0.3619"), evolving, kVggsnn}, 80.6, 36.19},
      {"methods/cifar10_dvs_esl_18", {esl("0.176"), evolving, kVggsnn}, 79.2, 17.60},
      {"methods/cifar10_dvs_esl_9", {esl("0.0851"), evolving, kVggsnn}, 77.5, 8.51},
      {"methods/cifar10_dvs_stds", {stds("0.2136"), one_phase, kVggsnn}, 81.70, 21.36},
      {"methods/cifar10_dvs_stds_10", {stds("0.1017"), one_phase, kVggsnn}, 81.1, 10.17},
      {"methods/cifar10_dvs_stds_5", {stds("0.0467"), one_phase, kVggsnn}, 79.8, 4.67},
      {"methods/cifar10_dvs_upr_weight", {upr("0.3665"), upr_events, kVggsnn}, 82.1, 36.65},
      {"methods/cifar10_dvs_upr_weight_31", {upr("0.3117"), upr_events, kVggsnn}, 81.6, 31.17},
      {"methods/cifar10_dvs_upr_weight_26", {upr("0.2588"), upr_events, kVggsnn}, 80.0, 25.88},
      {"methods/cifar10_dvs_upr",
       {upr("0.3635"), neurons("0.068"), upr_events, kVggsnn},
       81.90,
       6.80},
      {"methods/cifar10_dvs_upr_4",
       {upr("0.3117"), neurons("0.0446"), upr_events, kVggsnn},
       81.0,
       4.46},
      {"methods/cifar10_dvs_upr_1",
       {upr("0.2588"), neurons("0.0127"), upr_events, kVggsnn},
       79.0,
       1.27},
      {"methods/cifar100_sca",
       {sca("0.48", "0.2"), integrate, "[model]\nname = 'vggsnn'\nT = 4\nwidth = 64"},
       64.89,
       std::nullopt,
       false},
      {"methods/cifar10_dvs_sca", {sca("0.47", "0.2"), integrate}, 72.80, 21.73, false},
      {"methods/cifar10_dvs_sca_7", {sca("0.26", "0.2"), integrate}, 71.9, 6.95, false},
      {"methods/dvs_gesture_nsl", {nsl("0.85"), kVgg13, "train.search_epochs = 160"}, 94.79}};
  return all;
}

std::string test_name(const testing::TestParamInfo<Recipe>& info) {
  std::string name = info.param.config;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

class PaperRecipe : public Cli, public testing::WithParamInterface<Recipe> {
 protected:
  PaperRecipe() : path((kConfigs / GetParam().config).string() + ".toml") {}

  // Every key with its value, as `train` would write it; the batch is that of the file, which a
  // small copy of the set cannot fill.
  Json resolved() {
    Config file = Config::from_file(path);
    const SmallSet set(file.section("data").get("name", ""));
    const Outcome found =
        run({"train", "--config", path, "--dry-run", "data.root='" + set.root().string() + "'",
             "data.cache=off", "train.batch_size=1", "data.val_fraction=0"});
    EXPECT_EQ(found.code, 0) << found.err;
    Json config = parse_toml(found.out, path);
    config["train"]["batch_size"] = file.section("train").get_int("batch_size", 0, 0);
    return config;
  }

  std::string path;
};

std::map<std::string, Json> by_key(const Json& table) {
  const auto flat = flatten_tables(table);
  return {flat.begin(), flat.end()};
}

void expect_values(const Json& config, std::vector<std::string> wanted, bool upr_neuron) {
  const std::map<std::string, Json> found = by_key(config);
  if (upr_neuron) wanted.emplace_back(kNeuron);
  for (const std::string& text : wanted)
    for (const auto& [key, value] : by_key(parse_toml(text, "wanted"))) {
      ASSERT_TRUE(found.contains(key)) << key;
      EXPECT_EQ(found.at(key), value) << key;
    }
}

// What `spikenm table` would put beside a run of this config that ends at this density.
std::optional<report::PublishedRow> published_for(const Json& config,
                                                  std::optional<double> conn_pct) {
  const auto text = [&](const char* section, const char* key, const char* fallback) {
    return config.at(section).value(key, std::string(fallback));
  };
  report::PublishedRow wanted{.dataset = text("data", "name", ""),
                              .method = text("method", "name", ""),
                              .pattern = text("method", "pattern", "unstructured"),
                              .granularity = text("method", "granularity", "weight"),
                              .model = text("model", "name", ""),
                              .T = config.at("model").at("T").get<int64_t>()};
  wanted.conn_pct = conn_pct;
  if (wanted.method == "nsl" || wanted.method == "sca") wanted.granularity = "channel";
  for (const auto& [key, value] : by_key(config.at("model")))
    wanted.network.push_back(key + "=" +
                             (value.is_string() ? value.get<std::string>() : value.dump()));
  for (std::string& word : wanted.network) std::replace(word.begin(), word.end(), ' ', '-');
  const std::string file = (kConfigs / "published/results.csv").string();
  return report::find_published(report::parse_published(read_file(file), file), wanted);
}

TEST_P(PaperRecipe, HoldsTheValuesThatItsPublishedFigureIsFor) {
  const Json config = resolved();
  expect_values(config, GetParam().values, GetParam().upr_neuron);
  const auto found = published_for(config, GetParam().conn_pct);
  ASSERT_TRUE(found) << config.dump();
  EXPECT_NEAR(found->accuracy.value(), GetParam().published, 1e-9);
  // So says the file's first line.
  std::smatch said;
  const std::string text = read_file(path);
  ASSERT_TRUE(std::regex_search(text, said, std::regex("Published: ([0-9.]+) %")));
  EXPECT_DOUBLE_EQ(std::stod(said[1]), GetParam().published);
}

INSTANTIATE_TEST_SUITE_P(Recipes, PaperRecipe, testing::ValuesIn(recipes()), test_name);
INSTANTIATE_TEST_SUITE_P(OtherMethods, PaperRecipe, testing::ValuesIn(other_methods()), test_name);

TEST(PaperRecipes, EveryConfigOfThePapersTablesIsPinned) {
  std::set<std::string> pinned, shipped;
  for (const auto& list : {recipes(), other_methods()})
    for (const Recipe& recipe : list) pinned.insert(recipe.config);
  for (const char* folder : {"cifar10", "cifar100", "cifar10_dvs", "dvs_gesture", "methods"})
    for (const auto& entry : fs::directory_iterator(kConfigs / folder))
      if (entry.path().stem() != "base")
        shipped.insert((fs::path(folder) / entry.path().stem()).string());
  EXPECT_EQ(pinned, shipped);
}

// They extend the recipe of their name, and change its budget.
TEST(PaperRecipes, ShortOnesChangeTheBudgetAlone) {
  const std::map<std::string, std::string> budgets{
      {"cifar10",
       "epochs = 100\nsearch_epochs = 30\nbatch_size = 64\nschedule = 'two-cosines'\nlr = 1e-3\n"
       "finetune_lr = 1e-3\n"},
      {"cifar100", "epochs = 100\nsearch_epochs = 30\n"},
      {"cifar10_dvs", "epochs = 160\nsearch_epochs = 50\n"},
      {"dvs_gesture", "epochs = 160\nsearch_epochs = 50\n"}};
  for (const Recipe& recipe : recipes()) {
    const std::string folder = fs::path(recipe.config).parent_path().string();
    std::string wanted = fmt::format("extends = '../{}.toml'\ndevice = 'auto'\n[train]\n{}",
                                     recipe.config, budgets.at(folder));
    std::string name = recipe.config;
    std::replace(name.begin(), name.end(), '/', '_');
    if (name.starts_with("cifar10_spikenm")) wanted += "[method]\nlogit_lr = 1e-3\n";
    const std::string file = (kConfigs / "short" / name).string() + ".toml";
    EXPECT_EQ(by_key(parse_toml(read_file(file), file)), by_key(parse_toml(wanted, "wanted")))
        << name;
  }
  const fs::directory_iterator files(kConfigs / "short");
  EXPECT_EQ(static_cast<size_t>(std::distance(begin(files), end(files))), recipes().size());
}

}  // namespace
}  // namespace spikenm::test
