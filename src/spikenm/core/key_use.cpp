#include "spikenm/core/key_use.h"

#include "spikenm/core/config_value.h"
#include "spikenm/core/text.h"

#include <fmt/format.h>

namespace spikenm {
namespace {

// "method" for method.layer_pattern.conv1; empty for a key outside all sections.
std::string_view section_of(std::string_view key) {
  const size_t dot = key.find('.');
  return dot == std::string_view::npos ? std::string_view() : key.substr(0, dot);
}

}  // namespace

void KeyUse::overridden(const std::string& key, const Json* in_file) {
  // When a key is overridden twice, only the first override replaces the file's value.
  overridden_.try_emplace(key, in_file == nullptr ? std::nullopt : std::optional<Json>(*in_file));
}

void KeyUse::defaults_to(const std::string& key, const Json& fallback) {
  const auto found = overridden_.find(key);
  if (found != overridden_.end() && !found->second) found->second = fallback;
}

bool KeyUse::is_changed(const std::string& key, const Values& values) const {
  const auto found = overridden_.find(key);
  if (found == overridden_.end() || !found->second) return false;
  const Json* const now = values(key);
  return now != nullptr && *now != *found->second;
}

const std::string* KeyUse::cause(const std::string& key) const {
  const auto found = idle_.find(key);
  return found == idle_.end() ? nullptr : &found->second.front();
}

std::string KeyUse::gives_way_to(const std::string& key, const Values& values) const {
  if (is_overridden(key)) return "";
  const auto idle = idle_.find(key);
  if (replaced_.contains(key)) return idle->second.front();
  if (idle != idle_.end()) {
    for (const std::string& because : idle->second)
      if (is_changed(because, values)) return because;
  }

  for (const std::string& selector : selectors_)
    if (section_of(selector) == section_of(key) && is_changed(selector, values)) return selector;
  return "";
}

std::string give_way_note(const std::string& selector, const Json* value,
                          const std::vector<std::string>& keys) {
  return fmt::format("note: {} of the config file {} dropped: no effect with {}{}",
                     join(keys, ", "), keys.size() == 1 ? "is" : "are", selector,
                     value == nullptr ? "" : " = " + shown(*value));
}

}  // namespace spikenm
