#include "spikenm/runtime/plan.h"

#include "spikenm/runtime/session.h"
#include "support/run_graphs.h"
#include "support/stored_models.h"

#include <gtest/gtest.h>

#include <set>

namespace spikenm::runtime {
namespace {

// 64 -> 256 channels behind one layer of neurons, max pooled.
StoredModel model_of(const std::optional<WeightRule>& rule, double rate) {
  test::GraphMaker m({2, 8, 8});
  const auto pool = m.add(test::max_pool(2, 2), {m.unit(0, 64)});
  m.add(test::synapse_of(3), {m.add(graph::Flatten{}, {m.unit(pool, 256)})});
  StoredModel model = test::random_model(m.finish(), {.rule = rule, .type = WeightType::kInt8});
  model.rates[3] = rate;
  return model;
}

LayerPlan plan_of(const std::optional<WeightRule>& rule, double rate) {
  return Model(model_of(rule, rate)).layer(1).plan;
}

TEST(Plan, RatesFollowPoolsAndAreUsualWhereNoneWasRecorded) {
  const std::vector<double> rates = bit_rates(model_of(std::nullopt, 0.1));
  const double pooled = 1 - 0.9 * 0.9 * 0.9 * 0.9;
  EXPECT_DOUBLE_EQ(rates[3], 0.1);
  EXPECT_DOUBLE_EQ(rates[4], pooled);
  EXPECT_DOUBLE_EQ(rates[7], kUsualRate);
}

constexpr WeightRule kShared{{2, 16, 64}, nm::Axis::kIn, false};

TEST(Plan, PacksWhereOutputsShareTheirMasks) {
  EXPECT_EQ(plan_of(kShared, 0.1).kernel, "packed events");
  EXPECT_EQ(plan_of(WeightRule{{2, 4, 1}, nm::Axis::kIn, false}, 0.05).kernel, "events");
  EXPECT_EQ(plan_of(std::nullopt, 0.1).kernel, "events");
}

TEST(Plan, DependsOnTheRecordedRates) {
  EXPECT_EQ(plan_of(kShared, 0.001).kernel, "events");  // finding the rows costs more than reading
  EXPECT_EQ(plan_of(kShared, 0.05).kernel, "packed events");
}

// The more a layer fires, the less it pays to look for the inputs that fire.
TEST(Plan, ReadsEveryInputOfALayerThatFiresMuch) {
  const WeightRule own{{2, 16, 1}, nm::Axis::kIn, false};
  const auto kernel = [](const std::optional<WeightRule>& rule, double rate) {
    const Model model(model_of(rule, 0.1));
    const Layer& layer = model.program().layers[1];
    const SynapseTensor tensor{.shape = {256, 64, 3, 3}, .rule = rule, .type = WeightType::kInt8};
    return plan_layer(tensor, layer, {.rate = rate, .byte_products = true}).kernel;
  };
  EXPECT_EQ(kernel(own, 0.03), "events");
  EXPECT_EQ(kernel(own, 0.3), "packed");
  EXPECT_EQ(kernel(std::nullopt, 0.3), "events");
  EXPECT_EQ(kernel(std::nullopt, 0.9), "dense");
}

// The second layer of 6conv2fc with masks of its own for every output, as runtime_bench timed it: of 2:16,
// 1.5 ms by events and 2.1 packed at 6 %, 2.5 and 2.1 at 10 %; of 2:4 events up to 20 % at least.
TEST(Plan, ChoosesWhatWasFasterOfTwoCloseWays) {
  Layer layer{.reads_spikes = true, .channels = 256, .height = 32, .width = 32};
  layer.window = {3, 3, 1, 1, 32, 32};
  const auto kernel = [&](const WeightRule& rule, double rate, double kept) {
    const SynapseTensor tensor{.shape = {256, 256, 3, 3}, .rule = rule, .type = WeightType::kInt8};
    return plan_layer(tensor, layer, {.kept = kept, .rate = rate, .byte_products = true}).kernel;
  };
  const WeightRule own{{2, 16, 1}, nm::Axis::kIn, false};
  EXPECT_EQ(kernel(own, 0.06, 1), "events");
  EXPECT_EQ(kernel(own, 0.10, 1), "packed");
  EXPECT_EQ(kernel({{2, 4, 1}, nm::Axis::kIn, false}, 0.2, 1), "events");
  EXPECT_EQ(kernel(kShared, 0.2, 0.125), "packed events");  // 0.9 ms, and 2.2 packed
}

// Reading every input costs more where four bytes cannot be multiplied at once.
TEST(Plan, IsMadeForTheLevelOfTheModel) {
  const WeightRule own{{2, 16, 1}, nm::Axis::kIn, false};
  for (const Isa isa : supported_isas()) {
    const Model model(model_of(own, 0.1), isa);
    EXPECT_EQ(model.isa(), isa);
    const std::string kernel = model.layer(1).plan.kernel;
    EXPECT_EQ(kernel, kernels::has_byte_products(isa) ? "packed" : "events") << isa_name(isa);
  }
  EXPECT_EQ(Model(model_of(own, 0.1)).isa(), active_isa());
}

TEST(Plan, AMaxPoolRaisesTheRate) {
  EXPECT_NEAR(plan_of(kShared, 0.06).input_rate, 1 - std::pow(0.94, 4), 1e-12);
}

TEST(Plan, SaysWhy) {
  EXPECT_NE(plan_of(kShared, 0.1).reason.find("keep 12 % of the rows"), std::string::npos)
      << plan_of(kShared, 0.1).reason;
  EXPECT_EQ(Model(model_of({}, 0.1)).layer(0).plan.kernel, "values");
}

// All ways give the same spikes.
TEST(Plan, DoesNotChangeTheResult) {
  for (const WeightRule& rule : {kShared, WeightRule{{2, 16, 1}, nm::Axis::kIn, false},
                                 WeightRule{{3, 4, 1}, nm::Axis::kIn, false}}) {
    std::vector<std::vector<float>> found;
    std::set<std::string> kernels;
    for (const double rate : {0.0001, 0.1, 0.9999}) {
      const auto model = std::make_shared<const Model>(model_of(rule, rate));
      kernels.insert(model->layer(1).plan.kernel);
      Session session(model);
      std::vector<float> input(static_cast<size_t>(model->frames() * model->frame_size()), 1.0f);
      const auto scores = session.run(input);
      found.emplace_back(scores.begin(), scores.end());
    }
    EXPECT_GE(kernels.size(), kernels::has_byte_products() ? 2u : 1u);
    EXPECT_EQ(found[0], found[1]);
    EXPECT_EQ(found[0], found[2]);
  }
}

}  // namespace
}  // namespace spikenm::runtime
