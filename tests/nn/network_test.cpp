#include "spikenm/nn/network.h"

#include "support/tensors.h"
#include "support/tiny_network.h"

namespace spikenm::nn {
namespace {

using test::floats;
using test::tensors_equal;

TEST(Vote, ConsecutiveOutputsAreAveraged) {
  const Tensor x = floats({1, 3, 10, 20,  //
                           0, 1, 2, 6},
                          {2, 1, 4});
  EXPECT_TRUE(tensors_equal(vote(x, 2), floats({2, 15, 0.5f, 4}, {2, 1, 2})));
  EXPECT_TRUE(tensors_equal(vote(x, 4), floats({8.5f, 2.25f}, {2, 1, 1})));
}

TEST(Vote, OneVoterDecidesAlone) {
  const Tensor x = floats({1, 3, 10, 20}, {1, 2, 2});
  EXPECT_TRUE(tensors_equal(vote(x, 1), x));
}

TEST(Vote, TheGradientIsSharedByTheVoters) {
  const Tensor x = at::zeros({1, 1, 4}).set_requires_grad(true);
  EXPECT_TRUE(tensors_equal(test::gradients(vote(x, 2), floats({2, 6}, {1, 1, 2}), {x})[0],
                            floats({1, 1, 3, 3}, {1, 1, 4})));
}

TEST(GlobalAverage, IsTheMeanOfAMapThatNeedNotBeSquare) {
  const Tensor x = floats({1, 2, 3, 4, 5, 9,  //
                           0, 0, 0, 0, 0, 6},
                          {1, 1, 2, 2, 3});
  EXPECT_TRUE(tensors_equal(global_average(x), floats({4, 1}, {1, 1, 2})));
}

TEST(Network, ParametersAndBuffersAreItsOwnTensorsByName) {
  struct Normed : test::TinyNetwork {
    Normed() {
      Norm& norm = norms_.emplace_back();
      norm.name = "bn";
      norm.state.gamma = at::ones({1});
      norm.state.beta = at::zeros({1});
      norm.state.running_mean = at::zeros({1});
      norm.state.running_var = at::ones({1});
    }
  } network;
  network.add_synapse("fc", at::ones({1, 1, 1, 1}));
  network.add_neuron("still");
  network.add_neuron("learns").leak_logit = at::zeros({1});
  const auto parameters = network.parameters(), buffers = network.buffers();
  std::vector<std::string> names;
  for (const auto& list : {parameters, buffers})
    for (const NamedTensor& t : list) names.push_back(t.name);
  EXPECT_EQ(names, (std::vector<std::string>{"fc.weight", "bn.weight", "bn.bias", "learns.w",
                                             "bn.running_mean", "bn.running_var"}));
  EXPECT_TRUE(parameters[0].tensor.is_same(network.synapses()[0].weight));
  EXPECT_TRUE(parameters[2].tensor.is_same(network.norms()[0].state.beta));
  EXPECT_TRUE(parameters[3].tensor.is_same(network.neurons()[1].leak_logit));
  EXPECT_TRUE(buffers[1].tensor.is_same(network.norms()[0].state.running_var));
}

}  // namespace
}  // namespace spikenm::nn
