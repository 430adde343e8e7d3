// The program as a user sees it: what it prints, what it leaves behind, how it exits.
#include "support/cli.h"
#include "spikenm/core/file.h"
#include "spikenm/core/json.h"
#include "spikenm/core/safetensors.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace spikenm {
namespace {

namespace fs = std::filesystem;
using test::Arguments;
using test::Cli;
using test::Outcome;

TEST_F(Cli, HelpShowsExamplesForTheProgramAndEveryCommand) {
  const Outcome top = run({"--help"});
  EXPECT_EQ(top.code, 0);
  EXPECT_NE(top.out.find("Examples:\n  spikenm demo"), std::string::npos) << top.out;
  EXPECT_NE(top.out.find("Exit codes"), std::string::npos);
  for (const char* command : {"train", "eval", "inspect", "table", "sweep", "data", "demo"}) {
    EXPECT_NE(top.out.find(command), std::string::npos);
    const Outcome help = run({command, "--help"});
    EXPECT_EQ(help.code, 0) << command;
    EXPECT_NE(help.out.find(std::string("Examples:\n  spikenm ") + command), std::string::npos)
        << help.out;
  }
  EXPECT_EQ(run({"--version"}).out.substr(0, 8), "spikenm ");
}

TEST_F(Cli, ACommandLineThatIsNotUnderstoodExitsWith2) {
  for (const Arguments& arguments :
       {Arguments{}, {"fly"}, {"train", "--fast"}, {"eval"}, {"eval", "a", "--jsonn"}}) {
    const Outcome found = run(arguments);
    EXPECT_EQ(found.code, 2) << found.err;
    EXPECT_FALSE(found.err.empty());
  }
  expect_failure({"train", "seed"}, 2, {"'seed'", "train.lr=0.1"});
  expect_failure({"train", "=3"}, 2, {"'=3'"});
  expect_failure({"inspect", "runs/a", "--config", "b.toml"}, 2, {"not both"});
  EXPECT_FALSE(fs::exists(dir / "runs"));
}

TEST_F(Cli, AMistypedCommandOrKeyIsToldTheNearest) {
  expect_failure({"trian", "seed=1"}, 2, {"'trian'", "known: train, eval", "nearest: train"});
  expect_failure({"data", "chek", "mnist"}, 2, {"'chek'", "nearest: check"});
  expect_failure({"train", "--dry-run", "lr=0.1"}, 1, {"lr:", "nearest is train.lr"});
}

TEST_F(Cli, ABadConfigFailsWithOneSentenceAndLeavesNothing) {
  const auto train = [](const Arguments& more) { return tiny({"train", "--out", "run"}, more); };
  expect_failure(train({"train.epoch=3"}), 1, {"spikenm: train.epoch", "nearest is train.epochs"});
  expect_failure(train({"train.epochs=many"}), 1, {"train.epochs", "many", "whole number"});
  expect_failure(train({"method.pattern=5:4"}), 1, {"method.pattern", "5:4"});
  expect_failure(train({"model.T=0"}), 1, {"model.T", "0"});
  expect_failure(train({"method.name=magic"}), 1, {"magic", "magnitude"});
  expect_failure(train({"--config", "none.toml"}), 1, {"none.toml", "No such file"});
  EXPECT_FALSE(fs::exists(dir / "run"));
}

TEST_F(Cli, AnEmptySplitFails) {
  expect_failure(tiny({"train", "--out", "run"}, {"data.val_fraction=1"}), 1,
                 {"data.val_fraction", "train split empty"});
}

TEST_F(Cli, AnOutputFolderThatCannotBeMadeFails) {
  write_file_atomically(dir / "plain", "a file");
  expect_failure(tiny({"train", "--out", "plain"}), 1, {"plain", "not a folder"});
  expect_failure(tiny({"train", "--out", "plain/below"}), 1, {"plain/below"});
  EXPECT_EQ(read_file(dir / "plain"), "a file");
}

TEST_F(Cli, AFailureBeforeTrainingLeavesNothingInTheWay) {
  write_file_atomically(dir / "plain", "a file");
  const Arguments cached = tiny({"train", "--out", "run"}, {"data.cache=disk"});
  Arguments bad = cached, good = cached;
  bad.emplace_back("data.cache_dir=plain/x");
  good.emplace_back("data.cache_dir=cache");
  expect_failure(bad, 1, {"plain", "data.cache_dir"});
  EXPECT_EQ(run(good).code, 0);
}

TEST_F(Cli, ARunLeavesItsFilesAndIsReplacedOnlyByForce) {
  const Outcome first = run(tiny({"train", "--out", "run"}));
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_NE(first.out.find("spikenm 2:4: test accuracy"), std::string::npos) << first.out;
  EXPECT_EQ(without_epochs(first.err), warnings_in("run"));  // no bar in a pipe
  const std::set<std::string> wanted{"config.toml",
                                     "graph.toml",
                                     "metrics.jsonl",
                                     "model.safetensors",
                                     "model_best_val.safetensors",
                                     "result.json",
                                     "tensorboard"};
  EXPECT_EQ(files_in("run"), wanted);
  const std::string result = read_file(dir / "run/result.json");
  expect_failure(tiny({"train", "--out", "run"}), 1, {"run", "--force"});
  EXPECT_EQ(read_file(dir / "run/result.json"), result);
  EXPECT_EQ(run(tiny({"train", "--out", "run", "--force"}, {"seed=1"})).code, 0);
  EXPECT_EQ(files_in("run"), wanted);
  EXPECT_EQ(Json::parse(read_file(dir / "run/result.json")).at("seed"), 1);
}

TEST_F(Cli, AForcedRunThatEndsInItsFirstEpochLeavesTheOldOneWhole) {
  ASSERT_EQ(run(tiny({"train", "--out", "run"})).code, 0);
  const std::set<std::string> files = files_in("run");
  const std::string result = read_file(dir / "run/result.json"),
                    config = read_file(dir / "run/config.toml");
  const auto expect_old = [&](const std::string& where) {
    EXPECT_EQ(files_in("run"), files) << where;
    EXPECT_EQ(read_file(dir / "run/result.json"), result) << where;
    EXPECT_EQ(read_file(dir / "run/config.toml"), config) << where;
    EXPECT_EQ(run({"eval", "run"}).code, 0) << where;
  };
  // An epoch of minutes.
  const Arguments slow = tiny({"train", "--out", "run", "--force"},
                              {"data.train_size=50000", "model.width=32", "model.T=8"});
  for (const int signal_number : {SIGINT, SIGKILL}) {
    const pid_t child = start(slow);
    for (int i = 0; i < 1000 && !fs::exists(dir / "run/.next/graph.toml"); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ::kill(child, signal_number);
    EXPECT_EQ(finish(child).code, signal_number == SIGINT ? 130 : -SIGKILL);
    if (signal_number == SIGKILL) {
      for (const char* name : {".next/config.toml", ".next/graph.toml", ".next", ".owner"})
        EXPECT_TRUE(fs::remove(dir / "run" / name)) << name;
    }
    expect_old(signal_number == SIGINT ? "SIGINT" : "SIGKILL");
  }
}

TEST_F(Cli, EvalMeasuresWhatTrainingMeasuredAndInspectShowsTheLayers) {
  ASSERT_EQ(run(tiny({"train", "--out", "run"})).code, 0);
  const Json result = Json::parse(read_file(dir / "run/result.json"));
  const Outcome eval = run({"eval", "run", "--json"});
  ASSERT_EQ(eval.code, 0) << eval.err;
  const Json found = Json::parse(eval.out);
  for (const auto& [key, value] : found.items()) EXPECT_EQ(value, result.at(key)) << key;
  EXPECT_EQ(found.at("test_accuracy_per_class").size(), 10u);
  EXPECT_GE(found.at("test_top5"), found.at("test_accuracy"));
  EXPECT_EQ(found.at("granularity"), "weight");
  EXPECT_EQ(found.at("neuron_pct"), 100);
  EXPECT_EQ(found.at("sops_m_upr"), found.at("sops_m"));  // 20 samples are whole batches
  EXPECT_GT(found.at("energy_uj"), 0.9 * found.at("sops_m").get<double>());
  EXPECT_EQ(result.at("T"), 2);
  EXPECT_EQ(result.at("layer_patterns").at("conv2"), "2:4");
  const Json best =
      Json::parse(run({"eval", "run/model_best_val.safetensors", "--json", "threads=1"}).out);
  EXPECT_EQ(best.at("test_accuracy"), result.at("test_accuracy_best_val"));
  EXPECT_NE(run({"eval", "run"}).out.find("run: test accuracy"), std::string::npos);

  const Outcome inspect = run({"inspect", "run"});
  EXPECT_EQ(inspect.code, 0) << inspect.err;
  for (const char* part : {"layer", "kept %", "alive", "conv1", "conv2", "conv3", "fc1", "8x4x3x3",
                           "2:4", "N:M valid"})
    EXPECT_NE(inspect.out.find(part), std::string::npos) << inspect.out << "lacks: " << part;
}

// The mean score of each class in order, whose largest is the answer that the accuracy counts.
TEST_F(Cli, EvalWritesTheScoresThatItsAccuracyComesFrom) {
  ASSERT_EQ(run(tiny({"train", "--out", "run"}, {"neuron.threshold=0.1"})).code, 0);
  const Outcome eval = run({"eval", "run", "--json", "--scores", "s.safetensors"});
  ASSERT_EQ(eval.code, 0) << eval.err;
  const SafetensorsFile file = read_safetensors(dir / "s.safetensors");
  const StoredTensor &scores = *file.find("scores"), &labels = *file.find("labels");
  EXPECT_EQ(scores.dtype + " " + labels.dtype, "F32 I64");
  ASSERT_EQ(scores.shape, (std::vector<int64_t>{20, 10}));
  ASSERT_EQ(labels.shape, std::vector<int64_t>{20});

  const auto* const score = reinterpret_cast<const float*>(scores.bytes.data());
  const auto* const label = reinterpret_cast<const int64_t*>(labels.bytes.data());
  std::set<float> values(score, score + 200);
  EXPECT_GT(values.size(), 20u);
  int right = 0;
  for (int64_t i = 0; i < 20; ++i) {
    const float* const row = score + 10 * i;
    right += std::max_element(row, row + 10) - row == label[i] ? 1 : 0;
  }
  EXPECT_EQ(5 * right, Json::parse(eval.out).at("test_accuracy"));
  expect_failure({"eval", "run", "--scores", "nowhere/s.safetensors"}, 1,
                 {"nowhere/s.safetensors", "No such file"});
}

TEST_F(Cli, ADryRunAndInspectNeedNeitherDataNorGpu) {
  write_file_atomically(dir / "c.toml",
                        "device = 'cuda'\n[data]\nname = 'cifar10-dvs'\nroot = 'nowhere'\n"
                        "[model]\nname = 'vggsnn'\nwidth = 2\n[method]\npattern = '2:8'\n");
  const Outcome inspect = run({"inspect", "--config", "c.toml"});
  EXPECT_EQ(inspect.code, 0) << inspect.err;
  for (const char* part : {"conv8", "16x16x3x3", "100x144x1x1", "2:8", "connections"})
    EXPECT_NE(inspect.out.find(part), std::string::npos) << inspect.out << "lacks: " << part;
  const Outcome dry = run({"train", "--config", "c.toml", "--dry-run"});
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_NE(dry.err.find("note: data.root: 'nowhere' is not a folder"), std::string::npos);
  EXPECT_NE(dry.out.find("device = \"cuda\""), std::string::npos) << dry.out;
  expect_failure({"train", "--config", "c.toml"}, 1, {"nowhere"});
}

TEST_F(Cli, AModelsMasksKeepTheirPattern) {
  ASSERT_EQ(run(tiny({"train", "--out", "run"}, {"method.pattern=2:8"})).code, 0);
  for (const char* command : {"eval", "inspect"}) {
    Arguments arguments{command, "run"};
    if (std::string(command) == "inspect") arguments.emplace_back("--set");
    arguments.emplace_back("method.pattern=2:4");
    expect_failure(arguments, 1, {"run/model.safetensors", "method.pattern=2:4", "masks"});
  }
}

TEST_F(Cli, AFrameInspectsAConfigWhoseDataIsNotThere) {
  write_file_atomically(dir / "c.toml",
                        "[data]\nname = 'cifar10-dvs'\nroot = 'nowhere'\n"
                        "[model]\nname = 'vggsnn'\nwidth = 2\n[method]\npattern = '2:8'\n"
                        "[train]\nlr = 0.1\n");
  const Outcome found = run({"inspect", "--config", "c.toml", "--frame", "2x48x48x10"});
  EXPECT_EQ(found.code, 0) << found.err;
  for (const char* part : {"conv8", "16x16x3x3", "100x144x1x1", "2:8", "connections"})
    EXPECT_NE(found.out.find(part), std::string::npos) << found.out << "lacks: " << part;
  EXPECT_EQ(found.out.find("kept %"), std::string::npos) << found.out;
  expect_failure({"inspect", "--frame", "2x48x48x10", "--set", "model.widht=3"}, 1,
                 {"model.widht", "nearest is model.width"});
  for (const char* frame : {"2x48x48", "2x48x48x10x1", "2x48x48x10 ", "2x0x48x10", "ax1x1x1", "x",
                            "99999999999999999999x1x1x1"})
    expect_failure({"inspect", "--frame", frame}, 2, {"--frame", frame, "3x32x32x10"});
}

TEST_F(Cli, AModelFileThatIsSpoiltFails) {
  ASSERT_EQ(run(tiny({"train", "--out", "run"})).code, 0);
  const fs::path model = dir / "run/model.safetensors";
  const std::string whole = read_file(model);
  for (const std::string& content : {whole.substr(0, whole.size() - 5), std::string("nonsense")}) {
    write_file_atomically(model, content);
    for (const char* command : {"eval", "inspect"})
      expect_failure({command, "run"}, 1, {"run/model.safetensors"});
  }
  for (const char* command : {"eval", "inspect"})
    expect_failure({command, "nowhere"}, 1, {"nowhere", "No such file"});
}

TEST_F(Cli, ADryRunPrintsAConfigThatIsUnderstoodAndMakesNothing) {
  const Outcome dry = run(tiny({"train", "--dry-run"}, {"method.layer_pattern.\"conv*\"=2:8"}));
  ASSERT_EQ(dry.code, 0) << dry.err;
  EXPECT_EQ(files_in("."), (std::set<std::string>{"out", "err"}));
  write_file_atomically(dir / "given.toml", dry.out);
  const Outcome again = run({"train", "--config", "given.toml", "--dry-run"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.out, dry.out);
  const Outcome inspect = run({"inspect", "--config", "given.toml", "--set", "model.width=8"});
  EXPECT_EQ(inspect.code, 0) << inspect.err;
  EXPECT_NE(inspect.out.find("16x8x3x3"), std::string::npos) << inspect.out;
}

TEST_F(Cli, WhatIsNotedOfAModelIsSaidByEvalAndInspect) {
  ASSERT_EQ(run(tiny({"train", "--out", "run"}, {"data.cache=disk", "data.cache_dir=theirs"})).code,
            0);
  for (const char* command : {"eval", "inspect"}) {
    const Outcome found = run({command, "run"});
    EXPECT_EQ(found.code, 0) << found.err;
    EXPECT_NE(found.err.find("note: run/model.safetensors: data.cache_dir 'theirs' is not used"),
              std::string::npos)
        << command << ": " << found.err;
  }
}

TEST_F(Cli, TheDemoRunsItsThreeMethodsIntoOneTable) {
  const Outcome demo =
      run({"demo", "--out", "d", "data.train_size=60", "data.test_size=20", "model.width=4",
           "model.T=2", "train.epochs=1", "train.batch_size=20", "train.search_epochs=0"});
  ASSERT_EQ(demo.code, 0) << demo.err;
  for (const char* part : {"dense", "random", "spikenm", "runs: d",
                           "run without torch: d/spikenm_2x8.snm", "stored dense", "in training"})
    EXPECT_NE(demo.out.find(part), std::string::npos) << demo.out << "lacks: " << part;
  EXPECT_EQ(files_in("d"),
            (std::set<std::string>{"dense", "random_2x8", "spikenm_2x8", "spikenm_2x8.snm"}));
}

}  // namespace
}  // namespace spikenm
