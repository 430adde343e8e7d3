// Two kinds of failure, named by whose fault they are. Error: the user's (a bad config, file, shape
// or device); one sentence, exit 1. Bug: ours (a broken invariant); the sentence and its place,
// exit 70.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace spikenm {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A command line that cannot be understood; exit 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

// The user's interrupt (SIGINT, SIGTERM), carried to main as the signal's number.
class Interrupted : public std::runtime_error {
 public:
  Interrupted(int signal_number, const std::string& what)
      : std::runtime_error(what), signal_number_(signal_number) {}
  [[nodiscard]] int signal_number() const { return signal_number_; }

 private:
  int signal_number_;
};

class Bug : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Throws Error with a formatted sentence: the thing, what was found, what was wanted.
template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace spikenm

// The user's mistake.
#define SPIKENM_CHECK(condition, ...)               \
  do {                                              \
    if (!(condition)) ::spikenm::fail(__VA_ARGS__); \
  } while (false)

// Our mistake. Kept unless the build turns SPIKENM_ASSERTIONS off.
#if defined(SPIKENM_ASSERTIONS)
#define SPIKENM_ASSERT(condition)                                                    \
  do {                                                                               \
    if (!(condition))                                                                \
      throw ::spikenm::Bug(                                                          \
          fmt::format("{}:{}: '{}' does not hold", __FILE__, __LINE__, #condition)); \
  } while (false)
#else
#define SPIKENM_ASSERT(condition) static_cast<void>(0)
#endif
