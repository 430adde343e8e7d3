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
  EXPECT_EQ(expand_home("~/sets/a", "data.root"), "/home/ada/sets/a");
  EXPECT_EQ(expand_home("~", "data.root"), "/home/ada");
  EXPECT_EQ(expand_home("~/", "data.root"), "/home/ada/");
}

TEST(ExpandHome, LeavesOtherPathsAlone) {
  const Home home("/home/ada");
  for (const char* path : {"", "sets", "/sets/~", "a~/b", "~grace/sets", "./~"})
    EXPECT_EQ(expand_home(path, "data.root"), path);
}

TEST(ExpandHome, SaysThatThereIsNoHome) {
  for (const char* value : {static_cast<const char*>(nullptr), ""}) {
    const Home home(value);
    EXPECT_ERROR(expand_home("~/sets", "data.root"), "data.root: found '~/sets'", "no HOME",
                 "wanted the whole path");
    EXPECT_EQ(expand_home("sets", "data.root"), "sets");
  }
}

}  // namespace
}  // namespace spikenm
