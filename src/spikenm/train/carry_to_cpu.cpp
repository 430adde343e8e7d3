#include "spikenm/train/carry_to_cpu.h"

#include "spikenm/core/error.h"

#include <ATen/ATen.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>

#include <algorithm>
#include <cstring>
#include <mutex>

namespace spikenm::train {
namespace {

constexpr int64_t kPieceBytes = int64_t{16} << 20;

// One stream for the whole run. Training has another one: what is copied on its own stream would
// make its steps wait.
c10::Stream carrying_stream(const at::Device& device) {
  static const c10::Stream stream =
      c10::impl::VirtualGuardImpl(at::kCUDA).getStreamFromGlobalPool(device);
  return stream;
}

// One piece for the whole run, because page-locked memory is slow to get. It is never given back: at
// the end of the program CUDA may be gone before it.
struct Piece {
  std::mutex in_use;
  at::Tensor bytes = at::empty({kPieceBytes}, at::TensorOptions(at::kByte).pinned_memory(true));
};

Piece& shared_piece() {
  static auto* const piece = new Piece;
  return *piece;
}

}  // namespace

void prepare_to_carry(const at::Device& device) {
  carrying_stream(device);
  shared_piece();
}

at::Tensor carried_to_cpu(const at::Tensor& tensor) {
  SPIKENM_ASSERT(tensor.is_cuda() && tensor.is_non_overlapping_and_dense());
  const at::Tensor carried =
      at::empty_strided(tensor.sizes(), tensor.strides(), at::TensorOptions(tensor.scalar_type()));
  if (tensor.numel() == 0) return carried;

  const auto bytes_of = [](const at::Tensor& t) {
    return t.as_strided({t.numel()}, {1}).view(at::kByte);
  };
  const at::Tensor from = bytes_of(tensor), to = bytes_of(carried);
  const int64_t n = from.numel();
  const std::lock_guard lock(shared_piece().in_use);
  const at::Tensor& piece = shared_piece().bytes;

  const c10::Stream stream = carrying_stream(tensor.device());
  const c10::StreamGuard guard(stream);
  c10::Event copied{at::kCUDA};
  for (int64_t begin = 0; begin < n; begin += kPieceBytes) {
    const int64_t size = std::min(n - begin, kPieceBytes);
    piece.narrow(0, 0, size).copy_(from.narrow(0, begin, size), /*non_blocking=*/true);
    copied.record(stream);
    copied.synchronize();
    std::memcpy(static_cast<char*>(to.mutable_data_ptr()) + begin, piece.const_data_ptr(),
                static_cast<size_t>(size));
  }
  return carried;
}

}  // namespace spikenm::train
