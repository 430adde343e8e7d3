// A typed view of a configuration: a TOML file plus "a.b=value" overrides, with every default in
// code. Each read records the value it used, so the resolved configuration can be written out, and
// a given key that no code reads is an error that names the nearest key that is read.
#pragma once

#include "spikenm/core/error.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spikenm {

class Config {
 public:
  Config();  // empty: every read returns its default

  // `source` names the text in messages.
  static Config from_text(std::string_view text, const std::string& source);
  // The resolved config of a run. An older program may have written keys without effect; they are
  // accepted.
  static Config from_resolved(std::string_view text, const std::string& source);
  // `extends = "base.toml"`, a path relative to the file, adds the keys of that base; the file's
  // own keys replace them.
  static Config from_file(const std::filesystem::path& path);

  // "train.lr=0.1"; the value is TOML, or a bare word taken as a string.
  void override_with(std::string_view assignment);
  // Forgets a given key, or every key of a section.
  void drop(std::string_view key);

  // The keys under `name`. It shares this config's records of what was read.
  [[nodiscard]] Config section(std::string_view name) const;

  [[nodiscard]] bool has(std::string_view key) const;

  // `key`'s value, or `fallback`. T: bool, int64_t, double, std::string, a std::vector of the last
  // three, or std::variant<int64_t, std::string>. A value of another type is an Error, but a whole
  // number is accepted as a double.
  template <class T>
  [[nodiscard]] T get(std::string_view key, const T& fallback) const;
  [[nodiscard]] std::string get(std::string_view key, const char* fallback) const {
    return get<std::string>(key, fallback);
  }

  // get() for a path; empty when the key is not given. A path in a config file is relative to that
  // file's folder, a path in an override to the working directory. A leading ~ is the home folder.
  [[nodiscard]] std::filesystem::path get_path(std::string_view key) const;

  // get() for a number with a closed range; the message names both bounds.
  [[nodiscard]] int64_t get_int(std::string_view key, int64_t fallback, int64_t low,
                                int64_t high = INT32_MAX) const;
  [[nodiscard]] double get_real(std::string_view key, double fallback, double low,
                                double high = 1e30) const;

  // get() for one of several names; returns its position in `choices`.
  [[nodiscard]] size_t get_choice(std::string_view key, std::string_view fallback,
                                  const std::vector<std::string>& choices) const;

  // All key = "text" pairs under `key`, in file order: a table whose keys the user invents.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> get_table(
      std::string_view key) const;

  // `key` decides which keys of its section are read: method.name, model.name.
  void selects(std::string_view key) const;
  // `key`, read or not, has no effect because of the value of causes[0]; the other causes are keys
  // that may have set that value.
  void no_effect(std::string_view key, const std::vector<std::string>& causes) const;

  // Keys of these sections that have not been read have no effect because of `cause`, the full name
  // of a key or other words: keys of a file are dropped with a note, keys of an override are
  // errors.
  void overrule(const std::vector<std::string>& sections, const std::string& cause) const;
  // Sets the value of `key` in the resolved config.
  void resolve_as(std::string_view key, const std::string& value) const;

  // Throws Error for the first given key that nothing has read or that has no effect. A key of the
  // file that has lost its meaning to an override (selects, no_effect) is dropped instead; returns
  // one note per such override.
  std::vector<std::string> reject_unread() const;

  // Everything read so far that has an effect, as TOML that gives the same run.
  [[nodiscard]] std::string resolved_toml() const;

  // "train.lr" for a section's key "lr": how messages name a key.
  [[nodiscard]] std::string full_key(std::string_view key) const;

 private:
  struct State;
  Config(std::shared_ptr<State> state, std::string prefix);

  std::shared_ptr<State> state_;
  std::string prefix_;  // "" or "train."
};

}  // namespace spikenm
