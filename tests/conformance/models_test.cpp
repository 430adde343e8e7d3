// What every model must do, whatever it is.
#include "spikenm/graph/models/models.h"

#include "spikenm/nn/network.h"
#include "spikenm/nn/run_pass.h"
#include "support/normal_values.h"
#include "support/small_models.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <set>

namespace spikenm::nn {
namespace {

using graph::models;

std::unique_ptr<Network> make(const std::string& name, uint64_t seed = 0) {
  graph::ModelSpec spec = test::deep_spec();
  spec.frame = {3, 32, 36};
  spec.classes = graph::numbered_classes(7);
  return std::make_unique<Network>(test::small_model(name, spec), seed);
}

Tensor frames(int64_t T, int64_t B) {
  const auto n = static_cast<size_t>(T * B * 3 * 32 * 36);
  return at::tensor(test::normal_values<float>(n, 1, 5)).abs().view({T, B, 3, 32, 36});
}

TEST(EveryModel, HasASmallSizeForTests) {
  std::set<std::string> registered, small;
  for (const std::string& name : models().names()) registered.insert(name);
  for (const auto& [name, keys] : test::small_model_keys()) small.insert(name);
  EXPECT_EQ(small, registered) << "add or remove a row of tests/support/small_models.h";
}

TEST(EveryModel, GivesAScorePerClassAtEveryStep) {
  for (const auto& row : models().rows())
    for (const auto& [T, B] : {std::pair<int64_t, int64_t>{1, 2}, {3, 1}, {4, 2}}) {
      const auto network = make(row.name);
      const at::NoGradGuard no_grad;
      RunPass pass(/*training=*/false);
      const Tensor scores = network->forward(pass, frames(T, B));
      EXPECT_EQ(scores.sizes(), (std::vector<int64_t>{T, B, 7})) << row.name;
      EXPECT_TRUE(scores.isfinite().all().item<bool>()) << row.name;
    }
}

TEST(EveryModel, LetsGradientReachEveryParameter) {
  for (const auto& row : models().rows()) {
    const auto network = make(row.name);
    RunPass pass(/*training=*/true);
    const Tensor scores = network->forward(pass, frames(3, 4)).mean(0);
    at::cross_entropy_loss(scores, at::arange(4)).backward();
    for (const NamedTensor& p : network->parameters()) {
      ASSERT_TRUE(p.tensor.grad().defined()) << row.name << " " << p.name;
      EXPECT_GT(p.tensor.grad().abs().max().item<float>(), 0) << row.name << " " << p.name;
    }
  }
}

TEST(EveryModel, StartsFromItsSeed) {
  for (const auto& row : models().rows()) {
    const auto a = make(row.name, 1)->parameters(), b = make(row.name, 1)->parameters();
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i)
      EXPECT_TRUE(at::equal(a[i].tensor, b[i].tensor)) << row.name << " " << a[i].name;
    EXPECT_FALSE(at::equal(a[0].tensor, make(row.name, 2)->parameters()[0].tensor)) << row.name;
  }
}

TEST(EveryModel, NamesEveryTensorOnce) {
  for (const auto& row : models().rows()) {
    const auto network = make(row.name);
    std::set<std::string> names;
    for (const auto& list : {network->parameters(), network->buffers()})
      for (const NamedTensor& t : list) {
        EXPECT_TRUE(names.insert(t.name).second) << row.name << " " << t.name;
        EXPECT_TRUE(t.tensor.is_contiguous() && t.tensor.scalar_type() == at::kFloat) << t.name;
      }
  }
}

}  // namespace
}  // namespace spikenm::nn
