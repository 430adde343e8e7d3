#include "spikenm/train/tensor_histogram.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

namespace spikenm::train {
namespace {

constexpr int64_t kPiece = int64_t{1} << 22;  // values; their work takes about 100 MB

// Calls `use` with the values piece by piece, and with whether each of them counts.
void for_each_piece(const at::Tensor& values, const at::Tensor& keep,
                    const std::function<void(const at::Tensor&, const at::Tensor&)>& use) {
  const at::Tensor flat = values.detach().flatten();
  const at::Tensor kept = keep.defined() ? keep.detach().flatten() : keep;
  for (int64_t begin = 0; begin < flat.numel(); begin += kPiece) {
    const int64_t n = std::min(kPiece, flat.numel() - begin);
    const at::Tensor piece = flat.narrow(0, begin, n);
    at::Tensor counts = piece.isfinite();
    if (kept.defined()) counts.logical_and_(kept.narrow(0, begin, n));
    use(piece, counts);
  }
}

// [pieces, 5]: number, least, most, sum and sum of squares of each piece, on the host.
at::Tensor summaries(const at::Tensor& values, const at::Tensor& keep) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<at::Tensor> rows;
  for_each_piece(values, keep, [&](const at::Tensor& piece, const at::Tensor& counts) {
    const at::Tensor exact = piece.to(at::kDouble), counted = at::where(counts, exact, 0.0);
    rows.push_back(at::stack(
        {counts.sum().to(at::kDouble), at::where(counts, exact, kInfinity).min(),
         at::where(counts, exact, -kInfinity).max(), counted.sum(), counted.square().sum()}));
  });
  return rows.empty() ? at::zeros({0, 5}, at::kDouble) : at::stack(rows).cpu();
}

std::vector<float> kept_of(const at::Tensor& values, const at::Tensor& keep) {
  const at::Tensor flat = values.detach().to(at::kFloat).contiguous(),
                   kept = keep.detach().to(at::kFloat).contiguous();
  const auto* const value = flat.const_data_ptr<float>();
  const auto* const is_kept = kept.const_data_ptr<float>();
  std::vector<float> found;
  found.reserve(static_cast<size_t>(flat.numel()));
  for (int64_t i = 0; i < flat.numel(); ++i)
    if (is_kept[i] != 0) found.push_back(value[i]);
  return found;
}

}  // namespace

Histogram histogram_by_operations(const at::Tensor& values, const at::Tensor& keep) {
  const at::NoGradGuard no_grad;
  Histogram found;
  const at::Tensor pieces = summaries(values, keep);
  if (pieces.size(0) == 0) return found;
  const auto column = [&](int64_t i) { return pieces.select(1, i); };
  found.n = column(0).sum().item<int64_t>();
  if (found.n == 0) return found;
  found.min = column(1).min().item<double>();
  found.max = column(2).max().item<double>();
  found.sum = column(3).sum().item<double>();
  found.sum_squares = column(4).sum().item<double>();

  found.limits = bucket_limits(found.min, found.max);
  const auto buckets = static_cast<int64_t>(found.limits.size());
  const double scale = bucket_scale(found.min, found.max);
  at::Tensor counted;
  for_each_piece(values, keep, [&](const at::Tensor& piece, const at::Tensor& counts) {
    const at::Tensor place = (piece.to(at::kDouble) - found.min).mul_(scale);
    // What does not count goes into a bucket of its own behind the others.
    const at::Tensor bucket = at::where(counts, place, static_cast<double>(buckets)).to(at::kLong);
    const at::Tensor within = at::where(counts, bucket.clamp_max(buckets - 1), bucket);
    const at::Tensor sums = at::bincount(within, {}, buckets + 1);
    counted = counted.defined() ? counted + sums : sums;
  });
  const at::Tensor counts = counted.to(at::kCPU, at::kDouble);
  const auto* const begin = counts.const_data_ptr<double>();
  found.counts.assign(begin, begin + buckets);
  return found;
}

Histogram tensor_histogram(const at::Tensor& values, const at::Tensor& keep) {
  if (values.is_cuda()) return histogram_by_operations(values, keep);
  if (keep.defined()) return histogram_of(kept_of(values, keep));
  const at::Tensor flat = values.detach().to(at::kFloat).contiguous();
  return histogram_of({flat.const_data_ptr<float>(), static_cast<size_t>(flat.numel())});
}

}  // namespace spikenm::train
