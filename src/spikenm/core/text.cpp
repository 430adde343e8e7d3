#include "spikenm/core/text.h"

#include <algorithm>
#include <numeric>

namespace spikenm {
namespace {

// Levenshtein distance with one row of memory.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row.back();
}

std::string_view last_part(std::string_view key) {
  return key.substr(key.rfind('.') + 1);  // the whole key if it has no dot
}

// The last parts of dotted keys are also compared: lr is near train.lr. The 2 prefers a typing
// mistake in the whole key to another section.
size_t key_distance(std::string_view a, std::string_view b) {
  return std::min(edit_distance(a, b), edit_distance(last_part(a), last_part(b)) + 2);
}

}  // namespace

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
  name = name.substr(0, 200);  // the time grows with the length, and no name of ours is longer
  const auto best = std::min_element(candidates.begin(), candidates.end(),
                                     [&](const std::string& a, const std::string& b) {
                                       return key_distance(name, a) < key_distance(name, b);
                                     });
  return best == candidates.end() ? std::string() : *best;
}

bool glob_match(std::string_view pattern, std::string_view name) {
  size_t p = 0, n = 0, star = std::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
}

}  // namespace spikenm
