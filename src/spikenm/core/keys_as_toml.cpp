#include "spikenm/core/keys_as_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

namespace spikenm {
namespace {

bool is_bare_key(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-';
  });
}

std::string quoted_key(std::string_view key) {
  return is_bare_key(key) ? std::string(key) : Json(std::string(key)).dump();
}

std::string section_of(const std::string& name) {
  const size_t dot = name.find('.');
  return dot == std::string::npos ? "" : name.substr(0, dot);
}

// The key as its section's table names it. A user's key "fc.out" beside a key "fc" is not split.
std::string key_in_section(const std::string& name, const std::string& section,
                           const std::set<std::string>& read) {
  const std::string rest = section.empty() ? name : name.substr(section.size() + 1);
  const size_t dot = rest.find('.');
  const bool is_in_table =
      dot != std::string::npos && !read.contains(section + "." + rest.substr(0, dot));
  if (!is_in_table) return quoted_key(rest);
  return quoted_key(rest.substr(0, dot)) + "." + quoted_key(rest.substr(dot + 1));
}

}  // namespace

std::string keys_as_toml(const std::vector<std::pair<std::string, Json>>& keys,
                         const std::set<std::string>& read) {
  std::vector<std::string> sections{""};
  for (const auto& [name, value] : keys)
    if (std::find(sections.begin(), sections.end(), section_of(name)) == sections.end())
      sections.push_back(section_of(name));

  std::string text;
  for (const std::string& section : sections) {
    if (!section.empty()) text += fmt::format("\n[{}]\n", quoted_key(section));
    for (const auto& [name, value] : keys)
      if (section_of(name) == section)
        text += fmt::format("{} = {}\n", key_in_section(name, section, read), value.dump());
  }
  return text;
}

}  // namespace spikenm
