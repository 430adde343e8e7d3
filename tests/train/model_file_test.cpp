#include "spikenm/train/model_file.h"

#include "spikenm/core/file.h"
#include "spikenm/core/safetensors.h"
#include "spikenm/graph/graph_json.h"
#include "spikenm/graph/graph_toml.h"
#include "spikenm/nn/plain_pass.h"
#include "support/class_folder_files.h"
#include "support/expect_error.h"
#include "support/safetensors_bytes.h"
#include "support/saved_model.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace spikenm::train {
namespace {

using test::kSavedConfig;

class ModelFile : public test::SavedModel {};

TEST_F(ModelFile, ComesBackBitForBit) {
  const LoadedModel loaded = load_model(path);
  const auto compare = [](const std::vector<nn::NamedTensor>& a,
                          const std::vector<nn::NamedTensor>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].name, b[i].name);
      ASSERT_EQ(a[i].tensor.nbytes(), b[i].tensor.nbytes());
      EXPECT_EQ(std::memcmp(a[i].tensor.const_data_ptr(), b[i].tensor.const_data_ptr(),
                            a[i].tensor.nbytes()),
                0)
          << a[i].name;
    }
  };
  compare(recipe.model.network->parameters(), loaded.recipe.model.network->parameters());
  compare(recipe.model.network->buffers(), loaded.recipe.model.network->buffers());
  ASSERT_EQ(loaded.masks.weights.size(), masks.weights.size());
  for (size_t i = 0; i < masks.weights.size(); ++i) {
    EXPECT_EQ(loaded.masks.weights[i].mask.keep, masks.weights[i].mask.keep);
    EXPECT_EQ(loaded.masks.weights[i].synapse->name, masks.weights[i].synapse->name);
  }
}

TEST_F(ModelFile, SavesTheSameBytesAgain) {
  const LoadedModel loaded = load_model(path);
  save_model(dir / "again.safetensors", *loaded.recipe.model.network, loaded.masks, kSavedConfig);
  EXPECT_EQ(read_file(dir / "again.safetensors"), read_file(path));
}

TEST_F(ModelFile, ARunFolderStandsForItsModel) {
  EXPECT_EQ(load_model(dir.path()).masks.weights.size(), masks.weights.size());
}

TEST_F(ModelFile, OverridesChangeTheStoredConfig) {
  EXPECT_EQ(load_model(path, {"data.test_size=30"}).recipe.model.dataset->size(data::Part::kTest),
            30);
  EXPECT_EQ(load_model(path, {"model.T=3"}).recipe.model.T, 3);
  for (const char* assignment : {"model.width=8", "neuron.tau=3", "model.file=net.toml"})
    EXPECT_ERROR(load_model(path, {assignment}), "has no effect with the graph of the model file");
}

TEST_F(ModelFile, CarriesItsGraph) {
  const graph::Graph& graph = recipe.model.network->graph();
  const graph::Graph stored =
      graph::graph_from_json(Json::parse(file.metadata.at("graph")), "stored graph");
  EXPECT_EQ(graph::to_toml(stored), graph::to_toml(graph));
  EXPECT_EQ(graph.classes().size(), 10u);
}

// A reader that does not know the method needs them.
TEST_F(ModelFile, SaysTheRuleOfEachMask) {
  const std::string flat = R"({"rule":"2:4","axis":"flat","share":1,"share_taps":false})";
  EXPECT_EQ(file.metadata.at("masks"),
            fmt::format(R"({{"conv1":{0},"conv2":{0},"conv3":{0},"fc1":{0}}})", flat));
}

TEST_F(ModelFile, OfAProgramThatDidNotSayTheRulesStillLoads) {
  file.metadata.erase("masks");
  EXPECT_EQ(load_spoilt().masks.weights.size(), masks.weights.size());
}

// The right number of classes is not enough: an answer would count as right for another thing.
TEST(ModelFileOfOwnData, IsMeasuredOnTheClassesItWasTrainedOn) {
  const test::TempDir dir;
  const std::vector<const char*> folders{"pets/cat",  "pets/dog",  "moved/cat",
                                         "moved/dog", "birds/ant", "birds/bee"};
  for (const char* folder : folders)
    for (int i = 0; i < 10; ++i)
      test::put_png(dir / folder / fmt::format("{}.png", i), 8, 8, static_cast<uint8_t>(20 * i));
  const std::string config = fmt::format(
      "[model]\nT = 2\nname = \"mlp\"\n[data]\nname = \"image-folder\"\nroot = \"{}\"\n"
      "resize = 8\ncache = \"off\"\n[train]\nbatch_size = 4\n[method]\nname = \"dense\"\n",
      (dir / "pets").string());
  const Recipe recipe = read_recipe(Config::from_text(config, "test"));
  const std::filesystem::path path = dir / "model.safetensors";
  save_model(path, *recipe.model.network, {}, config);

  const auto load = [&](const char* root) {
    return load_model(path, {fmt::format("data.root={}", (dir / root).string())});
  };
  EXPECT_EQ(load("moved").recipe.model.dataset->info().classes, 2);
  EXPECT_ERROR(load("birds"), "model.safetensors: class 0 is 'cat', and 'ant' in the data");
}

// Whatever set its config names: the graph says all that is needed.
TEST_F(ModelFile, IsDescribedWithoutKnowingItsData) {
  file.metadata["config"] =
      "[data]\nname = \"somebody's own\"\n[method]\nname = \"magnitude\"\npattern = \"2:4\"\n"
      "axis = \"flat\"\n";
  write_safetensors(path, file);
  EXPECT_EQ(load_model(path, {}, Purpose::kDescribe).masks.weights.size(), masks.weights.size());
  EXPECT_ERROR(load_model(path), "somebody's own");
}

// Written before models carried graphs: its config alone says what the network is.
const char* const kModelOfBefore =
    SPIKENM_SOURCE_DIR "/tests/golden/model_before_graphs.safetensors";

TEST(ModelFileOfBefore, StillLoads) {
  ASSERT_FALSE(read_safetensors(kModelOfBefore).metadata.contains("graph"));
  for (const Purpose purpose : {Purpose::kDescribe, Purpose::kEvaluate}) {
    const LoadedModel loaded = load_model(kModelOfBefore, {}, purpose);
    EXPECT_EQ(loaded.recipe.model.network->graph().name(), "small_conv");
    EXPECT_EQ(loaded.recipe.model.T, 4);
    EXPECT_EQ(loaded.masks.weights.size(), 4u);
    ASSERT_FALSE(loaded.recipe.notes.empty());
    EXPECT_NE(loaded.recipe.notes.back().find("has no checksum"), std::string::npos);
  }
}

// In double, where rounding decides about no spike.
void make_double(nn::Network& network) {
  const auto convert = [](at::Tensor& t) {
    if (t.defined()) t = t.detach().to(at::kDouble);
  };
  for (nn::Synapse& s : network.synapses())
    for (at::Tensor* t : {&s.weight, &s.bias}) convert(*t);
  for (nn::Norm& n : network.norms())
    for (at::Tensor* t :
         {&n.state.gamma, &n.state.beta, &n.state.running_mean, &n.state.running_var})
      convert(*t);
}

// Spikes at about a third of all places, [T,B,C,H,W].
at::Tensor fixed_frames(int64_t T, int64_t B, const graph::FrameShape& frame) {
  const std::vector<int64_t> sizes{T, B, frame.channels, frame.height, frame.width};
  const at::Tensor places = at::arange(T * B * frame.channels * frame.height * frame.width);
  return (places * 7919).remainder(31).lt(10).to(at::kDouble).view(sizes);
}

// [B,K], worked out from the file's tensors in plain loops. No membrane comes closer than 3e-4 to
// its threshold.
const std::vector<double> kScoresOfBefore{
    0.065150259994, -0.302703565918, 0.021059609950,  -0.270230417140, 0.440896044485,
    0.270553314127, -0.173214998096, -0.068933526054, -0.269620786421, 0.042890164535,
    0.030967480503, -0.042725019157, -0.139848436229, -0.033851039596, 0.423882178962,
    0.356634507887, 0.024513071403,  0.249850017950,  -0.105020954274, -0.115197697654};

// With the statistics of the batch: those that run have seen so few steps that no layer would fire.
TEST(ModelFileOfBefore, StillHasItsScores) {
  const LoadedModel loaded = load_model(kModelOfBefore);
  nn::Network& network = *loaded.recipe.model.network;
  make_double(network);
  nn::PlainPass pass(/*training=*/true, loaded.recipe.model.T);
  const at::NoGradGuard no_grad;
  const at::Tensor scores =
      network.forward(pass, fixed_frames(loaded.recipe.model.T, 2, network.frame())).mean(0);
  const at::Tensor wanted = at::tensor(kScoresOfBefore, at::kDouble).view(scores.sizes());
  EXPECT_TRUE(at::allclose(scores, wanted, 0, 1e-9)) << scores;
}

// Resolved configs had them once.
TEST_F(ModelFile, KeysWithoutEffectInTheStoredConfigAreLetPass) {
  file.metadata["config"] =
      kSavedConfig + "auto_m = 16\n[neuron]\nreset = \"soft\"\nv_reset = 0.0\n";
  EXPECT_EQ(load_spoilt().masks.weights.size(), masks.weights.size());
  EXPECT_ERROR(load_model(path, {"neuron.v_reset=0.5"}), "neuron.v_reset: has no effect with");
  file.metadata["config"] = kSavedConfig + "auto_n = 16\n";
  EXPECT_ERROR(load_spoilt(), "method.auto_n");
}

TEST_F(ModelFile, TheMethodOfItsMasksCannotBeOverridden) {
  for (const char* assignment :
       {"method.pattern=2:4", "method.pattern=4:8", "method.name=dense", "\"method\".pattern=2:8"})
    EXPECT_ERROR(load_model(path, {assignment}), "model.safetensors", assignment, "masks are made");
}

TEST_F(ModelFile, OverridesThatAnEvaluationIgnoresAreRefused) {
  for (const char* assignment :
       {"train.lr=5", "train.epochs=77", "train.phases=[]", "data.train_size=5", "\"train\".lr=5",
        "data.val_fraction=0.5", "data.augment=[]", "data.mixup=1", "data.cutmix=1"})
    EXPECT_ERROR(load_model(path, {assignment}), "model.safetensors", assignment,
                 "only training reads");
  for (const char* assignment : {"train.batch_size=7", "train.loss=mse", "model.T=3", "threads=1",
                                 "device=cpu", "precision=fp32", "seed=4", "data.cache=off"})
    EXPECT_NO_THROW(load_model(path, {assignment})) << assignment;
}

TEST_F(ModelFile, APathThatCannotBeFollowedIsAnError) {
  std::filesystem::create_symlink("loop", dir / "loop");
  EXPECT_ERROR(load_model(dir / "loop"), "loop", "symbolic links");
  EXPECT_ERROR(load_model(dir / std::string(300, 'n')), "nnn", "too long");
}

TEST_F(ModelFile, FramesThatTheMachineCannotHoldAreRefused) {
  EXPECT_ERROR(
      load_model(path, {"train.batch_size=1000000", "model.T=1024", "data.test_size=1000000"}),
      "model.safetensors", "conv1", "GB", "train.batch_size");
}

TEST_F(ModelFile, WhereToWriteIsNotTheModelsToSay) {
  const std::filesystem::path theirs = dir / "theirs", ours = dir / "ours";
  file.metadata["config"] = fmt::format(
      "[model]\nT = 2\nwidth = 4\n[data]\ntrain_size = 100\ntest_size = 20\ncache = 'disk'\n"
      "cache_dir = '{}'\nworkers = 200\n[method]\nname = 'magnitude'\npattern = '2:4'\n"
      "axis = 'flat'\n",
      theirs.string());
  write_safetensors(path, file);
  const LoadedModel loaded = load_model(path, {"data.cache_dir='" + ours.string() + "'"});
  loaded.recipe.model.dataset->prepare({});
  EXPECT_TRUE(std::filesystem::exists(ours));
  EXPECT_FALSE(std::filesystem::exists(theirs));
  EXPECT_TRUE(loaded.recipe.notes.empty());
  EXPECT_EQ(loaded.recipe.model.workers, 2);

  ::setenv("XDG_CACHE_HOME", (dir / "home").c_str(), 1);
  const LoadedModel noted = load_model(path);
  noted.recipe.model.dataset->prepare({});
  ::unsetenv("XDG_CACHE_HOME");
  EXPECT_FALSE(std::filesystem::exists(dir / "home"));
  EXPECT_FALSE(std::filesystem::exists(theirs));
  ASSERT_EQ(noted.recipe.notes.size(), 1u);
  EXPECT_NE(noted.recipe.notes[0].find(theirs.string()), std::string::npos);
}

TEST_F(ModelFile, IsDescribedWithoutItsDataAndDevice) {
  std::string& config = file.metadata["config"];
  config.replace(config.find("[data]\n"), 7, "[data]\nval_fraction = 1\n");
  config += "[train]\nbatch_size = 5000\n";
  write_safetensors(path, file);
  const LoadedModel loaded = load_model(path, {"device=cuda"}, Purpose::kDescribe);
  EXPECT_EQ(loaded.masks.weights.size(), masks.weights.size());
  EXPECT_FALSE(loaded.recipe.views);
}

// The same with neuron masks: every third neuron of conv2 is silenced, and all but one of conv3.
class NeuronModelFile : public testing::Test {
 protected:
  NeuronModelFile() : recipe(read_recipe(Config::from_text(config, "test"))) {
    masks = sparsity::harden_all(*recipe.model.method);
    sparsity::apply_to_weights(masks);
    at::Tensor& conv2 = masks.neurons[0].keep;
    conv2 = at::arange(conv2.numel()).remainder(3).ne(0).to(at::kFloat).view(conv2.sizes());
    masks.neurons[1].keep[0][0][0] = 1;
    save_model(path, *recipe.model.network, masks, config);
    file = read_safetensors(path);
  }

  StoredTensor& mask() {
    return *std::find_if(file.tensors.begin(), file.tensors.end(),
                         [](const StoredTensor& t) { return t.name == "lif_conv2.mask"; });
  }
  LoadedModel load_spoilt() {
    write_safetensors(path, file);
    return load_model(path);
  }

  const std::string config = kSavedConfig + "granularity = \"weight+neuron\"\n";
  test::TempDir dir;
  std::filesystem::path path = dir / "model.safetensors";
  Recipe recipe;
  sparsity::Masks masks;
  SafetensorsFile file;
};

TEST_F(NeuronModelFile, NeuronMasksComeBackAndSilenceTheSameNeurons) {
  EXPECT_EQ(mask().dtype, "U8");
  EXPECT_EQ(mask().shape, masks.neurons[0].keep.sizes().vec());
  const LoadedModel loaded = load_model(path);
  ASSERT_EQ(loaded.masks.neurons.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(at::equal(loaded.masks.neurons[i].keep, masks.neurons[i].keep));
    EXPECT_EQ(loaded.masks.neurons[i].neuron->name, masks.neurons[i].neuron->name);
  }
  save_model(dir / "again.safetensors", *loaded.recipe.model.network, loaded.masks, config);
  EXPECT_EQ(read_file(dir / "again.safetensors"), read_file(path));
}

TEST_F(NeuronModelFile, ANeuronMaskThatIsNotOneIsRefused) {
  mask().bytes[5] = 2;
  EXPECT_ERROR(load_spoilt(), "model.safetensors", "lif_conv2.mask", "found 2", "0 or 1");
  mask().bytes[5] = 1;
  std::reverse(mask().shape.begin(), mask().shape.end());
  EXPECT_ERROR(load_spoilt(), "model.safetensors", "lif_conv2.mask", "U8", "[8,");
  std::erase_if(file.tensors, [](const StoredTensor& t) { return t.name == "lif_conv2.mask"; });
  EXPECT_ERROR(load_spoilt(), "model.safetensors", "no tensor 'lif_conv2.mask'");
}

TEST_F(ModelFile, AFileWithoutAChecksumLoadsWithANote) {
  EXPECT_TRUE(load_model(path).recipe.notes.empty());
  write_file_atomically(path, test::without_sums(read_file(path)));
  const std::vector<std::string> notes = load_model(path).recipe.notes;
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("model.safetensors: has no checksum"), std::string::npos) << notes[0];
}

}  // namespace
}  // namespace spikenm::train
