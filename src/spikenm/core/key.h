// Config keys as data: what each is called, may be, and is for. A key is read through its
// declaration, so a list of declarations says what runs read.
#pragma once

#include "spikenm/core/config.h"

#include <concepts>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace spikenm {

enum class KeyType {
  kWhole,
  kNumber,
  kTrueFalse,
  kText,
  kChoice,
  kPath,
  kWholeList,
  kNumberList,
  kTextList,
  kStepsOrShare,  // a whole number of steps, or a share of the search: "3%"
  kTable,         // key = "text" pairs whose keys the user invents
};

// "whole number", "one of", …: how a list of keys calls the type.
const char* type_name(KeyType type);

struct Key {
  std::string name;  // within its section
  KeyType type = KeyType::kText;
  std::string fallback;   // the default as a config would give it; empty: none, or `varies` tells
  std::string varies;     // in words, what the default depends on; empty: it is always `fallback`
  std::string low, high;  // a number's closed range; empty: any
  std::vector<std::string> choices;  // of kChoice
  std::string what;                  // a sentence, without its full stop
  std::string condition;             // "with reset = \"hard\""; empty: read by every run
};

using KeyList = std::vector<const Key*>;

inline KeyList join_keys(KeyList first, const KeyList& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

// The keys of one reader.
struct KeyGroup {
  std::string section;  // "" holds seed, device, …
  std::string owner;    // the model, dataset or method; "": whichever is chosen
  KeyList keys;
};

// A default that no number stands for: "depends on surrogate".
struct Varies {
  std::string words;
};

// A value; or words alone; or the usual value, and words on where it is another.
template <class T>
struct Default {
  std::optional<T> value;
  std::string words;

  template <std::convertible_to<T> U>
  Default(U usual) : value(std::move(usual)) {}
  Default(Varies varies) : words(std::move(varies.words)) {}
  Default(T usual, std::string otherwise) : value(std::move(usual)), words(std::move(otherwise)) {}
};

// The most that a key without an upper end takes.
inline constexpr int64_t kMostWhole = INT32_MAX;
inline constexpr double kMostNumber = 1e30;

// read(config) takes the declared default, read(config, other) another one: that of a preset, or
// of a declaration whose default varies.

// A key whose type is all that is asked of its value.
template <class T>
class ValueKey : public Key {
 public:
  ValueKey(std::string key, const Default<T>& usual, std::string sentence, std::string when = "");

  [[nodiscard]] T read(const Config& config) const { return read(config, usual_.value()); }
  [[nodiscard]] T read(const Config& config, const T& other) const {
    return config.get<T>(name, other);
  }

 private:
  std::optional<T> usual_;
};

using BoolKey = ValueKey<bool>;
using NumberKey = ValueKey<double>;
using TextKey = ValueKey<std::string>;
using IntListKey = ValueKey<std::vector<int64_t>>;
using RealListKey = ValueKey<std::vector<double>>;
using TextListKey = ValueKey<std::vector<std::string>>;
using StepsKey = ValueKey<std::variant<int64_t, std::string>>;

// A number with a closed range.
template <class T>
class RangeKey : public Key {
 public:
  RangeKey(std::string key, const Default<T>& usual, T least, T most, std::string sentence,
           std::string when = "");

  [[nodiscard]] T read(const Config& config) const { return read(config, usual_.value()); }
  [[nodiscard]] T read(const Config& config, T other) const {
    return read_within(config, other, low_, high_);
  }
  // Where another key narrows the range.
  [[nodiscard]] T read_within(const Config& config, T other, T least, T most) const;

 private:
  std::optional<T> usual_;
  T low_, high_;
};

using IntKey = RangeKey<int64_t>;
using RealKey = RangeKey<double>;

// One of several names; read() gives its place among them.
class ChoiceKey : public Key {
 public:
  ChoiceKey(std::string key, const Default<std::string>& usual, std::vector<std::string> names,
            std::string sentence, std::string when = "");

  [[nodiscard]] size_t read(const Config& config) const;
  [[nodiscard]] size_t read(const Config& config, size_t other) const {
    return config.get_choice(name, choices.at(other), choices);
  }

 private:
  std::optional<std::string> usual_;
};

class PathKey : public Key {
 public:
  PathKey(std::string key, std::string sentence, std::string when = "");

  [[nodiscard]] std::filesystem::path read(const Config& config) const {
    return config.get_path(name);
  }
};

class TableKey : public Key {
 public:
  TableKey(std::string key, std::string sentence, std::string when = "");

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> read(const Config& config) const {
    return config.get_table(name);
  }
};

}  // namespace spikenm
