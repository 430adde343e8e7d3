#include "spikenm/graph/infer_shape.h"

#include "support/expect_error.h"

#include <cmath>

namespace spikenm::graph {
namespace {

const Shape kMap{2, 9, 6};
const Shape kRow{.channels = 12, .is_map = false};

Shape infer(Operation operation, const std::vector<Shape>& inputs) {
  return infer_shape("node", operation, inputs);
}

Synapse conv(int64_t out, int64_t kh, int64_t kw, int64_t stride = 1, int64_t padding = 0) {
  return {.shape = {out, 0, kh, kw}, .geometry = {.stride = stride, .padding = padding}};
}

Pool pool(int64_t size, int64_t stride, int64_t padding = 0, PoolKind kind = PoolKind::kMax) {
  return {.kind = kind, .size = size, .stride = stride, .padding = padding};
}

template <class Change>
Neuron neuron_with(Change&& change) {
  Neuron neuron;
  change(neuron);
  return neuron;
}

TEST(InferShape, ConvolutionsFollowKernelStrideAndPadding) {
  EXPECT_EQ(infer(conv(5, 3, 3, 1, 1), {kMap}), (Shape{5, 9, 6}));
  EXPECT_EQ(infer(conv(5, 3, 3), {kMap}), (Shape{5, 7, 4}));
  EXPECT_EQ(infer(conv(5, 3, 3, 2, 1), {kMap}), (Shape{5, 5, 3}));
  EXPECT_EQ(infer(conv(5, 9, 6), {kMap}), (Shape{5, 1, 1}));
  EXPECT_EQ(infer(conv(5, 1, 5, 3), {kMap}), (Shape{5, 3, 1}));
}

TEST(InferShape, ASynapseOnARowIsALinearLayer) {
  EXPECT_EQ(infer(conv(7, 1, 1), {kRow}), (Shape{.channels = 7, .is_map = false}));
  EXPECT_ERROR(infer(conv(7, 3, 3, 1, 1), {kRow}), "node: finds a row of 12 features", "kernel 1");
  EXPECT_ERROR(infer(conv(7, 1, 1, 2), {kRow}), "node: finds a row of 12 features");
}

TEST(InferShape, FillsInInputChannelsAndRefusesOthers) {
  Operation operation = conv(5, 3, 3);
  const std::vector<Shape> inputs{kMap};
  (void)infer_shape("node", operation, inputs);
  EXPECT_EQ(std::get<Synapse>(operation).shape.cin, 2);
  Synapse other = conv(5, 3, 3);
  other.shape.cin = 3;
  EXPECT_ERROR(infer(other, {kMap}), "node: wants 3 channels", "2x9x6");
}

TEST(InferShape, SynapsesThatMakeNoSenseAreErrors) {
  EXPECT_ERROR(infer(conv(0, 3, 3), {kMap}), "node: found out 0, wanted 1 to");
  EXPECT_ERROR(infer(conv(-1, 3, 3), {kMap}), "node: found out -1");
  EXPECT_ERROR(infer(conv(INT64_MAX, 3, 3), {kMap}), "node: found out 9223372036854775807");
  EXPECT_ERROR(infer(conv(5, 0, 3), {kMap}), "node: found kernel 0");
  EXPECT_ERROR(infer(conv(5, 3, 1025), {kMap}), "node: found kernel 1025");
  EXPECT_ERROR(infer(conv(5, 3, 3, 0), {kMap}), "node: found stride 0");
  EXPECT_ERROR(infer(conv(5, 3, 3, 1, -1), {kMap}), "node: found padding -1");
  EXPECT_ERROR(infer(conv(5, 10, 3), {kMap}), "node: a 10x3 kernel finds a 2x9x6 map, too small");
  EXPECT_ERROR(infer(conv(5, 3, 9, 1, 1), {kMap}), "node: a 3x9 kernel", "padding 1");
  EXPECT_ERROR(infer(conv(1 << 24, 1, 1), {{1 << 10, 1, 1}}), "16777216x1024x1x1 weights");
  EXPECT_ERROR(infer(conv(1 << 20, 1, 1), {{1, 128, 65}}), "node: would give 1048576x128x65");
}

// What validates must run: kernels take no larger window.
TEST(InferShape, PoolsAreOfASizeThatRuns) {
  const Shape map{2, 34, 34};
  EXPECT_EQ(infer(Pool{.size = 15, .stride = 1}, {map}), (Shape{2, 20, 20}));
  EXPECT_ERROR(infer(Pool{.size = 16, .stride = 1}, {map}), "node: found size 16, wanted 1 to 15");
}

TEST(InferShape, NormsAndNeuronsKeepTheShape) {
  for (const Shape& shape : {kMap, kRow}) {
    EXPECT_EQ(infer(Norm{}, {shape}), shape);
    EXPECT_EQ(infer(Neuron{}, {shape}), shape);
  }
}

TEST(InferShape, NeuronsThatMakeNoSenseAreErrors) {
  const auto refused = [](auto&& change) {
    return infer(neuron_with(std::forward<decltype(change)>(change)), {kMap});
  };
  EXPECT_ERROR(refused([](Neuron& n) { n.tau = 0.5; }), "node: found tau 0.5, wanted at least 1");
  EXPECT_ERROR(refused([](Neuron& n) { n.tau = NAN; }), "node: found a constant", "not finite");
  EXPECT_ERROR(refused([](Neuron& n) {
                 n.tau = 1;
                 n.params.neuron = NeuronKind::kPlif;
               }),
               "node: found tau 1, wanted more than 1");
  EXPECT_ERROR(refused([](Neuron& n) { n.tau_syn = 0.5; }), "node: found tau_syn 0.5");
  EXPECT_ERROR(refused([](Neuron& n) { n.tau_syn = INFINITY; }), "not finite");
  EXPECT_ERROR(refused([](Neuron& n) { n.params.threshold = 0; }), "node: found threshold 0");
  EXPECT_ERROR(refused([](Neuron& n) { n.params.alpha = -1; }), "node: found alpha -1");
  EXPECT_ERROR(refused([](Neuron& n) { n.params.alpha = INFINITY; }), "not finite");
  EXPECT_ERROR(refused([](Neuron& n) { n.params.v_reset = 1; }), "node: found v_reset 1",
               "below the threshold 1");
  EXPECT_NO_THROW(refused([](Neuron& n) {
    n.params.v_reset = 1;
    n.params.soft_reset = true;
  }));
  EXPECT_NO_THROW(refused([](Neuron& n) { n.tau = 1; }));
}

TEST(InferShape, PoolsTakeWholeWindows) {
  EXPECT_EQ(infer(pool(2, 2), {kMap}), (Shape{2, 4, 3}));
  EXPECT_EQ(infer(pool(3, 2, 1), {kMap}), (Shape{2, 5, 3}));
  EXPECT_EQ(infer(pool(3, 1), {kMap}), (Shape{2, 7, 4}));
  EXPECT_EQ(infer(pool(6, 6, 0, PoolKind::kAverage), {kMap}), (Shape{2, 1, 1}));
}

TEST(InferShape, PoolsThatMakeNoSenseAreErrors) {
  EXPECT_ERROR(infer(pool(0, 1), {kMap}), "node: found size 0");
  EXPECT_ERROR(infer(pool(2, 0), {kMap}), "node: found stride 0");
  EXPECT_ERROR(infer(pool(2, 2, 2), {kMap}), "node: found padding 2", "half of the size 2");
  EXPECT_ERROR(infer(pool(2, 2, -1), {kMap}), "node: found padding -1");
  EXPECT_ERROR(infer(pool(2, 2, 1, PoolKind::kAverage), {kMap}), "node: found an average pool");
  EXPECT_ERROR(infer(pool(7, 7), {kMap}), "node: a 7x7 pool finds 2x9x6",
               "larger frames or fewer pools");
  EXPECT_ERROR(infer(pool(2, 2), {kRow}), "node: a 2x2 pool finds 12");
}

TEST(InferShape, SumsWantInputsOfOneShape) {
  EXPECT_EQ(infer(Sum{}, {kMap, kMap, kMap}), kMap);
  EXPECT_EQ(infer(Sum{}, {kRow, kRow}), kRow);
  EXPECT_ERROR(infer(Sum{}, {kMap, {2, 9, 7}}), "node: finds 2x9x6 and 2x9x7");
  EXPECT_ERROR(infer(Sum{}, {{12, 1, 1}, kRow}), "node: finds 12x1x1 and 12");
}

TEST(InferShape, MapsBecomeRows) {
  EXPECT_EQ(infer(Flatten{}, {kMap}), (Shape{.channels = 108, .is_map = false}));
  EXPECT_EQ(infer(Flatten{}, {kRow}), kRow);
  EXPECT_EQ(infer(Mean{}, {kMap}), (Shape{.channels = 2, .is_map = false}));
  EXPECT_ERROR(infer(Mean{}, {kRow}), "node: finds a row of 12 features, wanted a map");
}

TEST(InferShape, VotesAreOfEqualGroups) {
  EXPECT_EQ(infer(Vote{.voters = 4}, {kRow}), (Shape{.channels = 3, .is_map = false}));
  EXPECT_ERROR(infer(Vote{.voters = 5}, {kRow}), "node: finds 12", "groups of 5");
  EXPECT_ERROR(infer(Vote{.voters = 0}, {kRow}), "node: found voters 0");
  EXPECT_ERROR(infer(Vote{.voters = 1}, {kMap}), "node: finds 2x9x6, wanted a row");
}

TEST(InferShape, OperationsReadOneInputAndSumsSeveral) {
  for (const Operation& operation :
       {Operation(conv(2, 1, 1)), Operation(Norm{}), Operation(Neuron{}), Operation(pool(2, 2)),
        Operation(Flatten{}), Operation(Mean{}), Operation(Vote{})}) {
    EXPECT_ERROR(infer(operation, {}), "node: found 0 inputs, wanted 1");
    EXPECT_ERROR(infer(operation, {kMap, kMap}), "node: found 2 inputs, wanted 1");
  }
  EXPECT_ERROR(infer(Sum{}, {kMap}), "node: found 1 inputs, wanted 2 or more");
  EXPECT_ERROR(infer(Input{}, {kMap}), "node: found a second input");
}

}  // namespace
}  // namespace spikenm::graph
