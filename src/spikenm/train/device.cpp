#include "spikenm/train/device.h"

#include "spikenm/core/stopwatch.h"
#include "spikenm/ops/recording.h"
#include "spikenm/ops/stream.h"
#include "spikenm/train/device_keys.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <unistd.h>

#include <fstream>

namespace spikenm::train {
namespace {

// Whether torch may round the products on a GPU to TF32.
void allow_tf32(bool allow) {
  at::globalContext().setAllowTF32CuDNN(allow);
  at::globalContext().setAllowTF32CuBLAS(allow);
}

// The fastest algorithms of cuDNN are found by timing, and some add up in no fixed order.
void make_deterministic(bool deterministic) {
  at::globalContext().setBenchmarkCuDNN(!deterministic);
  at::globalContext().setDeterministicCuDNN(deterministic);
}

}  // namespace

Device read_device(const Config& config, bool may_be_missing) {
  const size_t where = kDevice.read(config);
  Device d;
  const bool graphs = kCudaGraphs.read(config);
  const bool deterministic = kDeterministic.read(config);
  if (where == 0)
    for (const char* key : {"cuda_graphs", "deterministic"}) config.no_effect(key, {"device"});
  d.precision = kPrecision.choices[kPrecision.read(config)];

  if (where == 0 || (where == 2 && !ops::cuda_is_available())) {
    SPIKENM_CHECK(d.precision == "auto" || d.precision == "fp32",
                  "{}: found '{}', wanted fp32 on the cpu", config.full_key("precision"),
                  d.precision);
    d.precision = "fp32";
    return d;
  }

  d.is_missing = !ops::cuda_is_available();
  SPIKENM_CHECK(!d.is_missing || may_be_missing,
                "{}: found 'cuda', but this build or machine has no GPU to run on",
                config.full_key("device"));
  if (d.precision == "auto") d.precision = "bf16";
  if (d.is_missing) return d;

  d.device = at::Device(at::kCUDA, 0);
  d.graphs = graphs;
  ops::use_own_stream();
  if (d.precision == "bf16") d.compute = at::kBFloat16;
  if (d.precision == "fp16") d.compute = at::kHalf;
  allow_tf32(d.precision == "tf32");
  make_deterministic(deterministic);
  return d;
}

void wake_gpu(const at::Device& device) {
  if (!device.is_cuda()) return;
  constexpr double kSeconds = 0.3;
  const at::Tensor a = at::ones({4096, 4096}, at::TensorOptions(device).dtype(at::kHalf));
  for (const Stopwatch watch; watch.seconds() < kSeconds; ops::synchronize()) at::mm(a, a);
}

double memory_in_use(const at::Device& device) {
  if (device.is_cuda()) return static_cast<double>(ops::peak_memory());
  std::ifstream statm("/proc/self/statm");
  int64_t pages = 0, resident = 0;
  statm >> pages >> resident;
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

}  // namespace spikenm::train
