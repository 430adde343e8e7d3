#include "place.h"

#include "spikenm/core/parallel.h"

#include <torch/csrc/stable/ops.h>

#include <dlfcn.h>

namespace spikenm::python {
namespace {

// Looked up in the torch that runs: one library serves a torch with CUDA and one without.
void* current_cuda_stream(int32_t device) {
  using StreamOf = AOTITorchError (*)(int32_t, void**);
  static const auto stream_of = [] {
    void* const library = dlopen("libtorch_cuda.so", RTLD_NOLOAD | RTLD_LAZY);
    return library == nullptr
               ? nullptr
               : reinterpret_cast<StreamOf>(dlsym(library, "aoti_torch_get_current_cuda_stream"));
  }();
  SPIKENM_CHECK(stream_of != nullptr, "cuda: found a torch without streams, wanted one with CUDA");
  void* stream = nullptr;
  SPIKENM_CHECK(stream_of(device, &stream) == AOTI_TORCH_SUCCESS,
                "cuda:{}: found no stream of torch", device);
  return stream;
}

}  // namespace

Place::Place(const Tensor& tensor) {
  if (tensor.is_cpu()) {
    set_threads(static_cast<int>(torch::stable::get_num_threads()));
    return;
  }
  SPIKENM_CHECK(tensor.is_cuda(),
                "sparsify: found a tensor that is neither on the CPU nor on CUDA");
  device_ = tensor.get_device_index();
  guard_.emplace(device_);
  stream_ = current_cuda_stream(device_);
}

float* Place::floats(const Tensor& tensor, const char* name) const {
  check(tensor, ScalarType::Float, name);
  return static_cast<float*>(tensor.data_ptr());
}

uint8_t* Place::bytes(const Tensor& tensor, const char* name) const {
  check(tensor, ScalarType::Byte, name);
  return static_cast<uint8_t*>(tensor.data_ptr());
}

void Place::check(const Tensor& tensor, ScalarType type, const char* name) const {
  const bool is_here =
      is_gpu() ? tensor.is_cuda() && tensor.get_device_index() == device_ : tensor.is_cpu();
  SPIKENM_CHECK(is_here, "{}: found it on another device than the other tensors", name);
  SPIKENM_CHECK(tensor.scalar_type() == type, "{}: found values of another type, wanted {}", name,
                type == ScalarType::Float ? "float32" : "uint8");
  SPIKENM_CHECK(tensor.is_contiguous(),
                "{}: found a transposed or cut tensor, wanted one that lies in order", name);
}

}  // namespace spikenm::python
