#include "spikenm/train/versions.h"

#include "spikenm/core/build_id.h"
#include "spikenm/core/cpu_features.h"
#include "spikenm/core/parallel.h"
#include "spikenm/core/processor.h"
#include "spikenm/train/commit.h"

#include <ATen/Version.h>
#include <torch/version.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace spikenm::train {
namespace {

// Variables that choose how sums are made, and related ones: which of them matter differs between
// versions of a library.
bool matters(std::string_view variable) {
  constexpr std::string_view kPrefixes[] = {"ATEN_", "DNNL_",   "MKL_",
                                            "OMP_",  "ONEDNN_", "SPIKENM_ISA"};
  return std::ranges::any_of(kPrefixes,
                             [&](std::string_view prefix) { return variable.starts_with(prefix); });
}

// A variable may hold any bytes, but JSON is text.
std::string ascii(std::string_view text) {
  std::string shown(text);
  std::ranges::replace_if(shown, [](char c) { return c < 0x20 || c > 0x7E; }, '?');
  return shown;
}

Json environment() {
  Json found = Json::object();
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos || !matters(text.substr(0, equals))) continue;
    found[ascii(text.substr(0, equals))] = ascii(text.substr(equals + 1));
  }
  return found;
}

}  // namespace

Json versions() {
  return {{"spikenm", SPIKENM_VERSION},    {"commit", commit()},
          {"build", build_id()},           {"torch", TORCH_VERSION},
          {"mkl", at::get_mkl_version()},  {"onednn", at::get_mkldnn_version()},
          {"compiler", __VERSION__},       {"cpu", processor_name()},
          {"isa", isa_name(active_isa())}, {"aten_isa", at::get_cpu_capability()},
          {"environment", environment()},  {"threads", threads()}};
}

}  // namespace spikenm::train
