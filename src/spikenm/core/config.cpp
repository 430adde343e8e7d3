#include "spikenm/core/config.h"

#include "spikenm/core/config_file.h"
#include "spikenm/core/config_value.h"
#include "spikenm/core/home.h"
#include "spikenm/core/json.h"
#include "spikenm/core/key_use.h"
#include "spikenm/core/keys_as_toml.h"
#include "spikenm/core/text.h"
#include "spikenm/core/toml.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace spikenm {
namespace fs = std::filesystem;

// Keys are stored flat, "train.lr"; a given key keeps its place in the file.
struct Config::State {
  std::vector<std::pair<std::string, Json>> given;
  std::unordered_map<std::string, size_t> place;       // index of each key in `given`
  std::vector<std::pair<std::string, Json>> resolved;  // in the order of first reading
  std::set<std::string> read;
  std::unordered_map<std::string, fs::path> folders;  // folder of the file that gave the key
  KeyUse use;
  bool is_resolved = false;  // the file is the resolved config of a run

  [[nodiscard]] const Json* find(const std::string& key) const {
    const auto found = place.find(key);
    return found == place.end() ? nullptr : &given[found->second].second;
  }

  void set(const std::string& key, Json value) {
    const auto [found, is_new] = place.try_emplace(key, given.size());
    if (is_new) {
      given.emplace_back(key, std::move(value));
    } else {
      given[found->second].second = std::move(value);
    }
  }

  // Forgets the key, and every key below it.
  void drop(const std::string& key) {
    std::erase_if(given, [&](const auto& entry) {
      return entry.first == key || entry.first.starts_with(key + ".");
    });
    place.clear();
    for (size_t i = 0; i < given.size(); ++i) place[given[i].first] = i;
  }

  // Sets all keys of one file, or of a text that does not come from a file.
  void set_all(const Json& tables, const std::string& source, const fs::path& folder = {}) {
    std::unordered_set<std::string> seen;  // "train.lr" may also be lr in [train]
    for (auto& [key, value] : flatten_tables(tables)) {
      check_value(key, value);
      SPIKENM_CHECK(seen.insert(key).second,
                    "{}: {}: given twice, once as part of its table and "
                    "once as a name with a dot; leave one out",
                    source, key);
      folders[key] = folder;
      set(key, std::move(value));
    }
  }

  void override_with(const std::string& key, Json value) {
    check_value(key, value);
    use.overridden(key, find(key));
    folders.erase(key);
    set(key, std::move(value));
  }

  void record(const std::string& key, Json value) {
    if (read.insert(key).second) resolved.emplace_back(key, std::move(value));
  }

  // Whether a key without effect is accepted: it is not the user's mistake.
  [[nodiscard]] bool lets_pass(const std::string& key) const {
    return is_resolved && !use.is_overridden(key);
  }

  // The given value, or else the default that was read; null for an unknown key.
  [[nodiscard]] const Json* value_of(const std::string& key) const {
    if (const Json* value = find(key)) return value;
    const auto found = std::find_if(resolved.begin(), resolved.end(),
                                    [&](const auto& entry) { return entry.first == key; });
    return found == resolved.end() ? nullptr : &found->second;
  }
};

Config::Config() : state_(std::make_shared<State>()) {}

Config::Config(std::shared_ptr<State> state, std::string prefix)
    : state_(std::move(state)), prefix_(std::move(prefix)) {}

Config Config::from_text(std::string_view text, const std::string& source) {
  const Json tables = parse_toml(text, source);
  SPIKENM_CHECK(!tables.contains(kExtendsKey), "{}: extends: only a file can extend another",
                source);
  Config config;
  config.state_->set_all(tables, source);
  return config;
}

Config Config::from_resolved(std::string_view text, const std::string& source) {
  Config config = from_text(text, source);
  config.state_->is_resolved = true;
  return config;
}

Config Config::from_file(const fs::path& path) {
  Config config;
  for (const ConfigLayer& layer : read_config_layers(path))
    config.state_->set_all(layer.tables, layer.file.string(), layer.file.parent_path());
  return config;
}

void Config::override_with(std::string_view assignment) {
  const size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw UsageError(
        fmt::format("'{}': not understood; wanted an override such as train.lr=0.1", assignment));
  }
  try {
    (void)Json(std::string(assignment)).dump();
  } catch (const Json::exception&) {
    fail("'{}': not UTF-8 text, which the resolved config needs", assignment);
  }

  const std::string key(assignment.substr(0, equals));
  const std::string value(assignment.substr(equals + 1));
  // A value that is not TOML is a bare word: method.name=dense.
  Json parsed = parse_toml_value(value, key).value_or(value);

  std::string flat;  // layer_pattern."conv*" is given as in TOML; quotes are dropped
  std::remove_copy(key.begin(), key.end(), std::back_inserter(flat), '"');
  if (!parsed.is_object()) return state_->override_with(flat, std::move(parsed));
  // A table overrides the keys that it has: stop_early={patience=3}.
  SPIKENM_CHECK(!parsed.empty(), "{}: found an empty table, wanted keys in it", key);
  for (auto& [inner, held] : flatten_tables(parsed))
    state_->override_with(fmt::format("{}.{}", flat, inner), std::move(held));
}

void Config::drop(std::string_view key) {
  state_->drop(full_key(key));
}

Config Config::section(std::string_view name) const {
  return {state_, prefix_ + std::string(name) + "."};
}

std::string Config::full_key(std::string_view key) const {
  return prefix_ + std::string(key);
}

bool Config::has(std::string_view key) const {
  return state_->find(full_key(key)) != nullptr;
}

template <class T>
T Config::get(std::string_view key, const T& fallback) const {
  const std::string name = full_key(key);
  const Json* given = state_->find(name);
  if (given == nullptr) {
    state_->record(name, as_json(fallback));
    return fallback;
  }

  const std::optional<T> value = Reader<T>::convert(*given);
  SPIKENM_CHECK(value.has_value(), "{}: found {} ({}), wanted {}", name, shown(*given),
                type_name(*given), Reader<T>::kWanted);
  state_->use.defaults_to(name, as_json(fallback));
  state_->record(name, as_json(*value));
  return *value;
}

template bool Config::get(std::string_view, const bool&) const;
template int64_t Config::get(std::string_view, const int64_t&) const;
template double Config::get(std::string_view, const double&) const;
template std::string Config::get(std::string_view, const std::string&) const;
template std::variant<int64_t, std::string> Config::get(
    std::string_view, const std::variant<int64_t, std::string>&) const;
template std::vector<int64_t> Config::get(std::string_view, const std::vector<int64_t>&) const;
template std::vector<double> Config::get(std::string_view, const std::vector<double>&) const;
template std::vector<std::string> Config::get(std::string_view,
                                              const std::vector<std::string>&) const;

fs::path Config::get_path(std::string_view key) const {
  const std::string name = full_key(key);
  if (!has(key)) return {};
  const fs::path given = expand_home(get<std::string>(key, ""), name);
  SPIKENM_CHECK(!given.empty(), "{}: found no path", name);
  const auto folder = state_->folders.find(name);
  return folder == state_->folders.end() || given.is_absolute() ? given : folder->second / given;
}

int64_t Config::get_int(std::string_view key, int64_t fallback, int64_t low, int64_t high) const {
  const int64_t value = get<int64_t>(key, fallback);
  SPIKENM_CHECK(low <= value && value <= high, "{}: found {}, wanted {} to {}", full_key(key),
                value, low, high);
  return value;
}

double Config::get_real(std::string_view key, double fallback, double low, double high) const {
  const double value = get<double>(key, fallback);
  SPIKENM_CHECK(low <= value && value <= high, "{}: found {:g}, wanted {:g} to {:g}", full_key(key),
                value, low, high);
  return value;
}

size_t Config::get_choice(std::string_view key, std::string_view fallback,
                          const std::vector<std::string>& choices) const {
  const std::string value = get<std::string>(key, std::string(fallback));
  const auto found = std::find(choices.begin(), choices.end(), value);
  SPIKENM_CHECK(found != choices.end(), "{}: found '{}', wanted one of {}", full_key(key), value,
                join(choices, ", "));
  return static_cast<size_t>(found - choices.begin());
}

std::vector<std::pair<std::string, std::string>> Config::get_table(std::string_view key) const {
  const std::string prefix = full_key(key) + ".";
  std::vector<std::pair<std::string, std::string>> table;
  for (const auto& [name, value] : state_->given) {
    if (!name.starts_with(prefix)) continue;
    SPIKENM_CHECK(value.is_string(), "{}: found {}, wanted text in quotes", name, shown(value));
    table.emplace_back(name.substr(prefix.size()), value.get<std::string>());
    state_->record(name, value);
  }
  return table;
}

void Config::selects(std::string_view key) const {
  state_->use.selects(full_key(key));
}

void Config::no_effect(std::string_view key, const std::vector<std::string>& causes) const {
  std::vector<std::string> names;
  for (const std::string& cause : causes) names.push_back(full_key(cause));
  state_->use.no_effect(full_key(key), std::move(names));
}

void Config::overrule(const std::vector<std::string>& sections, const std::string& cause) const {
  for (const auto& [name, value] : state_->given) {
    const std::string section = name.substr(0, name.find('.'));
    const bool covered = std::find(sections.begin(), sections.end(), section) != sections.end();
    if (covered && !state_->read.contains(name)) state_->use.replaced(name, cause);
  }
}

void Config::resolve_as(std::string_view key, const std::string& value) const {
  for (auto& [name, resolved] : state_->resolved)
    if (name == full_key(key)) resolved = value;
}

std::vector<std::string> Config::reject_unread() const {
  const State& state = *state_;
  const KeyUse::Values values = [&](const std::string& key) { return state.value_of(key); };
  std::map<std::string, std::vector<std::string>> dropped;  // by the key that replaced them
  for (const auto& [name, value] : state.given) {
    const std::string* const cause = state.use.cause(name);
    if (cause == nullptr ? state.read.contains(name) : state.lets_pass(name)) continue;
    const std::string selector = state.use.gives_way_to(name, values);
    if (!selector.empty()) {
      dropped[selector].push_back(name);
      continue;
    }
    const Json* const because = cause == nullptr ? nullptr : values(*cause);
    SPIKENM_CHECK(cause == nullptr, "{}: has no effect with {}{}; leave it out", name, *cause,
                  because == nullptr ? "" : " = " + shown(*because));
    const std::string near = nearest(name, {state.read.begin(), state.read.end()});
    const size_t dot = near.find('.');
    fail("{}: this run reads no such key; the nearest is {} ('spikenm keys{}' shows all)", name,
         near, dot == std::string::npos ? "" : " " + near.substr(0, dot));
  }

  std::vector<std::string> notes;
  for (const auto& [selector, keys] : dropped)
    notes.push_back(give_way_note(selector, values(selector), keys));
  return notes;
}

std::string Config::resolved_toml() const {
  std::vector<std::pair<std::string, Json>> with_effect;
  for (const auto& entry : state_->resolved)
    if (state_->use.cause(entry.first) == nullptr) with_effect.push_back(entry);
  return keys_as_toml(with_effect, state_->read);
}

}  // namespace spikenm
