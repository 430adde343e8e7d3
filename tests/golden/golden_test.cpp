// Every backend against what SpikingJelly computes. SPIKENM_GOLDEN=DIR reads another folder of
// vectors.
#include "golden/golden_reader.h"
#include "support/compare.h"
#include "support/expect_error.h"
#include "support/neuron_run.h"
#include "support/temp_dir.h"

#include <cstdlib>
#include <fstream>
#include <type_traits>

namespace spikenm {
namespace {

using kernels::Neuron;
using kernels::NeuronParams;
using test::all_close;
using test::all_identical;
using test::Golden;
using test::GoldenCase;
using test::read_golden;

Golden chosen_golden() {
  const char* folder = std::getenv("SPIKENM_GOLDEN");
  return read_golden(folder != nullptr && *folder != '\0' ? folder
                                                          : SPIKENM_SOURCE_DIR "/tests/golden");
}

template <class T>
test::Tolerance tolerance() {
  return std::is_same_v<T, double> ? test::Tolerance{1e-10, 1e-10} : test::Tolerance{1e-6, 1e-5};
}

// run(params, steps, x, g) gives a test::NeuronRun<T>.
template <class T, class Run>
void expect_agrees(const Golden& golden, const GoldenCase& c, Run&& run) {
  const bool learns_leak = c.params.neuron == Neuron::kPlif;
  NeuronParams params = c.params;
  T k = 0;
  if (learns_leak) {
    k = 1 / (1 + std::exp(-golden.array<T>(c, "w", 1)[0]));
    params.k = k;
  }
  const auto stored = [&](const char* name) { return golden.array<T>(c, name, c.numel); };
  const test::NeuronRun<T> found = run(params, c.steps, stored("x"), stored("g"));
  EXPECT_TRUE(all_close(found.spikes, stored("spikes"), {})) << "spikes";
  EXPECT_TRUE(all_close(found.v, stored("v"), tolerance<T>())) << "v";
  EXPECT_TRUE(all_close(found.grad_x, stored("grad_x"), tolerance<T>())) << "grad_x";
  if (learns_leak) {
    const std::vector<T> grad_w = {static_cast<T>(k * (1 - k) * found.grad_k)};
    EXPECT_TRUE(all_close(grad_w, golden.array<T>(c, "grad_w", 1), tolerance<T>())) << "grad_w";
  }
}

// Calls check(golden, case) for the cases of one dtype.
template <class Check>
void for_each_case(const std::string& dtype, Check&& check) {
  const Golden golden = chosen_golden();
  int n_checked = 0;
  for (const GoldenCase& c : golden.cases) {
    if (c.dtype != dtype) continue;
    SCOPED_TRACE(c.name);
    check(golden, c);
    ++n_checked;
  }
  if (n_checked == 0) GTEST_SKIP() << golden.folder.string() << " has no " << dtype << " cases";
}

TEST(golden, ReferenceInFloatAgreesWithSpikingJelly) {
  for_each_case("float32", [](const Golden& golden, const GoldenCase& c) {
    expect_agrees<float>(golden, c, test::run_neuron_ref<float>);
  });
}

TEST(golden, ReferenceInDoubleAgreesWithSpikingJelly) {
  for_each_case("float64", [](const Golden& golden, const GoldenCase& c) {
    expect_agrees<double>(golden, c, test::run_neuron_ref<double>);
  });
}

TEST(golden, EveryCpuLevelAgreesWithSpikingJelly) {
  for (const Isa isa : supported_isas()) {
    SCOPED_TRACE(isa_name(isa));
    for_each_case("float32", [&](const Golden& golden, const GoldenCase& c) {
      expect_agrees<float>(
          golden, c, [&](const NeuronParams& params, int64_t steps, const auto& x, const auto& g) {
            return test::run_neuron_cpu(params, steps, x, g, isa);
          });
    });
  }
}

class golden_reader : public testing::Test {
 protected:
  void write(const char* name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  void write_manifest(const std::string& cases) const {
    write("manifest.json",
          R"({"byte_order":"little","file":"vectors.bin","bytes":8,"cases":[)" + cases + "]}");
  }
  static std::string one_case(const std::string& neuron, int offset) {
    return R"({"name":"one","neuron":")" + neuron +
           R"(","tau":null,"decay_input":null,"v_reset":null,"detach_reset":true,"surrogate":"ATan",)"
           R"("v_threshold":1,"shape":[1,2],"dtype":"float32","alpha":2,"arrays":{"x":{"offset":)" +
           std::to_string(offset) + R"(,"count":2}}})";
  }
  test::TempDir folder_;
};

TEST_F(golden_reader, NamesTheFileThatIsMissing) {
  EXPECT_ERROR(read_golden(folder_ / "nowhere"), "nowhere/manifest.json");
  write_manifest(one_case("IF", 0));
  EXPECT_ERROR(read_golden(folder_.path()), "vectors.bin");
}

TEST_F(golden_reader, RefusesBrokenJsonAndMissingKeys) {
  write("manifest.json", "{\"cases\": [");
  EXPECT_ERROR(read_golden(folder_.path()), "manifest.json", "parse");
  write("vectors.bin", "12345678");
  write_manifest(R"({"name":"one","neuron":"IF"})");
  EXPECT_ERROR(read_golden(folder_.path()), "case \"one\"", "dtype");
}

TEST_F(golden_reader, RefusesAFolderWithoutCases) {
  write("vectors.bin", "12345678");
  write_manifest("");
  EXPECT_ERROR(read_golden(folder_.path()), "no cases");
}

TEST_F(golden_reader, RefusesAFileOfAnotherLength) {
  write("vectors.bin", "1234567");
  write_manifest(one_case("IF", 0));
  EXPECT_ERROR(read_golden(folder_.path()), "says 8 bytes", "has 7");
}

TEST_F(golden_reader, RefusesAnUnknownNeuron) {
  write("vectors.bin", "12345678");
  write_manifest(one_case("Izhikevich", 0));
  EXPECT_ERROR(read_golden(folder_.path()), "neuron", "Izhikevich");
}

TEST_F(golden_reader, RefusesArraysOutsideTheFileOrOfAnotherSize) {
  write("vectors.bin", "12345678");
  write_manifest(one_case("IF", 0));
  Golden golden = read_golden(folder_.path());
  EXPECT_EQ(golden.array<float>(golden.cases[0], "x", 2).size(), 2u);
  EXPECT_ERROR(golden.array<float>(golden.cases[0], "x", 3), "case one", "2 values, wanted 3");
  EXPECT_ERROR(golden.array<float>(golden.cases[0], "g", 2), "no array g");
  write_manifest(one_case("IF", 4));
  golden = read_golden(folder_.path());
  EXPECT_ERROR(golden.array<float>(golden.cases[0], "x", 2), "outside the file");
}

}  // namespace
}  // namespace spikenm
