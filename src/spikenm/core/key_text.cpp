#include "spikenm/core/key_text.h"

#include "spikenm/core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace spikenm {
namespace {

constexpr const char* kNoSection = "top";  // how the user names the keys outside all sections

std::string full_name(const std::string& section, const Key& key) {
  return section.empty() ? key.name : section + "." + key.name;
}

// Sections in the order of their first group.
std::vector<std::string> sections_of(const std::vector<KeyGroup>& groups) {
  std::vector<std::string> sections;
  for (const KeyGroup& group : groups)
    if (std::find(sections.begin(), sections.end(), group.section) == sections.end())
      sections.push_back(group.section);
  return sections;
}

// Readers of `key` in its section, in the order of the groups.
std::vector<std::string> owners_of(const std::vector<KeyGroup>& groups, const std::string& section,
                                   const Key* key) {
  std::vector<std::string> owners;
  for (const KeyGroup& group : groups) {
    const bool reads = std::find(group.keys.begin(), group.keys.end(), key) != group.keys.end();
    if (group.section != section || !reads) continue;
    if (group.owner.empty()) return {};
    owners.push_back(group.owner);
  }
  return owners;
}

std::string heading(const SharedKeys& shared) {
  const std::string section =
      shared.section.empty() ? "outside all sections" : "[" + shared.section + "]";
  return shared.owners.empty() ? section : section + " of " + join(shared.owners, ", ");
}

// The default in words where there is no one value.
std::string default_words(const Key& key) {
  if (key.varies.empty()) return "";
  return (key.fallback.empty() ? "default: " : "") + key.varies;
}

// A vertical bar would end the cell of a table.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string code(const std::string& text) {
  return text.empty() ? "" : "`" + text + "`";
}

const KeyNames* names_of(const NamesByKey& names, const std::string& section, const Key& key) {
  const auto found = names.find(full_name(section, key));
  return found == names.end() || !key.choices.empty() ? nullptr : &found->second;
}

// What values a key takes, with the names of others' tables. `quote` sets a command apart.
std::string range_text(const Key& key, const KeyNames* names, const char* quote) {
  if (names == nullptr) return key_range(key);
  const char* const type = key.type == KeyType::kTextList ? "texts, names of" : "one of";
  std::string text = fmt::format("{} {}", type, join(names->names, ", "));
  if (!names->list.empty()) text += fmt::format("; {0}spikenm list {1}{0}", quote, names->list);
  return text;
}

std::string markdown_row(const Key& key, const KeyNames* names) {
  std::string usual = code(key.fallback);
  if (!key.varies.empty()) usual += (usual.empty() ? "" : "; ") + key.varies;
  const std::string meaning = key.what + (key.condition.empty() ? "" : "; only " + key.condition);
  return fmt::format("| `{}` | {} | {} | {} |\n", key.name, cell(range_text(key, names, "`")),
                     cell(usual), cell(meaning));
}

}  // namespace

std::vector<SharedKeys> share_keys(const std::vector<KeyGroup>& groups) {
  std::vector<SharedKeys> all;
  for (const std::string& section : sections_of(groups)) {
    const size_t begin = all.size();
    std::set<const Key*> seen;
    for (const KeyGroup& group : groups) {
      if (group.section != section) continue;
      for (const Key* key : group.keys) {
        if (!seen.insert(key).second) continue;
        const std::vector<std::string> owners = owners_of(groups, section, key);
        auto place =
            std::find_if(all.begin() + static_cast<std::ptrdiff_t>(begin), all.end(),
                         [&](const SharedKeys& shared) { return shared.owners == owners; });
        if (place == all.end()) place = all.insert(all.end(), {section, owners, {}});
        place->keys.push_back(key);
      }
    }
  }
  return all;
}

std::vector<KeyGroup> select_keys(const std::vector<KeyGroup>& groups, std::string_view word) {
  std::vector<KeyGroup> chosen;
  for (const KeyGroup& group : groups) {
    const std::string section = group.section.empty() ? kNoSection : group.section;
    if (section == word || section.starts_with(std::string(word) + ".") || group.owner == word) {
      chosen.push_back(group);
      continue;
    }
    KeyGroup named{group.section, group.owner, {}};
    for (const Key* key : group.keys)
      if (key->name == word || full_name(group.section, *key) == word) named.keys.push_back(key);
    if (!named.keys.empty()) chosen.push_back(named);
  }
  return chosen;
}

std::vector<std::string> key_words(const std::vector<KeyGroup>& groups) {
  std::set<std::string> words;
  for (const KeyGroup& group : groups) {
    words.insert(group.section.empty() ? kNoSection : group.section);
    if (!group.owner.empty()) words.insert(group.owner);
    for (const Key* key : group.keys) {
      words.insert(key->name);
      words.insert(full_name(group.section, *key));
    }
  }
  return {words.begin(), words.end()};
}

std::string key_range(const Key& key) {
  std::string type = type_name(key.type);
  if (!key.choices.empty()) return type + " " + join(key.choices, ", ");
  if (key.low.empty()) return type;
  const bool is_list = key.type == KeyType::kWholeList || key.type == KeyType::kNumberList;
  return fmt::format("{}, {}{}", type, is_list ? "each " : "", bounds_text(key));
}

std::string keys_as_text(const std::vector<KeyGroup>& groups, const NamesByKey& names) {
  std::string text;
  for (const SharedKeys& shared : share_keys(groups)) {
    text += (text.empty() ? "" : "\n") + heading(shared) + "\n";
    for (const Key* key : shared.keys) {
      text += "  " + key->name + (key->fallback.empty() ? "" : " = " + key->fallback);
      if (!key->varies.empty()) text += "  (" + default_words(*key) + ")";
      text += fmt::format("\n      {} [{}]", key->what,
                          range_text(*key, names_of(names, shared.section, *key), ""));
      if (!key->condition.empty()) text += ", only " + key->condition;
      text += '\n';
    }
  }
  return text;
}

std::string keys_as_markdown(const std::vector<KeyGroup>& groups, const NamesByKey& names) {
  std::string text;
  std::string section = "none yet";
  for (const SharedKeys& shared : share_keys(groups)) {
    if (shared.section != section) {
      section = shared.section;
      text += section.empty() ? "\n## Outside all sections\n" : "\n## [" + section + "]\n";
    }
    if (!shared.owners.empty()) {
      text += "\nOf ";
      for (const std::string& owner : shared.owners)
        text += (&owner == &shared.owners.front() ? "" : ", ") + code(owner);
      text += ":\n";
    }
    text += "\n| key | takes | default | meaning |\n|---|---|---|---|\n";
    for (const Key* key : shared.keys)
      text += markdown_row(*key, names_of(names, shared.section, *key));
  }
  return text;
}

Json keys_as_json(const std::vector<KeyGroup>& groups, const NamesByKey& names) {
  Json list = Json::array();
  for (const SharedKeys& shared : share_keys(groups)) {
    for (const Key* key : shared.keys) {
      Json row{{"key", full_name(shared.section, *key)},
               {"type", type_name(key->type)},
               {"what", key->what}};
      if (!shared.owners.empty()) row["of"] = shared.owners;
      if (!key->fallback.empty()) row["default"] = Json::parse(key->fallback);
      if (!key->varies.empty()) row["default_varies"] = key->varies;
      if (!key->low.empty()) row["range"] = {Json::parse(key->low), Json::parse(key->high)};
      if (key->open) row["range_open"] = true;
      if (!key->choices.empty()) row["choices"] = key->choices;
      if (const KeyNames* const of = names_of(names, shared.section, *key))
        row["choices"] = of->names;
      if (!key->condition.empty()) row["only"] = key->condition;
      list.push_back(std::move(row));
    }
  }
  return list;
}

}  // namespace spikenm
