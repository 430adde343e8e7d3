// Every CPU backend against what SpikingJelly computes; tests/cuda has the GPU's turn.
#include "golden/golden_check.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

#include <fstream>

namespace spikenm {
namespace {

using kernels::NeuronParams;
using test::expect_agrees;
using test::for_each_case;
using test::Golden;
using test::GoldenCase;
using test::read_golden;

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
