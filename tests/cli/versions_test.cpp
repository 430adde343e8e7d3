// result.json says what its numbers hold for: what torch's libraries choose their code by.
#include "spikenm/core/json.h"
#include "support/cli.h"

#include <cstdlib>
#include <utility>

namespace spikenm {
namespace {

using test::Cli;
using test::Outcome;

class Versions : public Cli {
 protected:
  // The versions of a small run with variables of the environment set so.
  Json versions_with(const std::vector<std::pair<std::string, std::string>>& variables) {
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
    const Outcome found = run(tiny({"train", "--out", "run", "--force"}, {"threads=1"}));
    for (const auto& [name, value] : variables) ::unsetenv(name.c_str());
    EXPECT_EQ(found.code, 0) << found.err;
    return Json::parse(read_file(dir / "run/result.json"))["versions"];
  }
};

TEST_F(Versions, AResultNamesAllThatChoosesItsSums) {
  const Json found = versions_with({});
  for (const char* key : {"spikenm", "commit", "build", "torch", "mkl", "onednn", "compiler", "cpu",
                          "isa", "aten_isa"})
    EXPECT_FALSE(found.value(key, "").empty()) << key;
  EXPECT_EQ(found.at("threads"), 1);
  EXPECT_TRUE(found.at("environment").is_object());
}

TEST_F(Versions, TheyFollowTheVariables) {
  const Json found = versions_with({{"SPIKENM_ISA", "ref"},
                                    {"ATEN_CPU_CAPABILITY", "default"},
                                    {"ONEDNN_MAX_CPU_ISA", "SSE41"},
                                    {"MKL_CBWR", "COMPATIBLE"},
                                    {"MKL_NOT_TEXT", "\xff\n"}});
  EXPECT_EQ(found.at("isa"), "ref");
  EXPECT_EQ(found.at("aten_isa"), "DEFAULT");
  const Json wanted = {{"SPIKENM_ISA", "ref"},
                       {"ATEN_CPU_CAPABILITY", "default"},
                       {"ONEDNN_MAX_CPU_ISA", "SSE41"},
                       {"MKL_CBWR", "COMPATIBLE"},
                       {"MKL_NOT_TEXT", "??"}};
  for (const auto& [name, value] : wanted.items())
    EXPECT_EQ(found.at("environment").value(name, ""), value.get<std::string>()) << name;
}

}  // namespace
}  // namespace spikenm
