// The arguments after a transform's name. A message says which argument is wrong and why; the chain
// adds the config key and the entry.
#pragma once

#include "spikenm/core/error.h"
#include "spikenm/data/transforms/transform.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace spikenm::data {

class Arguments {
 public:
  // Accepts at most this many numbers and words.
  Arguments(const TransformArguments& given, size_t numbers, size_t words = 0)
      : given_(given.numbers), words_(given.words) {
    SPIKENM_CHECK(words_.size() <= words, "found '{}' after a ':', wanted a number", words_.back());
    SPIKENM_CHECK(given_.size() <= numbers, "found {} arguments, wanted at most {}", given_.size(),
                  numbers);
  }

  // Number i, or `fallback` when it is not given. The range is closed.
  [[nodiscard]] double real(size_t i, double fallback, double low, double high) const {
    if (i >= given_.size()) return fallback;
    SPIKENM_CHECK(given_[i] >= low && given_[i] <= high,
                  "argument {}: found {}, wanted a number from {} to {}", i + 1, given_[i], low,
                  high);
    return given_[i];
  }

  // The only word; empty when none is given.
  [[nodiscard]] std::string word() const { return words_.empty() ? "" : words_[0]; }

  [[nodiscard]] int64_t whole(size_t i, int64_t fallback, int64_t low, int64_t high) const {
    if (i >= given_.size()) return fallback;
    SPIKENM_CHECK(given_[i] >= static_cast<double>(low) && given_[i] <= static_cast<double>(high) &&
                      given_[i] == std::floor(given_[i]),
                  "argument {}: found {}, wanted a whole number from {} to {}", i + 1, given_[i],
                  low, high);
    return static_cast<int64_t>(given_[i]);
  }

 private:
  const std::vector<double>& given_;
  const std::vector<std::string>& words_;
};

// Larger than any picture's side; sizes up to this cannot overflow.
inline constexpr int64_t kMostPixels = 65535;

}  // namespace spikenm::data
