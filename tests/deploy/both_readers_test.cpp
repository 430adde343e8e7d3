// A model file is read in two ways: into the trainer's tensors, and without torch. Both make the same
// .snm file of it, and both refuse the same files in the same words.
#include "spikenm/core/file.h"
#include "spikenm/deploy/exporter.h"
#include "spikenm/deploy/trained_file.h"
#include "spikenm/runtime/snm_file.h"
#include "spikenm/train/compact.h"
#include "spikenm/train/mask_rules.h"
#include "support/safetensors_bytes.h"
#include "support/temp_dir.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace spikenm::deploy {
namespace {

using runtime::WeightType;

// A model with other values than those that every network starts with, saved with its masks and a
// result.
void save(const std::filesystem::path& run, const std::string& model, const std::string& method) {
  const std::string text =
      "[data]\ntrain_size = 100\ntest_size = 20\n[model]\nT = 2\n" + model + "[method]\n" + method;
  const Config config = Config::from_text(text, "test");
  const train::Recipe recipe = train::read_recipe(config);
  const nn::Network& network = *recipe.model.network;
  {
    const at::NoGradGuard no_grad;
    for (const nn::NamedTensor& t : network.buffers())
      at::Tensor(t.tensor).copy_(at::arange(t.tensor.numel(), at::kFloat).sin().abs() + 0.25);
  }
  sparsity::Masks masks = sparsity::harden_all(*recipe.model.method);
  const bool searches_neurons = method.find("granularity") != std::string::npos;
  for (sparsity::NeuronMask& m : masks.neurons)
    if (searches_neurons)  // and has found nothing so far
      m.keep = at::arange(m.keep.numel()).remainder(3).ne(0).to(at::kFloat).view(m.keep.sizes());
  sparsity::apply_to_weights(masks);
  std::filesystem::create_directories(run);
  train::save_model(run / "model.safetensors", network, masks, config.resolved_toml());
  write_file_atomically(run / "result.json", R"({"test_accuracy": 55, "seed": 3, "subset": "20",
      "firing_rate": {"lif_conv1": 0.125, "mean": 0.5}})");
}

void expect_same_file(const std::filesystem::path& run) {
  for (const WeightType type : {WeightType::kFloat, WeightType::kInt8}) {
    runtime::StoredModel by_trainer = export_model(train::load_model(run), type);
    add_history(run, by_trainer);
    const runtime::StoredModel without_torch = pack_file(run, type).model;
    EXPECT_EQ(without_torch.provenance.dump(), by_trainer.provenance.dump());
    EXPECT_TRUE(runtime::encode_snm(without_torch) == runtime::encode_snm(by_trainer));
  }
}

const std::string kSmall = "width = 8\n";

TEST(BothReaders, PackEveryMethodsMasksToTheSameBytes) {
  const test::TempDir dir;
  for (const auto& row : sparsity::methods().rows()) {
    SCOPED_TRACE(row.name);
    save(dir / row.name, kSmall, fmt::format("name = '{}'\n", row.name));
    expect_same_file(dir / row.name);
  }
}

TEST(BothReaders, PackEveryNetworkAndEveryFormOfBlocksToTheSameBytes) {
  const std::vector<std::pair<std::string, std::string>> kinds{
      {"name = 'mlp'\nhidden = [32]\n", "name = 'random'\npattern = '2:8'\n"},
      {"name = 'sew_resnet18'\nwidth = 4\n", "name = 'random'\npattern = '1:4'\n"},
      {"width = 8\npool = 'max'\n[neuron]\nname = 'plif'\n", "name = 'random'\nshare = 4\n"},
      {"width = 8\n[neuron]\nname = 'cuba-lif'\n", "name = 'random'\naxis = 'flat'\n"},
      {kSmall, "name = 'random'\npattern = '2:8'\nshare = 4\nshare_taps = true\n"},
      {kSmall,
       "name = 'random'\npattern = '2:5'\n[method.layer_pattern]\nfc1 = '1:8'\nconv2 = 'dense'\n"},
      {kSmall, "name = 'magnitude'\ngranularity = 'weight+neuron'\n"},
      {kSmall, "name = 'dense'\ngranularity = 'neuron'\n"},
      {kSmall, "name = 'random'\npattern = 'auto:0.25'\nauto_m = 8\n"},
      {kSmall, "name = 'dense'\n"}};
  const test::TempDir dir;
  for (size_t i = 0; i < kinds.size(); ++i) {
    SCOPED_TRACE(kinds[i].first + kinds[i].second);
    const std::filesystem::path run = dir / std::to_string(i);
    save(run, kinds[i].first, kinds[i].second);
    expect_same_file(run);
  }
}

TEST(BothReaders, PackACompactedRunToTheSameBytes) {
  const test::TempDir dir;
  save(dir / "run", kSmall, "name = 'nsl'\nchannels = 0.5\n");
  train::compact_run(dir / "run", dir / "small", {}, /*measures=*/false);
  expect_same_file(dir / "small");
}

// What the two say of the file.
struct Sentences {
  std::string trainer, without_torch;
};

Sentences sentences_of(const std::filesystem::path& path) {
  const auto said = [](auto&& read) -> std::string {
    try {
      read();
    } catch (const Error& e) {
      return e.what();
    }
    return "read";
  };
  return {.trainer = said([&] { static_cast<void>(train::load_model(path)); }),
          .without_torch = said([&] { static_cast<void>(read_trained(path)); })};
}

// One fault in a good file, and a part of what is said of it.
struct Fault {
  const char* said;
  std::function<void(SafetensorsFile&)> make;
};

StoredTensor& of(SafetensorsFile& file, const std::string& name) {
  for (StoredTensor& t : file.tensors)
    if (t.name == name) return t;
  throw std::runtime_error("no tensor " + name);
}

void set_float(SafetensorsFile& file, const std::string& name, size_t at, float value) {
  std::memcpy(of(file, name).bytes.data() + 4 * at, &value, 4);
}

void remove(SafetensorsFile& file, const std::string& name) {
  std::erase_if(file.tensors, [&](const StoredTensor& t) { return t.name == name; });
}

const std::vector<Fault>& faults() {
  static const std::vector<Fault> all{
      {"'pt'", [](auto& f) { f.metadata["format"] = "pt"; }},
      {"version '2'", [](auto& f) { f.metadata["version"] = "2"; }},
      {"not valid TOML", [](auto& f) { f.metadata["config"] = "[model\n"; }},
      {"(config): data.name", [](auto& f) { f.metadata["config"] = "[data]\nname = 3\n"; }},
      {"dataset 'mine' is not known",
       [](auto& f) { f.metadata["config"] = "[data]\nname = 'mine'\n"; }},
      {"(config): model.T", [](auto& f) { f.metadata["config"] = "[model]\nT = 0\n"; }},
      {"(graph)", [](auto& f) { f.metadata["graph"] = "{"; }},
      {"(graph)", [](auto& f) { f.metadata["graph"] = "{}"; }},
      {"(masks)", [](auto& f) { f.metadata["masks"] = "{"; }},
      {"(masks): conv2", [](auto& f) { f.metadata["masks"] = "{\"conv2\": 2}"; }},
      {"no tensor 'conv2.weight'", [](auto& f) { remove(f, "conv2.weight"); }},
      {"no tensor 'fc1.mask'", [](auto& f) { remove(f, "fc1.mask"); }},
      {"no tensor 'lif_conv2.mask'", [](auto& f) { remove(f, "lif_conv2.mask"); }},
      {"conv2.weight", [](auto& f) { of(f, "conv2.weight").shape = {8, 16, 3, 3}; }},
      {"found I32", [](auto& f) { of(f, "conv2.weight").dtype = "I32"; }},
      {"found U8 [17,17,16]", [](auto& f) { std::ranges::reverse(of(f, "lif_conv2.mask").shape); }},
      {"nothing in its network reads it",
       [](auto& f) { f.tensors.push_back({"more\n", "F32", {1}, {0, 0, 0, 0}}); }},
      {"'conv1.weight': found a value that is not finite",
       [](auto& f) { set_float(f, "conv1.weight", 5, std::nanf("")); }},
      {"not finite", [](auto& f) { set_float(f, "bn_conv1.bias", 0, INFINITY); }},
      {"negative variance", [](auto& f) { set_float(f, "bn_conv2.running_var", 1, -1e-6f); }},
      {"break the pattern 2:4",
       [](auto& f) { std::fill_n(of(f, "conv2.mask").bytes.begin(), 36, uint8_t{1}); }},
      {"found 2, wanted 0 or 1", [](auto& f) { of(f, "conv2.mask").bytes[3] = 2; }},
      {"found 9, wanted 0 or 1", [](auto& f) { of(f, "lif_conv2.mask").bytes[3] = 9; }},
      {"found a weight that its mask drops",
       [](auto& f) {
         const auto& keep = of(f, "conv2.mask").bytes;
         const auto dropped = std::find(keep.begin(), keep.end(), 0) - keep.begin();
         set_float(f, "conv2.weight", static_cast<size_t>(dropped), 1e-30f);
       }},
  };
  return all;
}

TEST(BothReaders, RefuseTheSameFilesInTheSameWords) {
  const test::TempDir dir;
  save(dir / "run", kSmall, "name = 'magnitude'\ngranularity = 'weight+neuron'\n");
  const std::filesystem::path path = dir / "run/model.safetensors";
  const SafetensorsFile good = read_safetensors(path);
  ASSERT_EQ(sentences_of(path).trainer, "read");
  for (const Fault& fault : faults()) {
    SafetensorsFile spoilt = good;
    fault.make(spoilt);
    write_safetensors(path, spoilt);
    const Sentences found = sentences_of(path);
    EXPECT_NE(found.trainer.find(fault.said), std::string::npos) << found.trainer;
    EXPECT_TRUE(found.trainer.starts_with(path.string())) << found.trainer;
    EXPECT_EQ(found.without_torch, found.trainer);
  }
}

// The method, which makes the rules of a config, is the trainer's.
TEST(BothReaders, DifferWhereARuleIsNotThatOfTheConfig) {
  const test::TempDir dir;
  save(dir / "run", kSmall, "name = 'magnitude'\n");
  const std::filesystem::path path = dir / "run/model.safetensors";
  SafetensorsFile file = read_safetensors(path);
  Json rules = Json::parse(file.metadata["masks"]);
  rules["conv2"] = train::to_json(train::kNeuronRule);  // any weight may be dropped
  file.metadata["masks"] = rules.dump();
  write_safetensors(path, file);
  const Sentences found = sentences_of(path);
  EXPECT_NE(found.trainer.find("(masks): conv2: found the rule"), std::string::npos)
      << found.trainer;
  EXPECT_NE(found.trainer.find("which its config makes"), std::string::npos) << found.trainer;
  EXPECT_EQ(found.without_torch, "read");
}

TEST(BothReaders, RefuseDamagedFilesInTheSameWords) {
  const test::TempDir dir;
  save(dir / "run", kSmall, "name = 'magnitude'\n");
  const std::filesystem::path path = dir / "run/model.safetensors";
  const std::string whole = read_file(path);
  std::string flipped = whole, in_header = whole;
  flipped[whole.size() - 1] ^= 1;
  in_header[whole.find("conv2")] ^= 1;
  for (const std::string& bytes :
       {whole.substr(0, whole.size() - 5), std::string("nonsense"), flipped, in_header}) {
    write_file_atomically(path, bytes);
    const Sentences found = sentences_of(path);
    EXPECT_TRUE(found.trainer.starts_with(path.string())) << found.trainer;
    EXPECT_EQ(found.without_torch, found.trainer);
  }
  EXPECT_EQ(sentences_of(dir / "none").without_torch, sentences_of(dir / "none").trainer);
  write_file_atomically(path, test::without_sums(whole));
  const std::vector<std::string> notes = train::load_model(path).recipe.notes;
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(read_trained(path).notes, notes);
  EXPECT_EQ(pack_file(path, WeightType::kInt8).notes, notes);
}

}  // namespace
}  // namespace spikenm::deploy
