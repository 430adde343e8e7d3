// Small text helpers: the nearest of several names, glob matching, and joining.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spikenm {

// The candidate with the smallest edit distance to `name`; empty when there is none.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

// Shell-style match of a whole name: '*' matches any characters, '?' any single one.
bool glob_match(std::string_view pattern, std::string_view name);

std::string join(const std::vector<std::string>& parts, std::string_view separator);

}  // namespace spikenm
