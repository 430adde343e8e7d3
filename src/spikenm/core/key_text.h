// Declared keys as text, Markdown and JSON. The key of several readers is shown once.
#pragma once

#include "spikenm/core/json.h"
#include "spikenm/core/key.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace spikenm {

// Keys that the same readers have in common.
struct SharedKeys {
  std::string section;
  std::vector<std::string> owners;  // empty: any
  KeyList keys;
};

// The groups by section and readers, in the order in which they first appear.
std::vector<SharedKeys> share_keys(const std::vector<KeyGroup>& groups);

// Those of a section ("train", or "top" for keys outside all sections), of a reader ("spikenm"),
// or with a name ("lr", "train.lr"); empty if `word` is none of these.
std::vector<KeyGroup> select_keys(const std::vector<KeyGroup>& groups, std::string_view word);
// Every word that select_keys() knows.
std::vector<std::string> key_words(const std::vector<KeyGroup>& groups);

// "number, 0 to 1", "one of hard, soft": what values a key takes.
std::string key_range(const Key& key);

// The names that a key of text takes, where tables elsewhere have them.
struct KeyNames {
  std::vector<std::string> names;
  std::string list;  // "losses": what `spikenm list` calls them; empty: it has no such list
};
using NamesByKey = std::map<std::string, KeyNames>;  // by "train.loss"

std::string keys_as_text(const std::vector<KeyGroup>& groups, const NamesByKey& names = {});
// Tables, one below a heading for each section and its readers.
std::string keys_as_markdown(const std::vector<KeyGroup>& groups, const NamesByKey& names = {});
Json keys_as_json(const std::vector<KeyGroup>& groups, const NamesByKey& names = {});

}  // namespace spikenm
