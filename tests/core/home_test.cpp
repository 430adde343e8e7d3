#include "spikenm/core/home.h"

#include "support/expect_error.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

namespace spikenm {
namespace {

// HOME is this for as long as it lives; null: not set.
class Home {
 public:
  explicit Home(const char* value) {
    if (const char* const old = std::getenv("HOME")) old_ = old;
    value == nullptr ? ::unsetenv("HOME") : ::setenv("HOME", value, 1);
  }
  ~Home() { old_ ? ::setenv("HOME", old_->c_str(), 1) : ::unsetenv("HOME"); }
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;

 private:
  std::optional<std::string> old_;
};

TEST(ExpandHome, ReplacesALeadingTilde) {
  const Home home("/home/ada");
  EXPECT_EQ(expand_home("~/sets/a"), "/home/ada/sets/a");
  EXPECT_EQ(expand_home("~"), "/home/ada");
  EXPECT_EQ(expand_home("~/"), "/home/ada/");
}

TEST(ExpandHome, LeavesOtherPathsAlone) {
  const Home home("/home/ada");
  for (const char* path : {"", "sets", "/sets/~", "a~/b", "~grace/sets", "./~"})
    EXPECT_EQ(expand_home(path), path);
}

TEST(ExpandHome, SaysThatThereIsNoHome) {
  for (const char* value : {static_cast<const char*>(nullptr), ""}) {
    const Home home(value);
    EXPECT_ERROR(expand_home("~/sets"), "~/sets", "HOME");
    EXPECT_EQ(expand_home("sets"), "sets");
  }
}

}  // namespace
}  // namespace spikenm
