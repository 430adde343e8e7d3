// The kernels of the mask search as torch operations, over torch's stable ABI alone: one library
// runs with torch 2.11 and every newer one. The Python side (spikenm/torch) checks arguments and
// adds gradients.
#include "spikenm/core/random.h"
#include "spikenm/kernels/credit_sum.h"
#include "spikenm/kernels/nm_sample.h"

#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

namespace {

using namespace spikenm;
using torch::headeronly::ScalarType;
using torch::stable::Tensor;

// Memory in C order of one type, on the CPU.
template <class T>
T* values(const Tensor& tensor, ScalarType type, const char* name) {
  STD_TORCH_CHECK(tensor.is_cpu(), name, ": found a tensor on another device, wanted the CPU");
  STD_TORCH_CHECK(tensor.scalar_type() == type, name, ": found values of another type");
  STD_TORCH_CHECK(tensor.is_contiguous(), name, ": found a transposed or cut tensor");
  return static_cast<T*>(tensor.data_ptr());
}
float* floats(const Tensor& tensor, const char* name) {
  return values<float>(tensor, ScalarType::Float, name);
}
uint8_t* bytes(const Tensor& tensor, const char* name) {
  return values<uint8_t>(tensor, ScalarType::Byte, name);
}

nm::BlockLayout layout_of(const Tensor& weight, int64_t m, int64_t share, bool flat) {
  const auto size = [&](int64_t axis) { return weight.dim() > axis ? weight.size(axis) : 1; };
  return nm::make_layout({size(0), size(1), size(2), size(3)},
                         {.n = 1, .m = static_cast<int>(m), .share = static_cast<int>(share)},
                         flat ? nm::Axis::kFlat : nm::Axis::kIn, "sparsify");
}

// What changes from step to step: a tensor, so that a compiled graph is not made anew for each.
// [tau, noise, number of the draw, positions drawn]
struct StepNumbers {
  explicit StepNumbers(const Tensor& tensor) {
    STD_TORCH_CHECK(tensor.numel() == 4, "step: found another number of values, wanted 4");
    const auto* const at = values<double>(tensor, ScalarType::Double, "step");
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

kernels::DrawInputs<float> inputs_of(const Tensor& logits, const Tensor& weight,
                                     const StepNumbers& step, const Rule& rule) {
  const nm::BlockLayout layout = layout_of(weight, rule.m, rule.share, rule.flat);
  STD_TORCH_CHECK(logits.numel() == layout.n_blocks * rule.m,
                  "logits: found a number that the weight's blocks do not have");
  return {.layout = layout,
          .logits = floats(logits, "logits"),
          .weight = floats(weight, "weight"),
          .kappa = static_cast<float>(rule.kappa),
          .noise = static_cast<float>(step.noise),
          .n_draws = step.n_draws,
          .replace = rule.replace,
          .seed = static_cast<uint64_t>(rule.seed),
          .stream = random_stream(RandomUse::kMaskDraw, static_cast<uint32_t>(rule.layer)),
          .step = step.number};
}

int64_t nm_blocks(const Tensor& weight, int64_t m, int64_t share, bool flat) {
  return layout_of(weight, m, share, flat).n_blocks;
}

// The logits at the start: normal numbers that depend on seed, layer and place alone.
Tensor nm_logits(const Tensor& weight, int64_t m, int64_t share, bool flat, double deviation,
                 int64_t seed, int64_t layer) {
  const int64_t n_blocks = layout_of(weight, m, share, flat).n_blocks;
  Tensor logits = torch::stable::new_empty(weight, {n_blocks, m}, ScalarType::Float);
  float* const out = floats(logits, "logits");
  const RandomAddress random(static_cast<uint64_t>(seed),
                             random_stream(RandomUse::kLogitInit, static_cast<uint32_t>(layer)));
  for (int64_t i = 0; i < logits.numel(); ++i)
    out[i] = static_cast<float>(deviation * random.normal(static_cast<uint64_t>(i)));
  return logits;
}

Tensor nm_draw(const Tensor& logits, const Tensor& weight, const Tensor& step, int64_t m,
               int64_t share, bool flat, bool replace, double kappa, int64_t seed, int64_t layer) {
  const StepNumbers numbers(step);
  const auto inputs =
      inputs_of(logits, weight, numbers, {m, share, flat, replace, kappa, seed, layer});
  Tensor draws =
      torch::stable::new_empty(logits, {inputs.layout.n_blocks, numbers.n_draws}, ScalarType::Byte);
  kernels::nm_draw_cpu(inputs, bytes(draws, "draws"));
  return draws;
}

// The n positions of each block with the largest values.
Tensor nm_top(const Tensor& logits, const Tensor& weight, int64_t n, int64_t m, int64_t share,
              bool flat, double kappa) {
  const nm::BlockLayout layout = layout_of(weight, m, share, flat);
  Tensor draws = torch::stable::new_empty(logits, {layout.n_blocks, n}, ScalarType::Byte);
  kernels::nm_top_n({.layout = layout,
                     .logits = floats(logits, "logits"),
                     .weight = floats(weight, "weight"),
                     .kappa = static_cast<float>(kappa),
                     .n_draws = static_cast<int32_t>(n)},
                    bytes(draws, "draws"));
  return draws;
}

// Bytes 0/1 in the weight's shape; tails are kept.
Tensor nm_mask(const Tensor& draws, const Tensor& weight, int64_t m, int64_t share, bool flat) {
  Tensor keep = torch::stable::new_empty(weight, weight.sizes(), ScalarType::Byte);
  kernels::nm_mask(layout_of(weight, m, share, flat), static_cast<int32_t>(draws.size(1)),
                   bytes(draws, "draws"), bytes(keep, "mask"));
  return keep;
}

// The straight-through gradient of the logits. The first positions of `draws` are those of the step.
Tensor nm_straight_through(const Tensor& grad, const Tensor& logits, const Tensor& weight,
                           const Tensor& draws, const Tensor& step, int64_t m, int64_t share,
                           bool flat, bool replace, double kappa, bool soft, int64_t seed,
                           int64_t layer) {
  const StepNumbers numbers(step);
  const auto inputs =
      inputs_of(logits, weight, numbers, {m, share, flat, replace, kappa, seed, layer});
  STD_TORCH_CHECK(draws.numel() >= inputs.layout.n_blocks * numbers.n_draws,
                  "draws: found fewer than the step has drawn");
  STD_TORCH_CHECK(grad.numel() == weight.numel(), "gradient: found another shape");
  Tensor out = torch::stable::empty_like(logits);
  kernels::nm_straight_through_cpu(
      {.draw = inputs,
       .draws = bytes(draws, "draws"),
       .weight = floats(weight, "weight"),
       .grad_effective = floats(grad, "gradient"),
       .tau = static_cast<float>(numbers.tau),
       .or_gradient = soft ? nm::OrGradient::kSoft : nm::OrGradient::kLiteral,
       .grad_logits = floats(out, "gradient of the logits")});
  return out;
}

// What distillation adds to the gradient of the logits: scale * (pi - q).
Tensor nm_distill(const Tensor& logits, const Tensor& weight, const Tensor& credit, int64_t m,
                  int64_t share, bool flat, double kappa, double scale) {
  Tensor out = torch::stable::empty_like(logits);
  torch::stable::zero_(out);
  kernels::nm_distill<float>({.draw = {.layout = layout_of(weight, m, share, flat),
                                       .logits = floats(logits, "logits"),
                                       .weight = floats(weight, "weight"),
                                       .kappa = static_cast<float>(kappa)},
                              .credit = floats(credit, "credit"),
                              .scale = static_cast<float>(scale),
                              .grad_logits = floats(out, "gradient of the logits")});
  return out;
}

// grad += slice and credit += |slice|, in place.
void add_credit(const Tensor& slice, Tensor grad, Tensor credit) {
  STD_TORCH_CHECK(slice.numel() == grad.numel() && slice.numel() == credit.numel(),
                  "credit: found tensors of different sizes");
  kernels::accumulate_credit<float>(slice.numel(), floats(slice, "slice"), floats(grad, "gradient"),
                                    floats(credit, "credit"));
}

}  // namespace

STABLE_TORCH_LIBRARY(spikenm, m) {
  m.def("nm_blocks(Tensor weight, int m, int share, bool flat) -> int");
  m.def(
      "nm_logits(Tensor weight, int m, int share, bool flat, float deviation, int seed, int layer) "
      "-> Tensor");
  m.def(
      "nm_draw(Tensor logits, Tensor weight, Tensor step, int m, int share, bool flat, "
      "bool replace, float kappa, int seed, int layer) -> Tensor");
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
  m.def("add_credit(Tensor slice, Tensor(a!) grad, Tensor(b!) credit) -> ()");
}

STABLE_TORCH_LIBRARY_IMPL(spikenm, CPU, m) {
  m.impl("nm_blocks", TORCH_BOX(&nm_blocks));
  m.impl("nm_logits", TORCH_BOX(&nm_logits));
  m.impl("nm_draw", TORCH_BOX(&nm_draw));
  m.impl("nm_top", TORCH_BOX(&nm_top));
  m.impl("nm_mask", TORCH_BOX(&nm_mask));
  m.impl("nm_straight_through", TORCH_BOX(&nm_straight_through));
  m.impl("nm_distill", TORCH_BOX(&nm_distill));
  m.impl("add_credit", TORCH_BOX(&add_credit));
}
