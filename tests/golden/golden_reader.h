// Reads a folder of golden vectors (manifest.json and the file it names; README.md gives the
// layout). Whatever is missing or does not fit is an Error that names the file and the case.
#pragma once

#include "spikenm/core/error.h"
#include "spikenm/core/file.h"
#include "spikenm/core/json.h"
#include "spikenm/kernels/neuron_seq.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace spikenm::test {

struct GoldenCase {
  std::string name, dtype;
  int64_t steps = 0, numel = 0;
  kernels::NeuronParams params;  // k is not set for PLIF: it is sigmoid(w)
  Json arrays;
};

struct Golden {
  std::filesystem::path folder;
  std::string bytes;
  std::vector<GoldenCase> cases;

  // The values of one array of a case, which must have `count` of them.
  template <class T>
  [[nodiscard]] std::vector<T> array(const GoldenCase& of, const std::string& name,
                                     int64_t count) const {
    SPIKENM_CHECK(of.arrays.contains(name), "{}: case {} has no array {}", folder.string(), of.name,
                  name);
    const auto offset = of.arrays[name].at("offset").get<uint64_t>();
    const auto n = of.arrays[name].at("count").get<uint64_t>();
    SPIKENM_CHECK(n == static_cast<uint64_t>(count),
                  "{}: case {}, array {} has {} values, wanted {}", folder.string(), of.name, name,
                  n, count);
    SPIKENM_CHECK(offset <= bytes.size() && n <= (bytes.size() - offset) / sizeof(T),
                  "{}: case {}, array {} ends outside the file of {} bytes", folder.string(),
                  of.name, name, bytes.size());
    std::vector<T> values(n);
    if (n > 0) std::memcpy(values.data(), bytes.data() + offset, n * sizeof(T));
    return values;
  }
};

template <class Value>
Value golden_option(const Json& json, const std::string& key,
                    const std::vector<std::pair<std::string, Value>>& known) {
  const auto text = json.at(key).get<std::string>();
  for (const auto& [name, value] : known)
    if (name == text) return value;
  fail("{} is '{}', which this test does not know", key, text);
}

inline GoldenCase parse_golden_case(const Json& json) {
  using kernels::Neuron, kernels::Surrogate;
  GoldenCase c{.name = json.at("name"),
               .dtype = json.at("dtype"),
               .params = {},
               .arrays = json.at("arrays")};
  SPIKENM_CHECK(c.dtype == "float32" || c.dtype == "float64", "dtype is '{}'", c.dtype);
  const auto shape = json.at("shape").get<std::vector<int64_t>>();
  SPIKENM_CHECK(!shape.empty() && shape[0] > 0, "the shape has no time steps");
  c.steps = shape[0];
  c.numel = 1;
  for (const int64_t n : shape) c.numel *= n;
  const Json &tau = json.at("tau"), &decay = json.at("decay_input"), &reset = json.at("v_reset");
  c.params = {
      .neuron = golden_option<Neuron>(
          json, "neuron", {{"IF", Neuron::kIf}, {"LIF", Neuron::kLif}, {"PLIF", Neuron::kPlif}}),
      .surrogate = golden_option<Surrogate>(json, "surrogate",
                                            {{"ATan", Surrogate::kAtan},
                                             {"Sigmoid", Surrogate::kSigmoid},
                                             {"PiecewiseQuadratic", Surrogate::kTriangle}}),
      .alpha = json.at("alpha"),
      .k = tau.is_null() ? 0 : 1 / tau.get<double>(),
      .threshold = json.at("v_threshold"),
      .v_reset = reset.is_null() ? 0 : reset.get<double>(),
      .soft_reset = reset.is_null(),
      .decay_input = !decay.is_null() && decay.get<bool>(),
      .detach_reset = json.at("detach_reset")};
  return c;
}

inline GoldenCase read_golden_case(const Json& json) {
  try {
    return parse_golden_case(json);
  } catch (const std::exception& e) {
    fail("golden case {}: {}", json.at("name").dump(), e.what());
  }
}

inline Golden read_golden(const std::filesystem::path& folder) {
  const std::string path = (folder / "manifest.json").string();
  Golden golden{.folder = folder, .bytes = {}, .cases = {}};
  try {
    const Json manifest = Json::parse(read_file(path));
    SPIKENM_CHECK(manifest.at("byte_order") == "little", "{}: byte_order is not little", path);
    golden.bytes = read_file(folder / manifest.at("file").get<std::string>());
    SPIKENM_CHECK(manifest.at("bytes") == golden.bytes.size(), "{}: says {} bytes, the file has {}",
                  path, manifest.at("bytes").dump(), golden.bytes.size());
    for (const Json& json : manifest.at("cases")) golden.cases.push_back(read_golden_case(json));
  } catch (const Json::exception& e) {
    fail("{}: {}", path, e.what());
  }
  SPIKENM_CHECK(!golden.cases.empty(), "{}: no cases", path);
  return golden;
}

}  // namespace spikenm::test
