#include "spikenm/train/recipe.h"

#include "spikenm/core/parallel.h"
#include "spikenm/ops/stream.h"
#include "support/expect_error.h"

#include <gtest/gtest.h>
#include <map>

namespace spikenm::train {
namespace {

Config config_of(const std::vector<std::string>& overrides) {
  Config config;
  for (const char* small : {"model.width=4", "data.train_size=100", "data.test_size=20"})
    config.override_with(small);
  for (const std::string& assignment : overrides) config.override_with(assignment);
  return config;
}

Recipe read(const std::vector<std::string>& overrides) {
  return read_recipe(config_of(overrides));
}

TEST(Recipe, AnEmptyConfigIsAWholeOne) {
  const Recipe r = read_recipe(Config());
  EXPECT_EQ(r.model.data_name, "moving-shapes");
  EXPECT_EQ(r.model.model_name, "small_conv");
  EXPECT_EQ(r.model.method_name, "spikenm");
  EXPECT_EQ(r.model.dataset->info().frames, r.model.T);
  EXPECT_EQ(r.train.epochs, 10);
  EXPECT_EQ(r.train.search_epochs, 8);         // 7.5
  EXPECT_EQ(r.views->validation.size(), 400);  // a tenth of 4,000
}

TEST(Recipe, TheSearchTakesTheShareOfItsMethodUnlessTold) {
  const auto search_epochs = [](const std::string& method) {
    return read({"train.epochs=100", method}).train.search_epochs;
  };
  EXPECT_EQ(search_epochs("method.preset=default"), 75);
  EXPECT_EQ(search_epochs("method.preset=paper"), 30);
  EXPECT_EQ(search_epochs("method.granularity=weight+neuron"), 75);
  // Of those that other papers publish, two have one phase, and one searches half of the time.
  const std::map<std::string, int64_t> other_shares{{"grad-r", 100}, {"stds", 100}, {"nsl", 50}};
  for (const std::string& name : sparsity::methods().names()) {
    const auto other = other_shares.find(name);
    EXPECT_EQ(search_epochs("method.name=" + name),
              other == other_shares.end() ? 75 : other->second)
        << name;
  }
  EXPECT_EQ(read({"train.epochs=100", "method.preset=paper", "method.granularity=weight+neuron"})
                .train.search_epochs,
            30);
  EXPECT_EQ(read({"train.epochs=1"}).train.search_epochs, 0);
  EXPECT_EQ(read({"train.epochs=2"}).train.search_epochs, 1);  // one is left to finetune
  EXPECT_EQ(read({"train.epochs=5", "train.search_epochs=5"}).train.search_epochs, 5);
}

TEST(Recipe, TheResolvedConfigReadsBackToItself) {
  const Config config = config_of({"method.layer_pattern.\"conv*\"=2:8", "method.noise=[1, 0.5]",
                                   "train.optimizer=sgd", "train.schedule=step", "seed=5"});
  (void)read_recipe(config);
  const Config again = Config::from_text(config.resolved_toml(), "resolved");
  const Recipe r = read_recipe(again);
  EXPECT_EQ(again.resolved_toml(), config.resolved_toml());
  EXPECT_EQ(r.model.seed, 5u);
  EXPECT_EQ(r.model.method->pattern_text(), "2:8 2:4");
}

TEST(Recipe, ThreadsAreAppliedAsTheyAreRead) {
  const int before = threads();
  (void)read({"threads=1"});
  EXPECT_EQ(threads(), 1);
  (void)read({"threads=2"});
  EXPECT_EQ(threads(), 2);
  set_threads(before);
}

TEST(Recipe, ANetworkIsReadForAFrameWithoutItsData) {
  const Config config = Config::from_text(
      "[data]\nname = 'cifar10'\nroot = 'nowhere'\n[model]\nname = 'mlp'\n[train]\nepochs = 3",
      "test");
  const ModelRecipe r = read_model(config, {3, 5, 4}, 7);
  EXPECT_EQ(r.network->frame().width, 4);
  EXPECT_EQ(r.network->synapses().front().weight.size(1), 3 * 5 * 4);
  EXPECT_EQ(r.network->synapses().back().weight.size(0), 7);
  EXPECT_EQ(r.method->layers().size(), 2u);
  EXPECT_EQ(r.dataset, nullptr);
  EXPECT_ERROR(read_model(Config::from_text("[model]\nwidht = 3", "test"), {3, 8, 8}, 7),
               "model.widht", "model.width");
}

// A set that is not there.
const std::vector<std::string> kAbsent{"data.name=cifar10", "data.root=/no/such/folder",
                                       "data.augment=['flip']"};

Recipe read_absent(Purpose purpose, std::vector<std::string> more = {}) {
  Config config;
  config.override_with("model.width=4");
  more.insert(more.begin(), kAbsent.begin(), kAbsent.end());
  for (const std::string& assignment : more) config.override_with(assignment);
  return read_recipe(config, {.purpose = purpose});
}

TEST(Recipe, ADryRunNotesDataThatIsNotThereAndChecksTheRest) {
  EXPECT_ERROR(read_absent(Purpose::kTrain), "/no/such/folder");
  const Recipe r = read_absent(Purpose::kCheck);
  EXPECT_EQ(r.model.network->synapses().front().weight.size(1), 3);
  EXPECT_FALSE(r.views);
  ASSERT_EQ(r.notes.size(), 1u);
  EXPECT_NE(r.notes[0].find("/no/such/folder"), std::string::npos);
  EXPECT_ERROR(read_absent(Purpose::kCheck, {"data.lables=fine"}), "data.lables");
  EXPECT_ERROR(read_absent(Purpose::kCheck, {"data.name=cifar100", "data.labels=fin"}),
               "data.labels", "fin");
}

TEST(Recipe, ADryRunChecksDataThatIsThere) {
  const auto check = [](const std::string& assignment) {
    return read_recipe(config_of({assignment}), {.purpose = Purpose::kCheck});
  };
  EXPECT_TRUE(check("seed=1").notes.empty());
  EXPECT_ERROR(check("train.batch_size=91"), "train.batch_size", "91", "90");
}

TEST(Recipe, ADescriptionOpensNoData) {
  const Recipe r = read_absent(Purpose::kDescribe);
  EXPECT_TRUE(r.notes.empty());
  EXPECT_FALSE(r.views);
  EXPECT_EQ(r.model.dataset->size(data::Part::kTest), 0);
  EXPECT_EQ(r.model.dataset->info().classes, 10);
}

TEST(Recipe, ADryRunNeedsNoGpu) {
  if (ops::cuda_is_available()) GTEST_SKIP() << "has one";
  EXPECT_ERROR(read({"device=cuda"}), "device", "no GPU");
  for (const Purpose purpose : {Purpose::kCheck, Purpose::kDescribe}) {
    const Recipe r = read_absent(purpose, {"device=cuda", "precision=fp16", "data.augment_on=gpu"});
    EXPECT_TRUE(r.model.network->device().is_cpu());
    EXPECT_EQ(r.model.device.precision, "fp16");
    EXPECT_EQ(r.notes.size(), purpose == Purpose::kCheck ? 2u : 0u);
  }
}

TEST(Recipe, EvaluationNeedsNoTrainSplit) {
  const Recipe r = read_recipe(config_of({"train.batch_size=5000", "data.val_fraction=1"}),
                               {.purpose = Purpose::kEvaluate});
  EXPECT_FALSE(r.views);
  EXPECT_EQ(r.model.dataset->size(data::Part::kTest), 20);
}

TEST(Recipe, AnUnknownKeyIsRefusedWithTheNearest) {
  EXPECT_ERROR(read({"lr=0.1"}), "lr:", "nearest is train.lr");
  EXPECT_ERROR(read({"train.epoch=3"}), "train.epoch:", "train.epochs");
  EXPECT_ERROR(read({"methode.name=dense"}), "methode.name", "method.name");
  EXPECT_ERROR(read({"sead=3"}), "sead", "seed");
}

TEST(Recipe, AKeyThatThisRunDoesNotReadIsRefused) {
  EXPECT_ERROR(read({"method.name=dense", "method.pattern=2:4"}), "method.pattern");
  EXPECT_ERROR(read({"train.momentum=0.9"}), "train.momentum");  // Adam has none
  EXPECT_ERROR(read({"method.name=random", "method.lambda_eid=5"}), "method.lambda_eid");
}

TEST(Recipe, AKeyWithoutEffectIsRefusedWithItsCause) {
  struct Case {
    std::vector<std::string> overrides;
    const char *key, *cause;
  };
  const Case cases[] = {
      {{"method.preset=paper", "method.draws=exactly", "method.or_grad=soft"},
       "method.or_grad",
       "method.draws = \"exactly\""},
      {{"method.eid_target=uniform", "method.tau_q=2"},
       "method.tau_q",
       "method.eid_target = \"uniform\""},
      {{"method.lambda_eid=0", "method.credit=net"}, "method.credit", "method.lambda_eid = 0"},
      {{"method.auto_m=8"}, "method.auto_m", "method.pattern = \"2:4\""},
      {{"method.beta_max=100"}, "method.beta_max", "method.granularity = \"weight\""},
      {{"method.granularity=weight+neuron", "method.target_conn=0.4", "method.lambda_neuron=1"},
       "method.lambda_neuron",
       "method.target_conn = 0.4"},
      {{"method.name=rewire", "method.fraction=0", "method.every=3"},
       "method.every",
       "method.fraction = 0"},
      {{"neuron.reset=soft", "neuron.v_reset=0"}, "neuron.v_reset", "neuron.reset = \"soft\""},
      {{"neuron.name=if", "neuron.tau=2"}, "neuron.tau", "neuron.name = \"if\""},
      {{"neuron.name=if", "neuron.decay_input=true"}, "neuron.decay_input", "neuron.name = \"if\""},
      {{"train.momentum=0.9"}, "train.momentum", "train.optimizer = \"adam\""},
      {{"train.optimizer=sgd", "train.eps=1e-8"}, "train.eps", "train.optimizer = \"sgd\""},
      {{"train.optimizer=sgd", "train.momentum=0", "train.nesterov=true"},
       "train.nesterov",
       "train.momentum = 0"},
      {{"train.finetune_lr=1e-4"}, "train.finetune_lr", "train.schedule = \"cosine\""},
      {{"train.schedule=constant", "train.gamma=0.5"},
       "train.gamma",
       "train.schedule = \"constant\""},
      {{"train.schedule=constant", "train.finetune_lr=1e-4",
        "train.phases=[\"search\", \"prune\"]"},
       "train.finetune_lr",
       "train.phases = [\"search\",\"prune\"]"},
      {{"cuda_graphs=false"}, "cuda_graphs", "device = \"cpu\""},
  };
  for (const Case& c : cases)
    EXPECT_ERROR(read(c.overrides), c.key, ": has no effect with ", c.cause, "leave it out");
}

// Blocks of sew_resnet18 have neurons of a kind of their own: what [neuron] says may be the stem's
// alone, or nobody's.
TEST(Recipe, NeuronKeysAreJudgedByTheNeuronsOfTheNetwork) {
  const auto read_sew = [](const std::vector<std::string>& overrides) {
    std::vector<std::string> all{"model.name=sew_resnet18"};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return read(all);
  };
  EXPECT_NO_THROW(read_sew({"neuron.tau=3"}));
  EXPECT_NO_THROW(read_sew({"neuron.name=if", "neuron.tau=3", "model.block_neuron=lif"}));
  EXPECT_ERROR(read_sew({"neuron.name=if", "neuron.tau=3"}), "neuron.tau", "neuron.name = \"if\"");
  EXPECT_ERROR(read_sew({"model.stem=imagenet", "neuron.tau=3"}), "neuron.tau: has no effect",
               "model.name = \"sew_resnet18\"");
  EXPECT_ERROR(read_sew({"model.stem=imagenet", "neuron.name=lif"}), "neuron.name: has no effect");
  EXPECT_NO_THROW(read_sew({"model.stem=imagenet", "neuron.name=plif", "model.block_neuron=plif"}));
}

constexpr const char* kRecipe = R"(
[data]
train_size = 100
test_size = 20
[model]
width = 4
pool = "max"
[neuron]
tau = 3
[method]
preset = "paper"
pattern = "2:8"
credit_scale = "raw"
layer_pattern.fc1 = "2:4"
[train]
optimizer = "sgd"
momentum = 0.8
nesterov = true
schedule = "two-cosines"
lr = 0.1
finetune_lr = 0.01
)";

// What is said while the recipe is read with these overrides, and the config as it would be run.
std::pair<std::string, std::string> read_over_file(const std::vector<std::string>& overrides) {
  Config config = Config::from_text(kRecipe, "file");
  for (const std::string& assignment : overrides) config.override_with(assignment);
  testing::internal::CaptureStderr();
  try {
    (void)read_recipe(config);
  } catch (const Error&) {
    (void)testing::internal::GetCapturedStderr();
    throw;
  }
  return {testing::internal::GetCapturedStderr(), config.resolved_toml()};
}

TEST(Recipe, AnOverrideMaySwapWhatTheFileCarriesKeysFor) {
  const auto note = [](const std::string& keys, const std::string& cause) {
    return fmt::format("note: {} of the config file {} dropped: no effect with {}\n", keys,
                       keys.find(',') == std::string::npos ? "is" : "are", cause);
  };
  const std::string rate = "train.finetune_lr", moments = "train.momentum, train.nesterov";
  const std::pair<const char*, std::string> cases[] = {
      {"method.name=spikenm", ""},  // what it is anyway
      {"method.name=dense",
       note("method.preset, method.pattern, method.credit_scale, method.layer_pattern.fc1",
            "method.name = \"dense\"")},
      {"method.name=random",
       note("method.preset, method.credit_scale", "method.name = \"random\"")},
      {"method.lambda_eid=0", note("method.credit_scale", "method.lambda_eid = 0")},
      {"method.eid_target=uniform", note("method.credit_scale", "method.eid_target = \"uniform\"")},
      {"train.schedule=cosine", note(rate, "train.schedule = \"cosine\"")},
      {"train.schedule=constant", ""},
      {"train.optimizer=adamw", note(moments, "train.optimizer = \"adamw\"")},
      {"train.momentum=0", note("train.nesterov", "train.momentum = 0")},
      {"model.name=vggsnn", note("model.pool", "model.name = \"vggsnn\"")},
      {"neuron.name=if", note("neuron.tau", "neuron.name = \"if\"")},
  };
  for (const auto& [assignment, said] : cases) {
    SCOPED_TRACE(assignment);
    const auto [found, resolved] = read_over_file({assignment});
    EXPECT_EQ(found, said);
    // The run's own config reads back to itself and says nothing.
    const Config again = Config::from_text(resolved, "resolved");
    testing::internal::CaptureStderr();
    (void)read_recipe(again);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(again.resolved_toml(), resolved);
  }
  EXPECT_ERROR(read_over_file({"method.name=dense", "method.pattern=2:4"}), "method.pattern");
  EXPECT_ERROR(read_over_file({"train.schedule=cosine", "train.finetune_lr=0.1"}),
               "train.finetune_lr");
  EXPECT_ERROR(read_over_file({"method.name=dense", "train.epoch=3"}), "train.epoch");
}

TEST(Recipe, AWrongTypeIsRefused) {
  EXPECT_ERROR(read({"train.epochs=many"}), "train.epochs", "many", "whole number");
  EXPECT_ERROR(read({"train.epochs=2.5"}), "train.epochs", "2.5", "whole number");
  EXPECT_ERROR(read({"train.lr=fast"}), "train.lr", "fast");
  EXPECT_ERROR(read({"train.loss=3"}), "train.loss", "text");
  EXPECT_ERROR(read({"data.shuffle_time=1"}), "data.shuffle_time", "true or false");
}

TEST(Recipe, AnUnknownNameIsRefusedWithTheKnownOnes) {
  EXPECT_ERROR(read({"method.name=spikemn"}), "spikemn", "magnitude", "nearest: spikenm");
  EXPECT_ERROR(read({"model.name=resnet"}), "model 'resnet'", "small_conv");
  EXPECT_ERROR(read({"data.name=cifar11"}), "dataset 'cifar11'", "nearest: cifar10");
  EXPECT_ERROR(read({"train.loss=hinge"}), "loss 'hinge'", "tet");
  EXPECT_ERROR(read({"train.phases=[\"warm\", \"prune\"]"}), "phase 'warm'", "search");
}

TEST(Recipe, ValuesOutOfRangeAreRefused) {
  EXPECT_ERROR(read({"method.pattern=5:4"}), "method.pattern", "5:4", "block of 4");
  EXPECT_ERROR(read({"model.T=0"}), "model.T", "0", "1");
  EXPECT_ERROR(read({"train.epochs=0"}), "train.epochs", "0");
  EXPECT_ERROR(read({"train.batch_size=0"}), "train.batch_size", "0");
  EXPECT_ERROR(read({"seed=-1"}), "seed", "-1");
  EXPECT_ERROR(read({"train.batch_size=91"}), "train.batch_size", "91", "90");
  EXPECT_ERROR(read({"data.val_fraction=1.5"}), "data.val_fraction", "1.5");
  EXPECT_ERROR(read({"data.train_size=-1"}), "data.train_size", "-1");
}

TEST(Recipe, ANetworkOnTheCpuHasItsDataAugmentedThere) {
  for (const char* where : {"data.augment_on=auto", "data.augment_on=cpu"}) {
    const Recipe r = read({where});
    EXPECT_FALSE(r.model.pipelines.train.raw || r.model.pipelines.test.raw);
    EXPECT_FALSE(r.train_loader().memory);
  }
  EXPECT_ERROR(read({"data.augment_on=gpu"}), "data.augment_on: found 'gpu'", "auto or cpu",
               "the network is on the cpu");
  EXPECT_ERROR(read({"data.augment_on=tpu"}), "data.augment_on", "tpu");
}

TEST(Recipe, TheSearchMayNotTakeMoreThanAllEpochs) {
  EXPECT_ERROR(read({"train.epochs=5", "train.search_epochs=6"}), "train.search_epochs", "6",
               "0 to 5");
}

TEST(Recipe, AMethodWithMasksNeedsAPrunePhase) {
  EXPECT_ERROR(read({"train.phases=[\"search\", \"finetune\"]"}), "train.phases", "prune");
  EXPECT_EQ(read({"train.phases=[\"search\"]", "method.name=dense"}).train.phases,
            std::vector<std::string>{"search"});
  EXPECT_ERROR(
      read({"train.phases=[\"search\"]", "method.name=dense", "method.granularity=weight+neuron"}),
      "train.phases", "prune");
}

TEST(Recipe, PhasesThatTrainNothingAreRefused) {
  for (const std::vector<std::string>& given : std::vector<std::vector<std::string>>{
           {"train.phases=[\"prune\"]"},
           {"train.phases=[\"search\", \"prune\"]", "train.search_epochs=0"},
           {"train.phases=[\"prune\", \"finetune\"]", "train.epochs=4", "train.search_epochs=4"}}) {
    std::vector<std::string> overrides = given;
    overrides.push_back("method.name=random");
    EXPECT_ERROR(read(overrides), "train.phases", "train no epoch", "train.search_epochs");
  }
}

TEST(Recipe, PhasesInAnOrderThatCannotWorkAreRefused) {
  EXPECT_ERROR(read({"train.phases=[\"prune\", \"search\", \"finetune\"]"}),
               "train.phases: found search after prune, wanted search, prune and finetune");
}

}  // namespace
}  // namespace spikenm::train
