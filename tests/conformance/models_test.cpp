// What every model must do, whatever it is.
#include "spikenm/graph/models/models.h"

#include "spikenm/graph/models/neuron_options.h"
#include "spikenm/nn/run_pass.h"
#include "support/normal_values.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <set>

namespace spikenm::nn {
namespace {

using graph::models;

std::unique_ptr<Network> make(const std::string& name, uint64_t seed = 0) {
  // Frames that five pools fit; neurons that fire in layers of a few channels, however deep.
  const graph::ModelSpec spec{
      .frame = {3, 32, 36},
      .classes = graph::numbered_classes(7),
      .neuron = graph::read_neuron(Config::from_text("threshold = 0.1", ""))};
  return std::make_unique<Network>(models().find(name)(spec, Config::from_text("width = 4", "")),
                                   seed);
}

Tensor frames(int64_t T, int64_t B) {
  const auto n = static_cast<size_t>(T * B * 3 * 32 * 36);
  return at::tensor(test::normal_values<float>(n, 1, 5)).abs().view({T, B, 3, 32, 36});
}

TEST(EveryModel, HasItsOwnNameAndASummary) {
  std::set<std::string> names;
  for (const auto& row : models().rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.summary.empty()) << row.name;
  }
  EXPECT_GE(names.size(), 3u);
}

TEST(EveryModel, GivesAScoreAClassAtEveryStep) {
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
