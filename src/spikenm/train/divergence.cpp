#include "spikenm/train/divergence.h"

#include "spikenm/core/diverged.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace spikenm::train {
namespace {

constexpr const char* kRemedy = "lower train.lr or set train.clip_norm";

}  // namespace

void check_finite(double value, const std::string& what, const std::string& where) {
  if (std::isfinite(value)) return;
  throw Diverged(fmt::format("train: {} became {} {}; {}", what, value, where, kRemedy));
}

void throw_diverged(const BadSteps& bad, const std::string& where) {
  const std::string row =
      bad.in_a_row > 1 ? fmt::format(", the first of {} such steps in a row", bad.in_a_row) : "";
  if (!std::isfinite(bad.loss)) {
    const std::string layer =
        bad.gradient.empty() ? "" : fmt::format(", and with it the gradient of {},", bad.gradient);
    throw Diverged(
        fmt::format("train: the loss became {}{} {}{}; {}", bad.loss, layer, where, row, kRemedy));
  }
  throw Diverged(fmt::format("train: the gradient of {} left the finite numbers {}{}; {}",
                             bad.gradient, where, row, kRemedy));
}

std::string samples_text(const std::vector<int64_t>& samples) {
  constexpr size_t kListed = 16;
  const size_t n = std::min(samples.size(), kListed);
  return fmt::format("samples {}{}", fmt::join(samples.begin(), samples.begin() + n, ", "),
                     samples.size() > n ? fmt::format(" and {} more", samples.size() - n) : "");
}

void check_finite(const std::vector<nn::NamedTensor>& tensors, const std::string& where) {
  if (tensors.empty()) return;
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> flags;
  for (const nn::NamedTensor& t : tensors) flags.push_back(t.tensor.isfinite().all());
  const at::Tensor found = at::stack(flags).cpu();
  const bool* const finite = found.const_data_ptr<bool>();

  std::string first;
  int64_t others = -1;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (finite[i]) continue;
    if (first.empty()) first = tensors[i].name;
    ++others;
  }

  if (first.empty()) return;
  throw Diverged(fmt::format("train: {}{} left the finite numbers {}; {}", first,
                             others > 0 ? fmt::format(" and {} other tensors", others) : "", where,
                             kRemedy));
}

std::vector<nn::NamedTensor> trained_tensors(const nn::Network& network,
                                             const sparsity::Pruning& method) {
  std::vector<nn::NamedTensor> all = network.parameters();
  for (const auto& more : {network.buffers(), method.kept_tensors()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace spikenm::train
