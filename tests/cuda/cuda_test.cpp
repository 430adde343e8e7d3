// The GPU's kernels: neurons against SpikingJelly and the reference, masks bit for bit the CPU's.
#include "cuda/device_array.h"
#include "cuda/run_neuron_cuda.h"
#include "golden/golden_check.h"
#include "spikenm/kernels/nm_sample.h"
#include "spikenm/kernels/optimizer_step.h"
#include "support/block_sample.h"
#include "support/compare.h"

#include <functional>

namespace spikenm {
namespace {

using kernels::DrawInputs;
using test::DeviceArray;

TEST(golden, CudaAgreesWithSpikingJelly) {
  test::for_each_case("float32", [](const test::Golden& golden, const test::GoldenCase& c) {
    test::expect_agrees<float>(golden, c, test::run_neuron_cuda);
  });
}

TEST(CudaDraw, MasksAreBitForBitTheCpus) {
  for (const int m : {1, 3, 4, 8, 16, 31, 64})
    for (const nm::BlockLayout& layout : test::all_layouts(m, 37))
      for (const bool replace : {true, false})
        for (const float kappa : {0.0f, 1.0f}) {
          const test::BlockSample<float> sample(layout);
          const int32_t n_draws = std::min(m, 3);
          DrawInputs<float> in = sample.inputs(n_draws, replace);
          in.kappa = kappa;
          std::vector<uint8_t> wanted(static_cast<size_t>(layout.n_blocks * n_draws));
          kernels::nm_draw_cpu(in, wanted.data());
          const DeviceArray<float> logits(sample.logits), weight(sample.weight);
          const DeviceArray<uint8_t> draws(wanted.size());
          in.logits = logits.get();
          in.weight = weight.get();
          kernels::nm_draw_cuda(in, draws.get(), nullptr, nullptr);
          EXPECT_EQ(draws.host(), wanted) << "m " << m << " replace " << replace;
        }
}

// A million draws of a large layer: every rounding of the noise must agree.
TEST(CudaDraw, AMillionBlocksAgree) {
  const nm::NmPattern pattern{.n = 2, .m = 4, .share = 1};
  const nm::BlockLayout layout = nm::make_layout({1024, 4096, 1, 1}, pattern, nm::Axis::kIn, "fc");
  const test::BlockSample<float> sample(layout);
  DrawInputs<float> in = sample.inputs(2, true);
  std::vector<uint8_t> wanted(static_cast<size_t>(layout.n_blocks * 2));
  kernels::nm_draw_cpu(in, wanted.data());
  const DeviceArray<float> logits(sample.logits);
  const DeviceArray<uint8_t> draws(wanted.size());
  in.logits = logits.get();
  kernels::nm_draw_cuda(in, draws.get(), nullptr, nullptr);
  EXPECT_TRUE(draws.host() == wanted);
}

// One sample of a layer on the device, with what its kernels write.
struct DeviceSample {
  explicit DeviceSample(const test::BlockSample<float>& of)
      : logits(of.logits),
        weight(of.weight),
        gradient(of.gradient),
        credit(of.credit),
        grad_logits(of.logits.size()) {}

  DrawInputs<float> on_device(DrawInputs<float> in) const {
    in.logits = logits.get();
    in.weight = weight.get();
    return in;
  }

  DeviceArray<float> logits, weight, gradient, credit, grad_logits;
};

void for_each_layout(const std::function<void(const test::BlockSample<float>&)>& body) {
  for (const int m : {1, 3, 4, 8, 16, 31, 64})
    for (const nm::BlockLayout& layout : test::all_layouts(m, 37)) {
      SCOPED_TRACE(fmt::format("m {} share {} blocks {}", m, layout.share, layout.n_blocks));
      body(test::BlockSample<float>(layout));
    }
}

TEST(CudaMask, PositionsAndMasksAreTheCpus) {
  for_each_layout([](const test::BlockSample<float>& sample) {
    const nm::BlockLayout& layout = sample.layout;
    const DeviceSample device(sample);
    const int32_t n = std::min(layout.m, 2);
    DrawInputs<float> in = sample.inputs(n, false);
    in.kappa = 1;
    std::vector<uint8_t> top(static_cast<size_t>(layout.n_blocks * n)),
        keep(static_cast<size_t>(layout.numel));
    kernels::nm_top_n(in, top.data());
    kernels::nm_mask(layout, n, top.data(), keep.data());
    const DeviceArray<uint8_t> found(top.size()), found_keep(keep.size());
    kernels::nm_top_n_cuda(device.on_device(in), found.get(), nullptr);
    kernels::nm_mask_cuda(layout, n, found.get(), found_keep.get(), nullptr);
    EXPECT_EQ(found.host(), top);
    EXPECT_EQ(found_keep.host(), keep);
  });
}

double sum_of(const std::vector<float>& values) {
  double sum = 0;
  for (const float v : values) sum += v;
  return sum;
}

double squared_norm(const std::vector<float>& values) {
  double sum = 0;
  for (const float v : values) sum += static_cast<double>(v) * v;
  return sum;
}

TEST(CudaStraightThrough, IsTheReferences) {
  for_each_layout([](const test::BlockSample<float>& sample) {
    const DeviceSample device(sample);
    for (const bool replace : {true, false})
      for (const auto rule : {kernels::OrGradient::kLiteral, kernels::OrGradient::kSoft}) {
        const int32_t n = std::min(sample.layout.m, 3);
        const DrawInputs<float> in = sample.inputs(n, replace);
        std::vector<uint8_t> draws(static_cast<size_t>(sample.layout.n_blocks * n));
        kernels::nm_draw_cpu(in, draws.data());
        std::vector<float> wanted(sample.logits.size());
        kernels::StraightThrough<float> args{.draw = in,
                                             .draws = draws.data(),
                                             .weight = sample.weight.data(),
                                             .grad_effective = sample.gradient.data(),
                                             .tau = 0.5f,
                                             .or_gradient = rule,
                                             .grad_logits = wanted.data()};
        kernels::nm_straight_through_ref(args);
        const DeviceArray<uint8_t> device_draws(draws);
        args.draw = device.on_device(in);
        args.draws = device_draws.get();
        args.weight = device.weight.get();
        args.grad_effective = device.gradient.get();
        args.grad_logits = device.grad_logits.get();
        const DeviceArray<float> masked(sample.gradient),
            norm(static_cast<size_t>(kernels::nm_parts(sample.layout.n_blocks)));
        kernels::nm_straight_through_cuda(
            {.straight = args, .task_norm = norm.get(), .grad_weight = masked.get()}, nullptr);
        EXPECT_TRUE(test::all_close(device.grad_logits.host(), wanted, {1e-4, 1e-4}));
        EXPECT_NEAR(sum_of(norm.host()), squared_norm(wanted), 1e-3 * (1 + squared_norm(wanted)));
        std::vector<uint8_t> keep(static_cast<size_t>(sample.layout.numel));
        kernels::nm_mask(sample.layout, n, draws.data(), keep.data());
        std::vector<float> kept = sample.gradient;
        for (size_t i = 0; i < kept.size(); ++i) kept[i] = keep[i] != 0 ? kept[i] : 0;
        EXPECT_EQ(masked.host(), kept);
        // With the noise read back and the distillation in the same pass.
        const DeviceArray<float> kept_noise(draws.size() * static_cast<size_t>(sample.layout.m));
        kernels::nm_draw_cuda(args.draw, device_draws.get(), kept_noise.get(), nullptr);
        EXPECT_EQ(device_draws.host(), draws);
        kernels::Distillation<float> distillation{.draw = in,
                                                  .credit = sample.credit.data(),
                                                  .times_weight = replace,
                                                  .pi_has_prior = !replace,
                                                  .tau_q = 2.4f,
                                                  .scale = 3.0f,
                                                  .grad_logits = wanted.data()};
        kernels::nm_distill(distillation);
        distillation.draw = args.draw;
        distillation.credit = device.credit.get();
        distillation.grad_logits = device.grad_logits.get();
        args.noise = kept_noise.get();
        const DeviceArray<float> kl(norm.host().size()), eid_norm(norm.host().size());
        kernels::nm_straight_through_cuda({.straight = args,
                                           .task_norm = norm.get(),
                                           .distils = true,
                                           .distillation = distillation,
                                           .kl = kl.get(),
                                           .eid_norm = eid_norm.get()},
                                          nullptr);
        EXPECT_TRUE(test::all_close(device.grad_logits.host(), wanted, {1e-4, 1e-4}));
        const DeviceArray<float> applied(sample.gradient.size());
        kernels::nm_apply_cuda(sample.layout, n, device_draws.get(), device.gradient.get(),
                               kernels::Real::kFloat, applied.get(), nullptr);
        EXPECT_EQ(applied.host(), kept);
      }
  });
}

// `args` as both sides have it: the scale of credits, and what they and pi are made of.
void expect_the_references(const test::BlockSample<float>& sample,
                           kernels::Distillation<float> args) {
  std::vector<float> wanted(sample.logits.size(), 0.25f);
  args.draw = sample.inputs(1, true);
  args.draw.kappa = 0.5f;
  args.credit = sample.credit.data();
  args.layer_mean = 0.7f;
  args.tau_q = 2.4f;
  args.scale = 3.0f;
  args.grad_logits = wanted.data();
  const kernels::DistillSums sums = kernels::nm_distill(args);
  const DeviceSample device(sample);
  const DeviceArray<float> grad(std::vector<float>(sample.logits.size(), 0.25f)),
      kl(static_cast<size_t>(kernels::nm_parts(sample.layout.n_blocks))),
      norm(static_cast<size_t>(kernels::nm_parts(sample.layout.n_blocks)));
  args.draw = device.on_device(args.draw);
  args.credit = device.credit.get();
  args.grad_logits = grad.get();
  kernels::nm_distill_cuda(args, kl.get(), norm.get(), nullptr);
  EXPECT_TRUE(test::all_close(grad.host(), wanted, {1e-4, 1e-5}));
  EXPECT_NEAR(sum_of(kl.host()), sums.kl, 1e-4 * (1 + sums.kl));
  EXPECT_NEAR(sum_of(norm.host()), sums.squared_norm, 1e-4 * (1 + sums.squared_norm));
}

TEST(CudaDistill, IsTheReferences) {
  using kernels::CreditScale;
  for_each_layout([](const test::BlockSample<float>& sample) {
    for (const CreditScale scale : {CreditScale::kRaw, CreditScale::kBlockMean,
                                    CreditScale::kLayerMean, CreditScale::kBlockZ})
      for (const bool times_weight : {false, true})
        for (const bool pi_has_prior : {false, true})
          expect_the_references(
              sample,
              {.times_weight = times_weight, .pi_has_prior = pi_has_prior, .credit_scale = scale});
  });
}

TEST(CudaOptimizer, StepsAreTheCpus) {
  for (const size_t n : {size_t{1}, size_t{255}, size_t{257}, size_t{100003}}) {
    std::vector<float> w = test::normal_values<float>(n, 1, 1),
                       g = test::normal_values<float>(n, 1, 2),
                       m = test::normal_values<float>(n, 0.1, 3),
                       v = test::normal_values<float>(n, 0.1, 4);
    for (float& x : v) x *= x;
    const DeviceArray<float> dw(w), dg(g), dm(m), dv(v);
    kernels::AdamStep adam{.n = static_cast<int64_t>(n),
                           .gradient = g.data(),
                           .weight = w.data(),
                           .mean = m.data(),
                           .variance = v.data(),
                           .decay = 0.01f,
                           .shrink = 0.99f,
                           .rate = 0.1f,
                           .correction = 1.5f};
    kernels::adam_step(adam);
    kernels::SgdStep sgd{.n = static_cast<int64_t>(n),
                         .gradient = g.data(),
                         .weight = w.data(),
                         .momentum = m.data(),
                         .rate = 0.1f,
                         .decay = 0.01f,
                         .nesterov = true};
    kernels::sgd_step(sgd);
    adam.gradient = sgd.gradient = dg.get();
    adam.weight = sgd.weight = dw.get();
    adam.mean = sgd.momentum = dm.get();
    adam.variance = dv.get();
    kernels::adam_steps_cuda(std::span(&adam, 1), nullptr);
    kernels::sgd_steps_cuda(std::span(&sgd, 1), nullptr);
    EXPECT_TRUE(test::all_close(dw.host(), w, {1e-5, 1e-5}));
    EXPECT_TRUE(test::all_close(dm.host(), m, {1e-5, 1e-5}));
    EXPECT_TRUE(test::all_close(dv.host(), v, {1e-5, 1e-5}));
  }
}

}  // namespace
}  // namespace spikenm
