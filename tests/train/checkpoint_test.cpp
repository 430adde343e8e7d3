#include "spikenm/train/checkpoint.h"

#include "spikenm/core/file.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace spikenm::train {
namespace {

namespace fs = std::filesystem;

// A state of two tensors, a number and a text.
struct Thing {
  at::Tensor a = at::arange(6, at::kFloat).view({2, 3}), b = at::tensor({7}, at::kLong);
  double number = 0.1;
  std::string text = "x";

  ShowState show() {
    return [this](nn::StateVisitor& visitor) {
      visitor.tensor("a", a);
      const nn::StateVisitor::Scope scope(visitor, "part");
      visitor.tensor("b", b);
      visitor.value("number", number);
      visitor.value("text", text);
    };
  }
};

Thing other() {
  Thing thing;
  thing.a = at::zeros({2, 3});
  thing.b = at::tensor({0}, at::kLong);
  thing.number = 1;
  thing.text = "";
  return thing;
}

class Checkpoint : public testing::Test {
 protected:
  void save(int64_t step, int64_t keep = 2) {
    thing.number = static_cast<double>(step) + 0.1;
    write_checkpoint(dir.path(), copy_state(thing.show()), {.step = step, .where = "here"}, keep);
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const fs::path& path : list_checkpoints(dir.path()))
      found.push_back(path.filename().string());
    return found;
  }
  // Writes the newest one with another content.
  void damage(const std::function<void(std::string&)>& change) {
    const fs::path path = list_checkpoints(dir.path()).front();
    std::string bytes = read_file(path);
    change(bytes);
    write_file_atomically(path, bytes);
  }

  test::TempDir dir;
  Thing thing;
};

// A damaged newer one was left for an older one, from which the run went on.
TEST_F(Checkpoint, OnesAheadOfTheRunGoWhenItSavesAgain) {
  save(10);
  save(30);
  save(12, /*keep=*/1);
  EXPECT_EQ(names(), (std::vector<std::string>{"step-12.safetensors"}));
}

TEST_F(Checkpoint, GivesBackWhatWasSaved) {
  save(3);
  Thing loaded = other();
  const CheckpointNote note = load_checkpoint(dir / "step-3.safetensors", loaded.show());
  EXPECT_EQ(note.step, 3);
  EXPECT_EQ(note.where, "here");
  EXPECT_EQ(hash_state(loaded.show()), hash_state(thing.show()));
  EXPECT_NE(hash_state(other().show()), hash_state(thing.show()));
  EXPECT_EQ(loaded.number, 3.1);
  EXPECT_EQ(loaded.b.item<int64_t>(), 7);
}

// What goes on training does not change a copy.
TEST_F(Checkpoint, ACopyStaysAsItWas) {
  const StateCopy copy = copy_state(thing.show());
  thing.a.fill_(9);
  EXPECT_EQ(copy.tensors.at(0).tensor.max().item<float>(), 5);
  EXPECT_EQ(copy.tensors.at(1).name, "part.b");
}

TEST_F(Checkpoint, ACopySharesTheMemoryOfConstantsAloneAndGivesThemBack) {
  const at::Tensor constant = at::tensor({1, 0, 1}, at::kByte);
  const auto show_with = [&](Thing& shown, const at::Tensor& value) -> ShowState {
    return [&shown, value](nn::StateVisitor& visitor) {
      visitor.constant("constant", value);
      shown.show()(visitor);
    };
  };
  const StateCopy copy = copy_state(show_with(thing, constant));
  for (const nn::NamedTensor& t : copy.tensors)
    EXPECT_EQ(t.tensor.const_data_ptr() == constant.const_data_ptr(), t.name == "constant");
  EXPECT_EQ(copy.tensors.size(), 3u);

  write_checkpoint(dir.path(), copy, {.step = 1}, 1);
  Thing loaded = other();
  const at::Tensor loaded_constant = at::zeros({3}, at::kByte);
  load_checkpoint(dir / "step-1.safetensors", show_with(loaded, loaded_constant));
  EXPECT_EQ(hash_state(show_with(loaded, loaded_constant)), hash_state(show_with(thing, constant)));
  EXPECT_TRUE(at::equal(loaded_constant, constant));
}

TEST_F(Checkpoint, TheNewestStayAndOtherFilesAreNotTouched) {
  write_file_atomically(dir / "step-x.safetensors", "mine");
  for (const int64_t step : {9, 10, 100}) save(step);
  EXPECT_EQ(names(), (std::vector<std::string>{"step-100.safetensors", "step-10.safetensors"}));
  EXPECT_TRUE(fs::exists(dir / "step-x.safetensors"));
  save(101, 1);
  EXPECT_EQ(names(), std::vector<std::string>{"step-101.safetensors"});
  EXPECT_TRUE(list_checkpoints(dir / "none").empty());
}

TEST_F(Checkpoint, ADamagedOneIsPassedOverForTheOneBefore) {
  save(1);
  save(2);
  damage([](std::string& bytes) { bytes.resize(bytes.size() - 1); });
  Thing loaded = other();
  EXPECT_EQ(load_newest_checkpoint(dir.path(), loaded.show())->step, 1);
  EXPECT_EQ(loaded.number, 1.1);
  fs::remove(dir / "step-1.safetensors");
  EXPECT_ERROR(load_newest_checkpoint(dir.path(), loaded.show()), "step-2.safetensors");
  fs::remove(dir / "step-2.safetensors");
  EXPECT_EQ(load_newest_checkpoint(dir.path(), loaded.show()), std::nullopt);
}

TEST_F(Checkpoint, AStateOfAnotherRunIsRefusedByName) {
  save(1);
  Thing wide;
  wide.a = at::zeros({2, 4});
  EXPECT_ERROR(load_newest_checkpoint(dir.path(), wide.show()), "'a'", "F32 [2,3]", "F32 [2,4]");
  Thing doubles;
  doubles.a = at::zeros({2, 3}, at::kDouble);
  EXPECT_ERROR(load_newest_checkpoint(dir.path(), doubles.show()), "'a'", "F32", "F64");
  const auto fewer = [&](nn::StateVisitor& visitor) { visitor.tensor("a", thing.a); };
  EXPECT_ERROR(load_newest_checkpoint(dir.path(), fewer), "part.b", "does not have");
  const auto more = [&](nn::StateVisitor& visitor) {
    thing.show()(visitor);
    visitor.tensor("c", thing.a);
  };
  EXPECT_ERROR(load_newest_checkpoint(dir.path(), more), "no tensor 'c'");
  int64_t whole = 0;
  const auto typed = [&](nn::StateVisitor& visitor) {
    const nn::StateVisitor::Scope scope(visitor, "part");
    visitor.value("text", whole);
  };
  EXPECT_ERROR(load_newest_checkpoint(dir.path(), typed), "part.text", "another type");
}

}  // namespace
}  // namespace spikenm::train
