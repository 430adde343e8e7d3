// Which given keys of a config mean something in this run. One that means nothing is an error, with
// one exception: a key of the file gives way, with a note, to an override that took its meaning.
#pragma once

#include "spikenm/core/json.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace spikenm {

class KeyUse {
 public:
  // The value of a key, given or default; null when it has none.
  using Values = std::function<const Json*(const std::string& key)>;

  // An override gives `key`; null: the file does not.
  void overridden(const std::string& key, const Json* in_file);
  [[nodiscard]] bool is_overridden(const std::string& key) const {
    return overridden_.contains(key);
  }
  // What `key` is where nobody gives it.
  void defaults_to(const std::string& key, const Json& fallback);

  // `key` decides which keys of its section are read.
  void selects(const std::string& key) { selectors_.push_back(key); }
  // `key` has no effect because of the value of `causes[0]`, which the others may have set.
  void no_effect(const std::string& key, std::vector<std::string> causes) {
    idle_.insert_or_assign(key, std::move(causes));
  }

  // `by` takes the place of `key`: the file's gives way whether or not `by` is an override.
  void replaced(const std::string& key, const std::string& by) {
    no_effect(key, {by});
    replaced_.insert(key);
  }

  // The key because of which `key` has no effect; null when it has one.
  [[nodiscard]] const std::string* cause(const std::string& key) const;
  // The key whose override took the meaning of the file's `key`; empty when there is none, or when
  // `key` is an override itself.
  [[nodiscard]] std::string gives_way_to(const std::string& key, const Values& values) const;

 private:
  // Whether an override gave `key` another value than the file, or the default, has.
  [[nodiscard]] bool is_changed(const std::string& key, const Values& values) const;

  std::map<std::string, std::optional<Json>> overridden_;  // the value without the override
  std::map<std::string, std::vector<std::string>> idle_;   // its causes
  std::vector<std::string> selectors_;
  std::set<std::string> replaced_;
};

// "note: …" for keys of the file that give way to `selector`, which need not have a value.
std::string give_way_note(const std::string& selector, const Json* value,
                          const std::vector<std::string>& keys);

}  // namespace spikenm
