// The kernels of the mask search as torch operations, over torch's stable ABI alone: one library
// runs with torch 2.11 and every newer one. The Python side (spikenm/torch) checks arguments and
// adds gradients.
#include "arguments.h"
#include "place.h"

#include "spikenm/core/random.h"
#include "spikenm/kernels/credit_sum.h"
#include "spikenm/kernels/nm_sample.h"

#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>

#include <tuple>
#include <vector>

namespace {

using namespace spikenm;
using python::check_draws;
using python::check_logits;
using python::layout_of;
using python::Place;
using torch::headeronly::ScalarType;
using torch::stable::Tensor;

// What changes from step to step: a tensor on the CPU, so that a compiled graph is not made anew for
// each. [tau, noise, number of the draw, positions drawn]
struct StepNumbers {
  explicit StepNumbers(const Tensor& tensor) {
    SPIKENM_CHECK(tensor.is_cpu() && tensor.scalar_type() == ScalarType::Double &&
                      tensor.is_contiguous() && tensor.numel() == 4,
                  "step: found another tensor, wanted 4 values of type float64 on the CPU");
    const auto* const at = static_cast<const double*>(tensor.data_ptr());
    tau = at[0];
    noise = at[1];
    number = static_cast<uint32_t>(at[2]);
    n_draws = static_cast<int32_t>(at[3]);
  }
  double tau, noise;
  uint32_t number;
  int32_t n_draws;
};

struct Rule {
  int64_t m, share;
  bool flat, replace;
  double kappa;
  int64_t seed, layer;
};

kernels::DrawInputs<float> inputs_of(const Place& place, const Tensor& logits, const Tensor& weight,
                                     const StepNumbers& step, const Rule& rule) {
  const nm::BlockLayout layout = layout_of(weight.sizes(), rule.m, rule.share, rule.flat);
  check_logits(logits, layout);
  check_draws(step.n_draws, layout);
  return {.layout = layout,
          .logits = place.floats(logits, "logits"),
          .weight = place.floats(weight, "weight"),
          .kappa = static_cast<float>(rule.kappa),
          .noise = static_cast<float>(step.noise),
          .n_draws = step.n_draws,
          .replace = rule.replace,
          .seed = static_cast<uint64_t>(rule.seed),
          .stream = random_stream(RandomUse::kMaskDraw, static_cast<uint32_t>(rule.layer)),
          .step = step.number};
}

bool has_cuda() {
  return SPIKENM_OPS_CUDA != 0;
}

int64_t nm_blocks(std::vector<int64_t> shape, int64_t m, int64_t share, bool flat) {
  return layout_of(shape, m, share, flat).n_blocks;
}

// The logits at the start, on the CPU: normal numbers that depend on seed, layer and place alone.
Tensor nm_logits(std::vector<int64_t> shape, int64_t m, int64_t share, bool flat, double deviation,
                 int64_t seed, int64_t layer) {
  const int64_t n_blocks = layout_of(shape, m, share, flat).n_blocks;
  Tensor logits = torch::stable::empty({n_blocks, m}, ScalarType::Float);
  auto* const out = static_cast<float*>(logits.data_ptr());
  const RandomAddress random(static_cast<uint64_t>(seed),
                             random_stream(RandomUse::kLogitInit, static_cast<uint32_t>(layer)));
  for (int64_t i = 0; i < logits.numel(); ++i)
    out[i] = static_cast<float>(deviation * random.normal(static_cast<uint64_t>(i)));
  return logits;
}

// `n_draws` is said once more beside `step`, so that the shape of the result is known without it.
Tensor nm_draw(const Tensor& logits, const Tensor& weight, const Tensor& step, int64_t n_draws,
               int64_t m, int64_t share, bool flat, bool replace, double kappa, int64_t seed,
               int64_t layer) {
  const Place place(logits);
  const StepNumbers numbers(step);
  SPIKENM_CHECK(n_draws == numbers.n_draws, "draws: found {}, but the step has {}", n_draws,
                numbers.n_draws);
  const auto inputs =
      inputs_of(place, logits, weight, numbers, {m, share, flat, replace, kappa, seed, layer});
  Tensor draws =
      torch::stable::new_empty(logits, {inputs.layout.n_blocks, n_draws}, ScalarType::Byte);
  uint8_t* const out = place.bytes(draws, "draws");
  if (place.is_gpu()) {
    kernels::nm_draw_cuda(inputs, out, nullptr, place.stream());
  } else {
    kernels::nm_draw_cpu(inputs, out);
  }
  return draws;
}

// The n positions of each block with the largest values.
Tensor nm_top(const Tensor& logits, const Tensor& weight, int64_t n, int64_t m, int64_t share,
              bool flat, double kappa) {
  const Place place(logits);
  const nm::BlockLayout layout = layout_of(weight.sizes(), m, share, flat);
  check_logits(logits, layout);
  check_draws(n, layout);
  Tensor draws = torch::stable::new_empty(logits, {layout.n_blocks, n}, ScalarType::Byte);
  const kernels::DrawInputs<float> inputs{.layout = layout,
                                          .logits = place.floats(logits, "logits"),
                                          .weight = place.floats(weight, "weight"),
                                          .kappa = static_cast<float>(kappa),
                                          .n_draws = static_cast<int32_t>(n)};
  uint8_t* const out = place.bytes(draws, "draws");
  if (place.is_gpu()) {
    kernels::nm_top_n_cuda(inputs, out, place.stream());
  } else {
    kernels::nm_top_n(inputs, out);
  }
  return draws;
}

// Bytes 0/1 in the weight's shape; tails are kept.
Tensor nm_mask(const Tensor& draws, const Tensor& weight, int64_t m, int64_t share, bool flat) {
  const Place place(weight);
  const nm::BlockLayout layout = layout_of(weight.sizes(), m, share, flat);
  SPIKENM_CHECK(draws.dim() == 2 && draws.size(0) == layout.n_blocks,
                "draws: found them of other blocks, wanted {} rows", layout.n_blocks);
  check_draws(draws.size(1), layout);
  Tensor keep = torch::stable::new_empty(weight, weight.sizes(), ScalarType::Byte);
  const auto n_draws = static_cast<int32_t>(draws.size(1));
  const uint8_t* const positions = place.bytes(draws, "draws");
  if (place.is_gpu()) {
    kernels::nm_mask_cuda(layout, n_draws, positions, place.bytes(keep, "mask"), place.stream());
  } else {
    kernels::nm_mask(layout, n_draws, positions, place.bytes(keep, "mask"));
  }
  return keep;
}

// What a GPU's sum over blocks is added up in; nobody reads it here.
Tensor parts_of_sum(const Tensor& logits, const nm::BlockLayout& layout) {
  return torch::stable::new_zeros(logits, {kernels::nm_parts(layout.n_blocks)}, ScalarType::Float);
}

// The straight-through gradient of the logits. The first positions of `draws` are those of the step.
Tensor nm_straight_through(const Tensor& grad, const Tensor& logits, const Tensor& weight,
                           const Tensor& draws, const Tensor& step, int64_t m, int64_t share,
                           bool flat, bool replace, double kappa, bool soft, int64_t seed,
                           int64_t layer) {
  const Place place(logits);
  const StepNumbers numbers(step);
  const auto inputs =
      inputs_of(place, logits, weight, numbers, {m, share, flat, replace, kappa, seed, layer});
  SPIKENM_CHECK(draws.numel() >= inputs.layout.n_blocks * numbers.n_draws,
                "draws: found {}, but the step has drawn {}", draws.numel(),
                inputs.layout.n_blocks * numbers.n_draws);
  SPIKENM_CHECK(grad.numel() == weight.numel(), "gradient: found {} values, wanted {}",
                grad.numel(), weight.numel());
  Tensor out = torch::stable::empty_like(logits);
  const kernels::StraightThrough<float> args{
      .draw = inputs,
      .draws = place.bytes(draws, "draws"),
      .weight = place.floats(weight, "weight"),
      .grad_effective = place.floats(grad, "gradient"),
      .tau = static_cast<float>(numbers.tau),
      .or_gradient = soft ? nm::OrGradient::kSoft : nm::OrGradient::kLiteral,
      .grad_logits = place.floats(out, "gradient of the logits")};
  if (place.is_gpu()) {
    const Tensor norm = parts_of_sum(logits, inputs.layout);
    kernels::nm_straight_through_cuda({.straight = args, .task_norm = place.floats(norm, "norm")},
                                      place.stream());
  } else {
    kernels::nm_straight_through_cpu(args);
  }
  return out;
}

// What distillation adds to the gradient of the logits: scale * (pi - q).
Tensor nm_distill(const Tensor& logits, const Tensor& weight, const Tensor& credit, int64_t m,
                  int64_t share, bool flat, double kappa, double scale) {
  const Place place(logits);
  const nm::BlockLayout layout = layout_of(weight.sizes(), m, share, flat);
  check_logits(logits, layout);
  SPIKENM_CHECK(credit.numel() == weight.numel(), "credit: found {} values, wanted {}",
                credit.numel(), weight.numel());
  Tensor out = torch::stable::empty_like(logits);
  torch::stable::zero_(out);
  const kernels::Distillation<float> args{
      .draw = {.layout = layout,
               .logits = place.floats(logits, "logits"),
               .weight = place.floats(weight, "weight"),
               .kappa = static_cast<float>(kappa)},
      .credit = place.floats(credit, "credit"),
      .scale = static_cast<float>(scale),
      .grad_logits = place.floats(out, "gradient of the logits")};
  if (place.is_gpu()) {
    const Tensor kl = parts_of_sum(logits, layout), norm = parts_of_sum(logits, layout);
    kernels::nm_distill_cuda(args, place.floats(kl, "kl"), place.floats(norm, "norm"),
                             place.stream());
  } else {
    kernels::nm_distill<float>(args);
  }
  return out;
}

// The weight's gradient and its credit from those of each step: their sum, and that of their sizes.
std::tuple<Tensor, Tensor> sum_credits(std::vector<Tensor> slices) {
  SPIKENM_CHECK(!slices.empty(), "credit: found no step, wanted one at least");
  const Place place(slices[0]);
  Tensor total = torch::stable::empty_like(slices[0]), credit = torch::stable::empty_like(total);
  torch::stable::zero_(total);
  torch::stable::zero_(credit);
  float *const sum = place.floats(total, "gradient"), *const sizes = place.floats(credit, "credit");
  std::vector<const void*> steps;
  for (const Tensor& slice : slices) {
    SPIKENM_CHECK(slice.numel() == total.numel(), "credit: found steps of different sizes");
    steps.push_back(place.floats(slice, "gradient of a step"));
  }
  if (place.is_gpu()) {
    kernels::accumulate_credit_cuda({.slices = steps,
                                     .n = total.numel(),
                                     .channels = total.numel(),
                                     .total = sum,
                                     .credit = sizes},
                                    place.stream());
  } else {
    for (const void* step : steps)
      kernels::accumulate_credit<float>(total.numel(), static_cast<const float*>(step), sum, sizes);
  }
  return {total, credit};
}

}  // namespace

STABLE_TORCH_LIBRARY(spikenm, m) {
  m.def("has_cuda() -> bool");
  m.def("nm_blocks(int[] shape, int m, int share, bool flat) -> int");
  m.def(
      "nm_logits(int[] shape, int m, int share, bool flat, float deviation, int seed, int layer) "
      "-> Tensor");
  m.def(
      "nm_draw(Tensor logits, Tensor weight, Tensor step, int n_draws, int m, int share, "
      "bool flat, bool replace, float kappa, int seed, int layer) -> Tensor");
  m.def(
      "nm_top(Tensor logits, Tensor weight, int n, int m, int share, bool flat, float kappa) "
      "-> Tensor");
  m.def("nm_mask(Tensor draws, Tensor weight, int m, int share, bool flat) -> Tensor");
  m.def(
      "nm_straight_through(Tensor grad, Tensor logits, Tensor weight, Tensor draws, Tensor step, "
      "int m, int share, bool flat, bool replace, float kappa, bool soft, int seed, int layer) "
      "-> Tensor");
  m.def(
      "nm_distill(Tensor logits, Tensor weight, Tensor credit, int m, int share, bool flat, "
      "float kappa, float scale) -> Tensor");
  m.def("sum_credits(Tensor[] slices) -> (Tensor, Tensor)");
}

// What reads no tensor.
STABLE_TORCH_LIBRARY_IMPL(spikenm, CompositeExplicitAutograd, m) {
  m.impl("has_cuda", TORCH_BOX(&has_cuda));
  m.impl("nm_blocks", TORCH_BOX(&nm_blocks));
  m.impl("nm_logits", TORCH_BOX(&nm_logits));
}

// One function for both devices: it asks where its tensors are.
#define SPIKENM_ON_DEVICE(m)                                      \
  m.impl("nm_draw", TORCH_BOX(&nm_draw));                         \
  m.impl("nm_top", TORCH_BOX(&nm_top));                           \
  m.impl("nm_mask", TORCH_BOX(&nm_mask));                         \
  m.impl("nm_straight_through", TORCH_BOX(&nm_straight_through)); \
  m.impl("nm_distill", TORCH_BOX(&nm_distill));                   \
  m.impl("sum_credits", TORCH_BOX(&sum_credits))

STABLE_TORCH_LIBRARY_IMPL(spikenm, CPU, m) {
  SPIKENM_ON_DEVICE(m);
}

STABLE_TORCH_LIBRARY_IMPL(spikenm, CUDA, m) {
  SPIKENM_ON_DEVICE(m);
}
