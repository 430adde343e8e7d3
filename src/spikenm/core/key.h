// Config keys as data: the name, the type, the range and the purpose of each. A key is read through
// its declaration, so the list of declarations says which keys runs read.
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

// "whole number", "one of", …: the type's name in a list of keys.
const char* type_name(KeyType type);

struct Key {
  std::string name;  // within its section
  KeyType type = KeyType::kText;
  std::string fallback;   // the default as a config would give it; empty: none, or see `varies`
  std::string varies;     // in words, what the default depends on; empty: it is always `fallback`
  std::string low, high;  // the range of a number, or of each number of a list; empty: any
  bool open = false;      // low and high themselves are refused
  std::vector<std::string> choices;  // of kChoice
  std::string what;                  // a sentence, without its full stop
  std::string condition;             // "with reset = \"hard\""; empty: read by every run
};

// "0 to 1", "0 or more", "more than 0": of a key that has bounds.
std::string bounds_text(const Key& key);

using KeyList = std::vector<const Key*>;

inline KeyList join_keys(KeyList first, const KeyList& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

// The keys of one reader.
struct KeyGroup {
  std::string section;  // "" holds seed, device, …
  std::string owner;    // the model, dataset or method; "": any
  KeyList keys;
};

// A default that is not one fixed value: "depends on surrogate".
struct Varies {
  std::string words;
};

// A default: a value; or words alone; or the usual value and words that say when it differs.
template <class T>
struct Default {
  std::optional<T> value;
  std::string words;

  template <std::convertible_to<T> U>
  Default(U usual) : value(std::move(usual)) {}
  Default(Varies varies) : words(std::move(varies.words)) {}
  Default(T usual, std::string otherwise) : value(std::move(usual)), words(std::move(otherwise)) {}
};

// The largest values of keys that declare no upper bound.
inline constexpr int64_t kMostWhole = INT32_MAX;
inline constexpr double kMostNumber = 1e30;

// read(config) uses the declared default. read(config, other) uses `other` as the default: that of
// a preset, or of a declaration whose default varies.

// A key that accepts every value of its type.
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
  // For a range that another key narrows.
  [[nodiscard]] T read_within(const Config& config, T other, T least, T most) const;

 private:
  std::optional<T> usual_;
  T low_, high_;
};

using IntKey = RangeKey<int64_t>;
using RealKey = RangeKey<double>;

template <class T>
struct Bounds {
  T low, high;
  bool open = false;  // the bounds themselves are refused
};

// Numbers that lie within bounds, each of them.
template <class T>
class RangeListKey : public Key {
 public:
  RangeListKey(std::string key, const Default<std::vector<T>>& usual, const Bounds<T>& bounds,
               std::string sentence, std::string when = "");

  [[nodiscard]] std::vector<T> read(const Config& config) const {
    return read(config, usual_.value());
  }
  [[nodiscard]] std::vector<T> read(const Config& config, const std::vector<T>& other) const;

 private:
  std::optional<std::vector<T>> usual_;
  Bounds<T> bounds_;
};

using IntRangeListKey = RangeListKey<int64_t>;
using RealRangeListKey = RangeListKey<double>;

// One of several names; read() returns its index in `choices`.
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
