// Model files that are cut, changed or nobody's: each is refused by name.
#include "spikenm/train/model_file.h"

#include "spikenm/core/file.h"
#include "spikenm/core/safetensors.h"
#include "spikenm/graph/graph_json.h"
#include "support/expect_error.h"
#include "support/peak_memory.h"
#include "support/safetensors_bytes.h"
#include "support/saved_model.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace spikenm::train {
namespace {

using test::kSavedConfig;

class DamagedModelFile : public test::SavedModel {};

TEST_F(DamagedModelFile, RulesThatItsConfigDoesNotMakeAreRefused) {
  const Json whole = Json::parse(file.metadata.at("masks"));
  const auto load_with = [&](const auto& change) {
    Json rules = whole;
    change(rules);
    file.metadata["masks"] = rules.dump();
    return load_spoilt();
  };
  EXPECT_NO_THROW(load_with([](Json&) {}));
  EXPECT_ERROR(load_with([](Json& rules) { rules["conv2"]["axis"] = "in"; }),
               "model.safetensors (masks): conv2: found the rule 2:4 along in",
               "wanted 2:4 along flat");
  EXPECT_ERROR(load_with([](Json& rules) { rules["conv2"] = {{"rule", "channel"}}; }),
               "conv2: found the rule channel");
  EXPECT_ERROR(load_with([](Json& rules) { rules.erase("fc1"); }), "fc1: found the rule none");
  EXPECT_ERROR(load_with([](Json& rules) { rules["more\n"] = {{"rule", "dense"}}; }),
               "more\\x0A: found the rule dense, wanted none");
  EXPECT_ERROR(load_with([](Json& rules) { rules["conv2"].erase("share"); }),
               "model.safetensors (masks): conv2: found no share");
}

TEST_F(DamagedModelFile, DataOfOtherFramesOrClassesIsRefused) {
  std::string graph = file.metadata.at("graph");
  graph.replace(graph.find("\"8\",\"9\""), 7, "\"8\"");
  file.metadata["graph"] = graph;
  EXPECT_ERROR(load_spoilt(), "model.safetensors (graph)", "vote", "one score for each of the 9");
}

TEST_F(DamagedModelFile, ABrokenGraphIsRefused) {
  for (const char* text : {"{", "{}", "[]", "{\"format\": \"spikenm-graph\", \"version\": 2}"}) {
    file.metadata["graph"] = text;
    EXPECT_ERROR(load_spoilt(), "model.safetensors (graph)");
  }
  file.metadata.erase("graph");
  file.metadata["config"] = "[model]\nfile = \"/etc/passwd\"\n";
  EXPECT_ERROR(load_spoilt(), "model.safetensors: found no graph");
}

TEST_F(DamagedModelFile, AMistakeInTheStoredConfigNamesTheFile) {
  file.metadata["config"] = kSavedConfig + "[train]\nlr = \"x\"\n";
  EXPECT_ERROR(load_spoilt(), "model.safetensors (config): train.lr");
  file.metadata["config"] = kSavedConfig + "[train]\nlearning = 1\n";
  EXPECT_ERROR(load_spoilt(), "model.safetensors (config): train.learning");
}

// The names of tensors and the network's shapes are compared before any tensor is read.
TEST_F(DamagedModelFile, ALargeTensorThatNobodyWantsIsNotRead) {
  constexpr uint64_t kSize = uint64_t{1} << 30;
  file.tensors = {{.name = "t", .dtype = "U8", .shape = {0}, .bytes = {}}};
  const std::string bytes =
      test::with_changed_header(test::without_sums(encode_safetensors(file)), [&](Json& header) {
        header["t"]["shape"] = {kSize};
        header["t"]["data_offsets"] = {0, kSize};
      });
  write_file_atomically(path, bytes);
  std::filesystem::resize_file(path, bytes.size() + kSize);
  const int64_t before = test::peak_memory_kb();
  EXPECT_ERROR(load_model(path), "model.safetensors: found no tensor");
  EXPECT_LT(test::peak_memory_kb() - before, 64 * 1024);
}

TEST_F(DamagedModelFile, ANetworkThatTheFileDoesNotHoldTakesNoMemory) {
  std::string config = kSavedConfig;
  config.replace(config.find("width = 4"), 9, "width = 4096");
  file.metadata["config"] = config;
  file.metadata["graph"] =
      graph::graph_to_json(graph_from_config(Config::from_text(config, "test"))).dump();
  const int64_t before = test::peak_memory_kb();
  EXPECT_ERROR(load_spoilt(), "model.safetensors", "conv1.weight", "[4,2,3,3]", "[4096,2,3,3]");
  EXPECT_LT(test::peak_memory_kb() - before, 64 * 1024);  // such a network has 3.6 GB of weights
}

TEST_F(DamagedModelFile, ATensorThatNobodyReadsIsRefused) {
  file.tensors.push_back({.name = "more\n", .dtype = "F32", .shape = {1}, .bytes = {0, 0, 0, 0}});
  EXPECT_ERROR(load_spoilt(), "model.safetensors", "more\\x0A", "nothing in its network reads it");
}

TEST_F(DamagedModelFile, ANegativeVarianceIsRefused) {
  const float value = -1e-6f;
  std::memcpy(tensor("bn_conv2.running_var").bytes.data() + 4, &value, 4);
  EXPECT_ERROR(load_spoilt(), "model.safetensors", "bn_conv2.running_var", "negative variance");
}

TEST_F(DamagedModelFile, AMissingTensorIsNamed) {
  std::erase_if(file.tensors, [](const StoredTensor& t) { return t.name == "conv2.weight"; });
  EXPECT_ERROR(load_spoilt(), "model.safetensors", "no tensor 'conv2.weight'");
}

TEST_F(DamagedModelFile, AMissingMaskIsNamed) {
  std::erase_if(file.tensors, [](const StoredTensor& t) { return t.name == "fc1.mask"; });
  EXPECT_ERROR(load_spoilt(), "model.safetensors", "no tensor 'fc1.mask'");
}

TEST_F(DamagedModelFile, AWrongShapeOrTypeIsNamed) {
  tensor("conv2.weight").shape = {4, 8, 3, 3};
  EXPECT_ERROR(load_spoilt(), "conv2.weight", "[4,8,3,3]", "[8,4,3,3]");
  tensor("conv2.weight").shape = {8, 4, 3, 3};
  tensor("conv2.weight").dtype = "I32";
  EXPECT_ERROR(load_spoilt(), "conv2.weight", "I32", "F32");
}

TEST_F(DamagedModelFile, AMaskThatBreaksItsPatternIsRefused) {
  StoredTensor& mask = tensor("conv2.mask");
  std::fill(mask.bytes.begin(), mask.bytes.begin() + 4, uint8_t{1});
  EXPECT_ERROR(load_spoilt(), "conv2.mask", "1 of 72 blocks", "2:4");
  std::fill(mask.bytes.begin(), mask.bytes.begin() + 4, uint8_t{2});
  EXPECT_ERROR(load_spoilt(), "conv2.mask", "found 2", "0 or 1");
}

TEST_F(DamagedModelFile, AWeightThatItsMaskDropsMustBeZero) {
  const std::vector<uint8_t> mask = tensor("conv2.mask").bytes;
  const auto dropped = static_cast<size_t>(std::find(mask.begin(), mask.end(), 0) - mask.begin());
  const float value = 1e-30f;
  std::memcpy(tensor("conv2.weight").bytes.data() + 4 * dropped, &value, 4);
  EXPECT_ERROR(load_spoilt(), "conv2.weight", "mask drops");
}

TEST_F(DamagedModelFile, ValuesThatAreNotFiniteAreRefused) {
  for (const float value : {std::nanf(""), INFINITY}) {
    std::memcpy(tensor("bn_conv1.running_var").bytes.data(), &value, 4);
    EXPECT_ERROR(load_spoilt(), "bn_conv1.running_var", "not finite");
  }
}

TEST_F(DamagedModelFile, ACutFileIsRefusedAtEveryLength) {
  const std::string whole = read_file(path);
  for (const size_t length :
       {size_t{0}, size_t{7}, size_t{8}, size_t{100}, whole.size() / 2, whole.size() - 1}) {
    write_file_atomically(path, whole.substr(0, length));
    EXPECT_ERROR(load_model(path), "model.safetensors");
  }
}

TEST_F(DamagedModelFile, AFlippedBitIsRefusedByName) {
  const std::string whole = read_file(path);
  const size_t data = 8 + test::header_size(whole);
  for (const size_t at : {size_t{12}, data / 2, data, data + 1000, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    write_file_atomically(path, damaged);
    EXPECT_ERROR(load_model(path), "model.safetensors", at < data ? "header" : "tensor '");
  }
}

TEST_F(DamagedModelFile, AFileThatIsNoModelIsRefused) {
  write_file_atomically(path, "just some text, and not a short one");
  EXPECT_ERROR(load_model(path), "model.safetensors", "not a safetensors file");
  file.metadata["format"] = "pt";
  EXPECT_ERROR(load_spoilt(), "model.safetensors", "'pt'", "spikenm-model");
  file.metadata["format"] = "spikenm-model";
  file.metadata["version"] = "2";
  EXPECT_ERROR(load_spoilt(), "version '2'");
  file.metadata["version"] = "1";
  file.metadata["config"] = "[model\n";
  EXPECT_ERROR(load_spoilt(), "model.safetensors", "not valid TOML");
  EXPECT_ERROR(load_model(dir / "none.safetensors"), "none.safetensors", "No such file");
}

}  // namespace
}  // namespace spikenm::train
