// Whether what a config was read for is what the declared keys say.
#pragma once

#include "spikenm/core/json.h"
#include "spikenm/core/key.h"
#include "spikenm/core/toml.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace spikenm::test {

using Owners =
    std::map<std::string, std::set<std::string>>;  // of each section, those that are chosen

inline bool is_read_by(const KeyGroup& group, const Owners& owners) {
  const auto chosen = owners.find(group.section);
  return group.owner.empty() || (chosen != owners.end() && chosen->second.contains(group.owner));
}

// The declaration that an owner has, or else one of everybody's; null when there is none.
inline const Key* find_key(const std::vector<KeyGroup>& groups, const Owners& owners,
                           const std::string& section, const std::string& name) {
  const Key* found = nullptr;
  for (const KeyGroup& group : groups) {
    if (group.section != section || !is_read_by(group, owners)) continue;
    for (const Key* key : group.keys)
      if (key->name == name && (found == nullptr || !group.owner.empty())) found = key;
  }
  return found;
}

inline bool has_no_default(const Key& key) {
  return key.type == KeyType::kPath || key.type == KeyType::kTable;
}

inline void expect_value(const Key& key, const std::string& full, const Json& value, bool given) {
  if (!given && key.varies.empty()) {
    EXPECT_EQ(value.dump(), key.fallback) << full;
  }
  if (!key.choices.empty()) {
    EXPECT_TRUE(std::count(key.choices.begin(), key.choices.end(), value.get<std::string>()))
        << full << " = " << value;
  }
}

// The table of a section, "train.stop_early" for one within another.
inline Json section_of(const Json& config, const std::string& section) {
  const size_t point = section.find('.');
  if (section.empty()) return config;
  const Json table = config.value(section.substr(0, point), Json::object());
  return point == std::string::npos ? table : section_of(table, section.substr(point + 1));
}

inline bool is_section(const std::vector<KeyGroup>& groups, const std::string& name) {
  return std::any_of(groups.begin(), groups.end(),
                     [&](const KeyGroup& group) { return group.section == name; });
}

// Every key that was read is declared, with the default that it has where the config gives none;
// and every declared key was read, unless a condition is said.
inline void expect_declared(const Config& config, const std::vector<KeyGroup>& groups,
                            const Owners& owners, const std::string& what) {
  SCOPED_TRACE(what);
  const Json resolved = parse_toml(config.resolved_toml(), what);
  const std::function<void(const std::string&, const std::string&, const Json&)> check =
      [&](const std::string& section, const std::string& name, const Json& value) {
        const std::string full = section.empty() ? name : section + "." + name;
        if (value.is_object() && is_section(groups, full)) {
          for (const auto& [inner, held] : value.items()) check(full, inner, held);
          return;
        }
        const Key* const key = find_key(groups, owners, section, name);
        ASSERT_NE(key, nullptr) << full << " is read and not declared";
        if (key->type != KeyType::kTable) expect_value(*key, full, value, config.has(full));
      };
  for (const auto& [name, value] : resolved.items()) check("", name, value);
  for (const KeyGroup& group : groups) {
    if (!is_read_by(group, owners)) continue;
    const Json section = section_of(resolved, group.section);
    for (const Key* key : group.keys)
      EXPECT_TRUE(section.contains(key->name) || !key->condition.empty() || has_no_default(*key))
          << group.section << "." << key->name << " of '" << group.owner << "' is never read";
  }
}

// Declarations say all they should, and no reader declares a key twice.
inline void expect_whole(const std::vector<KeyGroup>& groups) {
  for (const KeyGroup& group : groups) {
    std::set<std::string> names;
    for (const Key* key : group.keys) {
      const std::string full = group.section + "." + key->name + " of '" + group.owner + "'";
      EXPECT_TRUE(names.insert(key->name).second) << full << " is declared twice";
      EXPECT_FALSE(key->what.empty()) << full;
      EXPECT_FALSE(key->what.ends_with('.')) << full;
      EXPECT_EQ(key->choices.empty(), key->type != KeyType::kChoice) << full;
      EXPECT_EQ(key->fallback.empty() && key->varies.empty(), has_no_default(*key)) << full;
    }
  }
}

}  // namespace spikenm::test
