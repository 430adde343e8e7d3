#include "spikenm/train/step_watch.h"

#include "support/small_network.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

namespace spikenm::train {
namespace {

using test::small_network;

at::Tensor loss_of(double value) {
  return at::full({}, value, at::kDouble);
}

// Gradients of ones; then those of some parameters get a value that is not finite.
class Watched {
 public:
  explicit Watched(int64_t limit = 1) : network(small_network()), watch(*network, limit) {}

  void see(double loss, const std::vector<std::string>& broken, float value = NAN) {
    for (const nn::NamedTensor& p : network->parameters()) {
      at::Tensor gradient = at::ones_like(p.tensor);
      if (std::find(broken.begin(), broken.end(), p.name) != broken.end())
        gradient.view({-1})[-1] = value;
      at::Tensor(p.tensor).mutable_grad() = gradient;
    }
    watch.see(loss_of(loss), nullptr);
  }

  std::unique_ptr<nn::Network> network;
  StepWatch watch;
};

TEST(StepWatch, FiniteStepsAreTaken) {
  Watched w;
  w.see(1, {});
  EXPECT_EQ(w.watch.skip().item<float>(), 0);
  EXPECT_FALSE(w.watch.found().has_value());
}

// A backward spreads a NaN from the layer that made it to all layers before it.
TEST(StepWatch, TheLastLayerThatIsNotFiniteIsBlamed) {
  for (const float value : {NAN, INFINITY, -INFINITY}) {
    Watched w;
    w.see(1, {});
    w.see(2, {"conv1.weight", "conv2.weight", w.network->norms()[0].name + ".weight"}, value);
    EXPECT_EQ(w.watch.skip().item<float>(), 1);
    ASSERT_TRUE(w.watch.found().has_value());
    EXPECT_EQ(w.watch.found()->gradient, "conv2.weight");
    EXPECT_EQ(w.watch.found()->first, 1);
    EXPECT_EQ(w.watch.found()->loss, 2);
  }
}

TEST(StepWatch, ANormIsBlamedIfNoSynapseIs) {
  Watched w;
  const std::string norm = w.network->norms()[1].name + ".bias";
  w.see(1, {norm});
  EXPECT_EQ(w.watch.found()->gradient, norm);
}

TEST(StepWatch, TheMethodsParametersAreWatchedToo) {
  Watched w;
  at::Tensor logits = at::ones({3}), empty = at::empty({0}), fine = at::ones({2});
  logits.mutable_grad() = at::tensor({1.0f, INFINITY, 1.0f});
  empty.mutable_grad() = at::empty({0});
  fine.mutable_grad() = at::ones({2});
  w.see(1, {});
  w.watch.see_more({{"empty", empty}, {"fine", fine}}, nullptr);
  EXPECT_EQ(w.watch.skip().item<float>(), 0);
  w.see(2, {});
  w.watch.see_more({{"empty", empty}, {"logits", logits}, {"fine", fine}}, nullptr);
  EXPECT_EQ(w.watch.skip().item<float>(), 1);
  ASSERT_TRUE(w.watch.found().has_value());
  EXPECT_EQ(w.watch.found()->gradient, "logits");
  EXPECT_EQ(w.watch.found()->first, 1);
  EXPECT_EQ(w.watch.found()->loss, 2);
}

TEST(StepWatch, ARowMustReachItsLimit) {
  Watched w(3);
  for (int i = 0; i < 2; ++i) w.see(1, {"conv1.weight"});
  w.see(1, {});
  for (int i = 0; i < 2; ++i) w.see(NAN, {});
  EXPECT_FALSE(w.watch.found().has_value());
  EXPECT_EQ(w.watch.skip().item<float>(), 1);
  w.see(1, {"conv1.weight"});
  ASSERT_TRUE(w.watch.found().has_value());
  EXPECT_EQ(w.watch.found()->first, 3);
  EXPECT_EQ(w.watch.found()->in_a_row, 3);
  EXPECT_EQ(w.watch.found()->gradient, "");  // the loss of its first step
  EXPECT_TRUE(std::isnan(w.watch.found()->loss));
}

}  // namespace
}  // namespace spikenm::train
