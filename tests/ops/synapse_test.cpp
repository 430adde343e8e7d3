#include "spikenm/ops/synapse.h"

#include "support/expect_error.h"
#include "support/tensors.h"

namespace spikenm::ops {
namespace {

using test::gradients;
using test::kRealTypes;
using test::normal_tensor;
using test::rounding_of;
using test::tensors_close;
using test::tensors_identical;
using test::Threads;
using test::trained;

struct Case {
  int64_t T, B, cin, height, width, cout, kernel;
  SynapseGeometry geometry;

  [[nodiscard]] bool is_linear() const { return height == 0; }
  [[nodiscard]] Tensor input(at::ScalarType type) const {
    return is_linear() ? normal_tensor({T, B, cin}, type, 1)
                       : normal_tensor({T, B, cin, height, width}, type, 1);
  }
  [[nodiscard]] Tensor weight(at::ScalarType type) const {
    return normal_tensor({cout, cin, kernel, kernel}, type, 2, 0.3);
  }
};

Case linear(int64_t T, int64_t B, int64_t cin, int64_t cout) {
  return {T, B, cin, 0, 0, cout, 1, {}};
}

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << "T " << c.T << " B " << c.B << " Cin " << c.cin << " " << c.height << "x" << c.width
             << " Cout " << c.cout << " kernel " << c.kernel << " stride " << c.geometry.stride
             << " padding " << c.geometry.padding;
}

// T = 1, B = 1, odd channels, strides that leave rows out, no padding and too much of it.
std::vector<Case> all_cases() {
  return {{1, 1, 1, 1, 1, 1, 1, {}},
          {1, 4, 3, 6, 5, 4, 3, {1, 1}},
          {5, 1, 2, 6, 6, 3, 3, {1, 0}},
          {3, 3, 5, 7, 8, 2, 3, {2, 1}},
          {4, 9, 3, 4, 4, 7, 1, {1, 0}},
          {2, 2, 3, 5, 5, 4, 3, {3, 2}},
          {2, 2, 1, 9, 6, 2, 5, {2, 2}},
          linear(1, 1, 1, 1),
          linear(1, 5, 7, 3),
          linear(6, 1, 3, 4),
          linear(4, 11, 17, 10)};
}

// The folded call of ATen, with autograd's own backward.
Tensor reference(const Tensor& x, const Tensor& w, const SynapseGeometry& g) {
  const Tensor rows = x.flatten(0, 1);
  const Tensor y =
      x.dim() == 3 ? at::linear(rows, w.flatten(1)) : at::conv2d(rows, w, {}, g.stride, g.padding);
  return y.unflatten(0, {x.size(0), x.size(1)});
}

std::shared_ptr<CreditSink> sink_of(CreditKind kind) {
  auto sink = std::make_shared<CreditSink>();
  sink->kind = kind;
  return sink;
}

TEST(Synapse, OutputAndGradientsEqualThoseOfAten) {
  for (const at::ScalarType type : kRealTypes)
    for (const Case& c : all_cases()) {
      const Tensor x = trained(c.input(type)), w = trained(c.weight(type));
      const Tensor found = synapse(x, w, c.geometry), wanted = reference(x, w, c.geometry);
      EXPECT_TRUE(tensors_close(found, wanted, rounding_of(type))) << type << " " << c;
      const Tensor g = normal_tensor(wanted.sizes(), type, 3);
      const auto found_grads = gradients(found, g, {x, w}),
                 wanted_grads = gradients(wanted, g, {x, w});
      EXPECT_TRUE(tensors_close(found_grads[0], wanted_grads[0], rounding_of(type)))
          << "input, " << type << " " << c;
      EXPECT_TRUE(tensors_close(found_grads[1], wanted_grads[1], rounding_of(type)))
          << "weight, " << type << " " << c;
    }
}

TEST(Synapse, TransposedInputsAndGradientsCountAsTheirValues) {
  const Tensor x = trained(normal_tensor({2, 3, 5, 4, 6}, at::kDouble, 1));
  const Tensor w = trained(normal_tensor({4, 3, 3, 3}, at::kDouble, 2));
  const Tensor turned = x.transpose(1, 2).transpose(3, 4).transpose(0, 1);  // [5,2,3,6,4]
  const SynapseGeometry g{.stride = 1, .padding = 1};
  const Tensor found = synapse(turned, w, g), wanted = reference(turned, w, g);
  EXPECT_TRUE(tensors_close(found, wanted, rounding_of(at::kDouble)));
  const Tensor grad = normal_tensor({4, 6, 4, 5, 2}, at::kDouble, 3).permute({3, 4, 0, 1, 2});
  const auto found_grads = gradients(found, grad, {x, w}),
             wanted_grads = gradients(wanted, grad, {x, w});
  EXPECT_TRUE(tensors_close(found_grads[0], wanted_grads[0], rounding_of(at::kDouble)));
  EXPECT_TRUE(tensors_close(found_grads[1], wanted_grads[1], rounding_of(at::kDouble)));
}

TEST(Synapse, AGradientNobodyWantsIsNotNeeded) {
  const Case c{2, 2, 3, 4, 4, 2, 3, {1, 1}};
  const Tensor g = normal_tensor({2, 2, 2, 4, 4}, at::kDouble, 3);
  const Tensor x = trained(c.input(at::kDouble)), w = trained(c.weight(at::kDouble));
  const auto both = gradients(synapse(x, w, c.geometry), g, {x, w});
  EXPECT_TRUE(tensors_identical(gradients(synapse(x, w.detach(), c.geometry), g, {x})[0], both[0]));
  EXPECT_TRUE(tensors_identical(gradients(synapse(x.detach(), w, c.geometry), g, {w})[0], both[1]));
}

// g^t by T separate calls, each on one step.
TEST(Synapse, CreditSumsTheStepsMagnitudesOrTakesTheMagnitudeOfTheirSum) {
  for (const at::ScalarType type : kRealTypes)
    for (const Case& c : all_cases()) {
      const Tensor x = c.input(type), w = trained(c.weight(type));
      const Tensor g = normal_tensor(reference(x, w, c.geometry).sizes(), type, 3);
      Tensor temporal = at::zeros_like(w), net = at::zeros_like(w);
      for (int64_t t = 0; t < c.T; ++t) {
        const Tensor step =
            gradients(reference(x.narrow(0, t, 1), w, c.geometry), g.narrow(0, t, 1), {w})[0];
        temporal = temporal + step.abs();
        net = net + step;
      }
      for (const CreditKind kind : {CreditKind::kTemporal, CreditKind::kNet}) {
        const auto sink = sink_of(kind);
        const Tensor grad = gradients(synapse(x, w, c.geometry, sink), g, {w})[0];
        const Tensor wanted = kind == CreditKind::kTemporal ? temporal : net.abs();
        EXPECT_TRUE(tensors_close(sink->credit, wanted, rounding_of(type))) << type << " " << c;
        EXPECT_TRUE(tensors_close(grad, net, rounding_of(type))) << type << " " << c;
      }
    }
}

TEST(Synapse, TheGradientStandsBesideTheCreditWithItsSign) {
  for (const at::ScalarType type : kRealTypes)
    for (const Case& c : all_cases()) {
      const Tensor x = c.input(type), w = trained(c.weight(type)), keep = w.detach().gt(0).to(type);
      const Tensor g = normal_tensor(reference(x, w, c.geometry).sizes(), type, 3);
      const Tensor wanted =
          gradients(reference(x, w, c.geometry), g, {w})[0];  // convolution is linear in w
      for (const CreditKind kind : {CreditKind::kTemporal, CreditKind::kNet, CreditKind::kNone}) {
        const auto sink = sink_of(kind);
        sink->wants_gradient = true;
        const Tensor masked = gradients(synapse(x, w * keep, c.geometry, sink), g, {w})[0];
        EXPECT_TRUE(tensors_close(sink->gradient, wanted, rounding_of(type))) << type << " " << c;
        EXPECT_TRUE(tensors_identical(masked, sink->gradient * keep)) << type << " " << c;
        EXPECT_EQ(sink->credit.defined(), kind != CreditKind::kNone);
      }
    }
}

// A layer without a mask hands its gradient on to the weight, and what scales or clips it there must
// not reach what the sink keeps.
TEST(Synapse, TheGradientThatIsKeptIsNotTheWeightsOwn) {
  const Case c{3, 2, 3, 4, 4, 2, 3, {1, 1}};
  const Tensor x = c.input(at::kFloat), w = trained(c.weight(at::kFloat));
  const auto sink = sink_of(CreditKind::kNone);
  EXPECT_FALSE(sink->gradient.defined());
  sink->wants_gradient = true;
  synapse(x, w, c.geometry, sink).sum().backward();
  const Tensor before = sink->gradient.clone();
  w.mutable_grad().mul_(2);
  EXPECT_TRUE(tensors_identical(sink->gradient, before));
}

TEST(Synapse, EveryBackwardOverwritesTheCredit) {
  const Case c{3, 2, 3, 4, 4, 2, 3, {1, 1}};
  const Tensor x = c.input(at::kDouble), w = trained(c.weight(at::kDouble));
  const Tensor g = normal_tensor({3, 2, 2, 4, 4}, at::kDouble, 3);
  for (const CreditKind kind : {CreditKind::kTemporal, CreditKind::kNet}) {
    const auto sink = sink_of(kind);
    gradients(synapse(x, w, c.geometry, sink), g, {w});
    const Tensor first = sink->credit.clone();
    gradients(synapse(x, w, c.geometry, sink), 2 * g, {w});
    EXPECT_TRUE(tensors_close(sink->credit, 2 * first, rounding_of(at::kDouble)));
  }
}

TEST(Synapse, ABackwardWithoutAWeightGradientLeavesWhatTheSinkHolds) {
  const Case c{3, 2, 3, 4, 4, 2, 3, {1, 1}};
  const Tensor x = trained(c.input(at::kFloat)), w = trained(c.weight(at::kFloat));
  const Tensor g = normal_tensor({3, 2, 2, 4, 4}, at::kFloat, 3);
  const auto sink = sink_of(CreditKind::kTemporal);
  sink->wants_gradient = true;
  gradients(synapse(x, w, c.geometry, sink), g, {x, w});
  const Tensor credit = sink->credit.clone(), gradient = sink->gradient.clone();
  gradients(synapse(x, w.detach(), c.geometry, sink), 2 * g, {x});
  EXPECT_TRUE(tensors_identical(sink->credit, credit));
  EXPECT_TRUE(tensors_identical(sink->gradient, gradient));
}

TEST(Synapse, AConstantInputSpreadOverStepsIsTheInputRepeated) {
  const Case c{1, 2, 3, 4, 4, 2, 3, {1, 1}};
  const Tensor x = trained(c.input(at::kFloat)), w = trained(c.weight(at::kFloat));
  const Tensor g = normal_tensor({5, 2, 2, 4, 4}, at::kFloat, 3);
  const auto spread = sink_of(CreditKind::kTemporal), repeated = sink_of(CreditKind::kTemporal);
  const Tensor found = synapse(x, w, c.geometry, spread, at::kFloat, {}, /*steps=*/5);
  const Tensor wanted = synapse(x.repeat({5, 1, 1, 1, 1}), w, c.geometry, repeated);
  EXPECT_TRUE(tensors_identical(found, wanted));
  const auto found_grads = gradients(found, g, {x, w}), wanted_grads = gradients(wanted, g, {x, w});
  EXPECT_TRUE(tensors_close(found_grads[0], wanted_grads[0], rounding_of(at::kFloat)));
  EXPECT_TRUE(tensors_identical(found_grads[1], wanted_grads[1]));
  EXPECT_TRUE(tensors_identical(spread->credit, repeated->credit));
}

std::vector<Tensor> run_all(const Case& c, int n_threads) {
  const Threads scope(n_threads);
  const Tensor x = trained(c.input(at::kFloat)), w = trained(c.weight(at::kFloat));
  const auto sink = sink_of(CreditKind::kTemporal);
  const Tensor y = synapse(x, w, c.geometry, sink);
  const auto grads = gradients(y, normal_tensor(y.sizes(), at::kFloat, 3), {x, w});
  return {y, grads[0], grads[1], sink->credit};
}

// Rows on both sides of a chunk's end (8 rows, then a 32nd of all), steps more and fewer than
// threads.
TEST(Synapse, OneThreadTwoAndThreeGiveTheSameBits) {
  const Case cases[] = {{1, 1, 3, 5, 5, 4, 3, {1, 1}},
                        {1, 9, 2, 8, 8, 16, 3, {1, 1}},
                        {2, 4, 3, 16, 16, 8, 3, {2, 1}},
                        {5, 17, 5, 9, 9, 7, 3, {1, 1}},
                        {3, 100, 4, 6, 6, 8, 3, {1, 1}},
                        {4, 16, 16, 16, 16, 32, 3, {1, 1}},
                        linear(3, 3, 5, 7),
                        linear(5, 64, 130, 33),
                        linear(7, 51, 512, 110)};
  for (const Case& c : cases) {
    const auto wanted = run_all(c, 1);
    for (const int n_threads : {2, 3}) {
      const auto found = run_all(c, n_threads);
      const char* const names[] = {"output", "input gradient", "weight gradient", "credit"};
      for (size_t i = 0; i < found.size(); ++i)
        EXPECT_TRUE(tensors_identical(found[i], wanted[i]))
            << names[i] << ", " << n_threads << " threads, " << c;
    }
  }
}

TEST(Synapse, WrongShapesAndTypesAreErrors) {
  const auto ones = [](at::IntArrayRef shape) { return at::ones(shape); };
  EXPECT_ERROR(synapse(ones({2, 3, 4, 4}), ones({5, 3, 3, 3}), {}), "4-d input", "[T,B,C,H,W]");
  EXPECT_ERROR(synapse(ones({2, 2, 3}), ones({5, 3}), {}), "2-d weight", "[Cout,Cin,kh,kw]");
  EXPECT_ERROR(synapse(ones({2, 2, 4, 5, 5}), ones({5, 3, 3, 3}), {}), "found 4 input channels",
               "wanted 3");
  EXPECT_ERROR(synapse(ones({2, 2, 4}), ones({5, 3, 1, 1}), {}), "found 4 input channels");
  EXPECT_ERROR(synapse(ones({2, 2, 3}), ones({5, 3, 3, 1}), {}), "1x1 weight", "3x1");
  EXPECT_ERROR(synapse(ones({2, 2, 3}).to(at::kLong), ones({5, 3, 1, 1}), {}), "synapse: input",
               "float, or double on the cpu");
  EXPECT_ERROR(synapse(ones({2, 2, 3}), ones({5, 3, 1, 1}).to(at::kHalf), {}), "synapse: weight",
               "float, or double on the cpu");
}

}  // namespace
}  // namespace spikenm::ops
