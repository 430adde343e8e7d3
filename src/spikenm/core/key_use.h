// Decides which given keys of a config have an effect in this run. A key without effect is an
// error, with one exception: a key of the file gives way (is dropped with a note) to an override
// that removes its effect.
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

  // An override gives `key`. in_file: the file's value; null when the file does not give the key.
  void overridden(const std::string& key, const Json* in_file);
  [[nodiscard]] bool is_overridden(const std::string& key) const {
    return overridden_.contains(key);
  }
  // The value of `key` when it is not given.
  void defaults_to(const std::string& key, const Json& fallback);

  // `key` decides which keys of its section are read.
  void selects(const std::string& key) { selectors_.push_back(key); }
  // `key` has no effect because of the value of `causes[0]`, which the other causes may have set.
  void no_effect(const std::string& key, std::vector<std::string> causes) {
    idle_.insert_or_assign(key, std::move(causes));
  }

  // `by` replaces `key`: the file's `key` gives way even if `by` is not an override.
  void replaced(const std::string& key, const std::string& by) {
    no_effect(key, {by});
    replaced_.insert(key);
  }

  // The key because of which `key` has no effect; null when `key` has an effect.
  [[nodiscard]] const std::string* cause(const std::string& key) const;
  // The key whose override removes the effect of the file's `key`; empty when there is none, or
  // when `key` is an override itself.
  [[nodiscard]] std::string gives_way_to(const std::string& key, const Values& values) const;

 private:
  // Whether an override gave `key` a value that differs from the file's, or else from the default.
  [[nodiscard]] bool is_changed(const std::string& key, const Values& values) const;

  std::map<std::string, std::optional<Json>> overridden_;  // the value without the override
  std::map<std::string, std::vector<std::string>> idle_;   // the causes of each
  std::vector<std::string> selectors_;
  std::set<std::string> replaced_;
};

// "note: …" for keys of the file that give way to `selector`. value: the selector's value, or null.
std::string give_way_note(const std::string& selector, const Json* value,
                          const std::vector<std::string>& keys);

}  // namespace spikenm
