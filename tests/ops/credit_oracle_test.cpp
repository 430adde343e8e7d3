// The temporal credit of whole spiking networks against its definition: a network in which every
// time step uses its own copy of each weight, built of tensor operations and autograd alone. Then
// g^t is the gradient of copy t, through all that the step's use sets off later.
#include "spikenm/ops/neuron_seq.h"
#include "spikenm/ops/synapse.h"
#include "support/eager_neuron.h"
#include "support/neuron_run.h"
#include "support/tensors.h"

namespace spikenm::ops {
namespace {

using kernels::NeuronParams;
using test::eager_neuron;
using test::normal_tensor;
using test::tensors_close;
using test::tensors_equal;
using test::trained;

constexpr int64_t kSteps = 5;
constexpr test::Tolerance kClose{1e-10, 1e-10};
constexpr SynapseGeometry kGeometry[] = {{1, 1}, {2, 1}, {}};  // conv1, conv2, classifier

// conv 2->3, conv 3->4 with stride 2, linear to 5, on frames of 6x6.
std::vector<Tensor> weights() {
  return {normal_tensor({3, 2, 3, 3}, at::kDouble, 1, 1),
          normal_tensor({4, 3, 3, 3}, at::kDouble, 2, 1),
          normal_tensor({5, 4 * 3 * 3, 1, 1}, at::kDouble, 3, 0.3)};
}

Tensor frames() {
  return normal_tensor({kSteps, 3, 2, 6, 6}, at::kDouble, 4, 1.5);
}
Tensor static_frames() {
  return frames()[0].unsqueeze(0).expand({kSteps, 3, 2, 6, 6});
}

// Steps meet in the loss too: the time mean against a target, and every step by itself.
Tensor loss_of(const Tensor& scores) {  // [T,B,5]
  const Tensor target = normal_tensor({3, 5}, at::kDouble, 5);
  const Tensor pull = normal_tensor(scores.sizes(), at::kDouble, 6);
  return (scores.mean(0) - target).square().sum() + (scores.square() * pull).sum();
}

template <class Layer, class Fire>
Tensor forward(const Tensor& x, Layer&& layer, Fire&& fire) {
  const Tensor hidden = fire(layer(1, fire(layer(0, x))));
  return layer(2, hidden.flatten(2));
}

struct Oracle {
  Tensor scores;
  std::vector<Tensor> gradient, credit;  // by layer
};

Oracle run_copies(const Tensor& x, const NeuronParams& params) {
  std::vector<std::vector<Tensor>> copies;  // [layer][t]
  std::vector<Tensor> all;
  for (const Tensor& w : weights()) {
    auto& row = copies.emplace_back();
    for (int64_t t = 0; t < kSteps; ++t) all.push_back(row.emplace_back(trained(w)));
  }
  const auto layer = [&](size_t l, const Tensor& input) {
    std::vector<Tensor> steps;
    for (int64_t t = 0; t < kSteps; ++t) {
      const Tensor& w = copies[l][static_cast<size_t>(t)];
      steps.push_back(l == 2
                          ? at::linear(input[t], w.flatten(1))
                          : at::conv2d(input[t], w, {}, kGeometry[l].stride, kGeometry[l].padding));
    }
    return at::stack(steps);
  };
  Oracle result;
  result.scores =
      forward(x, layer, [&](const Tensor& current) { return eager_neuron(current, params); });
  const auto grads = torch::autograd::grad({loss_of(result.scores)}, all);
  for (size_t l = 0; l < copies.size(); ++l) {
    Tensor sum = at::zeros_like(copies[l][0]), magnitude = sum;
    for (size_t t = 0; t < kSteps; ++t) {
      sum = sum + grads[l * kSteps + t];
      magnitude = magnitude + grads[l * kSteps + t].abs();
    }
    result.gradient.push_back(sum);
    result.credit.push_back(magnitude);
  }
  return result;
}

Oracle run_ops(const Tensor& x, const NeuronParams& params, CreditKind kind) {
  std::vector<Tensor> shared;
  std::vector<std::shared_ptr<CreditSink>> sinks;
  for (const Tensor& w : weights()) {
    shared.push_back(trained(w));
    sinks.push_back(std::make_shared<CreditSink>());
    sinks.back()->kind = kind;
  }
  const auto layer = [&](size_t l, const Tensor& input) {
    return synapse(input, shared[l], kGeometry[l], sinks[l]);
  };
  Oracle result;
  result.scores =
      forward(x, layer, [&](const Tensor& current) { return neuron_seq(current, params); });
  result.gradient = torch::autograd::grad({loss_of(result.scores)}, shared);
  for (const auto& sink : sinks) result.credit.push_back(sink->credit);
  return result;
}

void expect_credit_of_copies(const Tensor& x, const NeuronParams& params) {
  const Oracle wanted = run_copies(x, params);
  const Oracle temporal = run_ops(x, params, CreditKind::kTemporal);
  const Oracle net = run_ops(x, params, CreditKind::kNet);
  ASSERT_TRUE(tensors_close(temporal.scores, wanted.scores, kClose));
  for (size_t l = 0; l < wanted.credit.size(); ++l) {
    EXPECT_TRUE(tensors_close(temporal.gradient[l], wanted.gradient[l], kClose)) << "layer " << l;
    EXPECT_TRUE(tensors_close(temporal.credit[l], wanted.credit[l], kClose)) << "layer " << l;
    EXPECT_TRUE(tensors_close(net.credit[l], wanted.gradient[l].abs(), kClose)) << "layer " << l;
    // The two kinds are told apart: steps pull many weights both ways.
    const Tensor cancelled = wanted.credit[l] > wanted.gradient[l].abs() + 1e-6;
    EXPECT_GT(cancelled.sum().item<int64_t>(), cancelled.numel() / 20) << "layer " << l;
  }
}

TEST(CreditOracle, EveryLayersCreditIsThatOfOneWeightCopyAStep) {
  for (const NeuronParams& params : test::all_neuron_params()) {
    if (graph::traits_of(params.neuron).learns_leak) continue;  // its step is LIF's
    SCOPED_TRACE(test::describe(params));
    expect_credit_of_copies(frames(), params);
  }
}

TEST(CreditOracle, AStaticInputEarnsItsCreditStepByStep) {
  expect_credit_of_copies(static_frames(), {});
}

}  // namespace
}  // namespace spikenm::ops
