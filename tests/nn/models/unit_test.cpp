#include "spikenm/nn/models/unit.h"

#include "support/tensors.h"
#include "support/tiny_network.h"

namespace spikenm::nn {
namespace {

using test::TinyNetwork;

UnitSpec conv_spec() {
  return {.name = "a",
          .shape = {4, 3, 3, 3},
          .geometry = {.stride = 2, .padding = 1},
          .neuron = NeuronSpec{},
          .neurons_maskable = true};
}

TEST(Unit, LayersAreAddedUnderTheUnitsName) {
  TinyNetwork network;
  const Unit unit = add_unit(network, conv_spec(), 0);
  EXPECT_EQ(unit.synapse, &network.synapses().at(0));
  EXPECT_EQ(unit.norm, &network.norms().at(0));
  EXPECT_EQ(unit.neuron, &network.neurons().at(0));
  EXPECT_EQ(unit.synapse->name, "a");
  EXPECT_EQ(unit.norm->name, "bn_a");
  EXPECT_EQ(unit.neuron->name, "lif_a");
  EXPECT_EQ(unit.synapse->drives, unit.neuron);
  EXPECT_EQ(unit.synapse->geometry.stride, 2);
  EXPECT_TRUE(unit.synapse->maskable);
  EXPECT_TRUE(unit.neuron->maskable);
  EXPECT_FALSE(unit.synapse->bias.defined());
}

TEST(Unit, AReadoutHasABiasAndNothingElse) {
  TinyNetwork network;
  const Unit unit = add_unit(
      network,
      {.name = "head", .shape = {5, 7, 1, 1}, .norm = false, .bias = true, .maskable = false}, 0);
  EXPECT_EQ(unit.norm, nullptr);
  EXPECT_EQ(unit.neuron, nullptr);
  EXPECT_EQ(unit.synapse->drives, nullptr);
  EXPECT_FALSE(unit.synapse->maskable);
  EXPECT_TRUE(network.norms().empty());
  EXPECT_TRUE(network.neurons().empty());
  ASSERT_TRUE(unit.synapse->bias.defined());
  EXPECT_TRUE(unit.synapse->bias.requires_grad());
}

TEST(Unit, ForwardIsSynapseNormNeuron) {
  TinyNetwork network;
  const Unit unit = add_unit(network, conv_spec(), 0);
  const Tensor x = test::normal_tensor({3, 2, 3, 6, 5}, at::kFloat, 1, 2);
  RunPass pass(false);
  const Tensor wanted =
      pass.neuron(*unit.neuron, pass.norm(*unit.norm, pass.synapse(*unit.synapse, x)));
  EXPECT_EQ(wanted.sizes(), at::IntArrayRef({3, 2, 4, 3, 3}));
  EXPECT_GT(wanted.sum().item<float>(), 0);
  EXPECT_TRUE(test::tensors_identical(unit.forward(pass, x), wanted));
}

TEST(Unit, ABiasIsAddedToEveryStepAndSample) {
  TinyNetwork network;
  const Unit unit =
      add_unit(network, {.name = "head", .shape = {5, 7, 1, 1}, .norm = false, .bias = true}, 0);
  RunPass pass(false);
  EXPECT_TRUE(test::tensors_identical(unit.forward(pass, at::zeros({2, 3, 7})),
                                      unit.synapse->bias.expand({2, 3, 5}).contiguous()));
}

TEST(Unit, EqualUnitsOfANetworkStartFromOtherValues) {
  TinyNetwork network;
  const Unit a = add_unit(network, conv_spec(), 0), b = add_unit(network, conv_spec(), 0);
  EXPECT_FALSE(a.synapse->weight.equal(b.synapse->weight));
}

}  // namespace
}  // namespace spikenm::nn
