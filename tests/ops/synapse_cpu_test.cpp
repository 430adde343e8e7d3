#include "spikenm/ops/synapse_cpu.h"

#include "support/tensors.h"

namespace spikenm::ops {
namespace {

using test::gradients;
using test::normal_tensor;
using test::tensors_close;
using test::tensors_identical;
using test::Threads;
using test::trained;

struct Case {
  std::vector<int64_t> x, w;
  SynapseGeometry geometry;
};

// Each of the three ways: 3x3 with many channels (odd maps, one pixel, channels that fill no
// vector, T = 1), other convolutions, and linear layers of one piece and of several.
const Case kCases[] = {
    {{3, 2, 16, 7, 9}, {33, 16, 3, 3}, {1, 1}}, {{1, 3, 40, 6, 6}, {16, 40, 3, 3}, {1, 1}},
    {{2, 2, 17, 1, 1}, {18, 17, 3, 3}, {1, 1}}, {{4, 1, 20, 12, 5}, {64, 20, 3, 3}, {1, 1}},
    {{3, 2, 16, 7, 9}, {17, 16, 3, 3}, {2, 1}}, {{2, 3, 18, 5, 5}, {16, 18, 1, 1}, {}},
    {{3, 4, 30}, {20, 30, 1, 1}, {}},           {{2, 5, 9000}, {50, 9000, 1, 1}, {}},
    {{2, 3, 50}, {9001, 50, 1, 1}, {}}};

Tensor reference(const Tensor& x, const Tensor& w, const SynapseGeometry& g) {
  const Tensor rows = x.flatten(0, 1);
  const Tensor y =
      x.dim() == 3 ? at::linear(rows, w.flatten(1)) : at::conv2d(rows, w, {}, g.stride, g.padding);
  return y.unflatten(0, {x.size(0), x.size(1)});
}

// Relative to the largest value.
testing::AssertionResult close(const Tensor& found, const Tensor& wanted) {
  return tensors_close(found.to(at::kDouble), wanted,
                       {3e-6 * wanted.abs().max().item<double>(), 0});
}

// In float against ATen in double: by conv3x3 where there are vectors.
TEST(SynapseCpu, OutputsGradientsAndCreditsAreThoseOfAten) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(testing::Message() << at::IntArrayRef(c.x) << " " << at::IntArrayRef(c.w));
    const Tensor x = trained(normal_tensor(c.x, at::kDouble, 1)),
                 w = trained(normal_tensor(c.w, at::kDouble, 2));
    const Tensor y = reference(x, w, c.geometry), g = normal_tensor(y.sizes(), at::kDouble, 3);
    const auto wanted = gradients(y, g, {x, w});
    Tensor temporal = at::zeros_like(w);
    for (int64_t t = 0; t < x.size(0); ++t)
      temporal +=
          gradients(reference(x.narrow(0, t, 1), w, c.geometry), g.narrow(0, t, 1), {w})[0].abs();
    const Tensor xf = channels_last(x.detach().to(at::kFloat)), wf = w.detach().to(at::kFloat),
                 gf = channels_last(g.to(at::kFloat));
    EXPECT_TRUE(close(synapse_forward_cpu(xf, wf, c.geometry), y));
    EXPECT_TRUE(close(synapse_grad_input_cpu(gf, xf, wf, c.geometry), wanted[0]));
    EXPECT_TRUE(close(synapse_grad_weight_cpu(gf, xf, wf, c.geometry, nullptr), wanted[1]));
    for (const CreditKind kind : {CreditKind::kTemporal, CreditKind::kNet}) {
      CreditSink sink{.kind = kind};
      EXPECT_TRUE(close(synapse_grad_weight_cpu(gf, xf, wf, c.geometry, &sink), wanted[1]));
      EXPECT_TRUE(close(sink.credit, kind == CreditKind::kTemporal ? temporal : wanted[1].abs()));
    }
  }
}

TEST(SynapseCpu, MapsLieChannelsLast) {
  const Tensor x = channels_last(normal_tensor({2, 3, 16, 4, 5}, at::kFloat, 1));
  for (const int64_t stride : {1, 2}) {
    const SynapseGeometry g{.stride = stride, .padding = 1};
    const Tensor w = normal_tensor({24, 16, 3, 3}, at::kFloat, 2);
    const Tensor y = synapse_forward_cpu(x, w, g);
    EXPECT_TRUE(channels_last(y).is_alias_of(y)) << stride;
    const Tensor grad_x = synapse_grad_input_cpu(y, x, w, g);
    EXPECT_TRUE(channels_last(grad_x).is_alias_of(grad_x)) << stride;
  }
}

std::vector<Tensor> run_on(int n_threads, const Case& c) {
  const Threads scope(n_threads);
  const Tensor x = channels_last(normal_tensor(c.x, at::kFloat, 1)),
               w = normal_tensor(c.w, at::kFloat, 2);
  const Tensor y = synapse_forward_cpu(x, w, c.geometry);
  CreditSink sink;
  return {y, synapse_grad_input_cpu(y, x, w, c.geometry),
          synapse_grad_weight_cpu(y, x, w, c.geometry, nullptr),
          synapse_grad_weight_cpu(y, x, w, c.geometry, &sink), sink.credit};
}

TEST(SynapseCpu, OneThreadTwoAndThreeGiveTheSameBits) {
  for (const Case& c : kCases) {
    const auto wanted = run_on(1, c);
    for (const int n_threads : {2, 3}) {
      const auto found = run_on(n_threads, c);
      for (size_t i = 0; i < found.size(); ++i)
        EXPECT_TRUE(tensors_identical(found[i], wanted[i]))
            << i << " " << n_threads << " threads, " << at::IntArrayRef(c.x);
    }
  }
}

}  // namespace
}  // namespace spikenm::ops
