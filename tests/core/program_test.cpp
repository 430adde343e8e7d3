#include "spikenm/core/program.h"

#include <gtest/gtest.h>

namespace spikenm {
namespace {

TEST(RunProgram, GivesInputAndTakesOutputOfAnySize) {
  const std::string much(3 << 20, 'x');  // more than a pipe holds
  const auto found = run_program({"cat"}, much);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->exit_code, 0);
  EXPECT_EQ(found->output, much);
  EXPECT_EQ(found->errors, "");
}

TEST(RunProgram, ReportsHowItEnded) {
  const auto failed = run_program({"sh", "-c", "echo no >&2; exit 3"}, "");
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->exit_code, 3);
  EXPECT_EQ(failed->errors, "no\n");
  EXPECT_EQ(run_program({"sh", "-c", "kill -9 $$"}, "")->exit_code, 137);
}

TEST(RunProgram, UsesNoShell) {
  EXPECT_EQ(run_program({"echo", "$HOME; ls"}, "")->output, "$HOME; ls\n");
}

TEST(RunProgram, SaysWhenThereIsNone) {
  EXPECT_FALSE(run_program({"spikenm-no-such-program"}, ""));
}

}  // namespace
}  // namespace spikenm
