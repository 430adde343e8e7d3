// The values of a config's keys: what they may be, how messages show them, and their C++ types.
#pragma once

#include "spikenm/core/error.h"
#include "spikenm/core/json.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace spikenm {

// Whether a key may hold this value. A table is a section, not a value, and a list of tables is
// refused.
inline bool is_value(const Json& value) {
  if (value.is_object()) return false;
  return !value.is_array() || std::all_of(value.begin(), value.end(), is_value);
}

inline void check_value(const std::string& key, const Json& value) {
  SPIKENM_CHECK(is_value(value),
                "{}: found a nested table, wanted a number, text, true/false or a list", key);
}

// A value as messages show it; JSON itself has no word for inf and nan.
inline std::string shown(const Json& value) {
  if (value.is_number_float() && !std::isfinite(value.get<double>()))
    return fmt::format("{}", value.get<double>());
  return value.dump();
}

inline const char* type_name(const Json& value) {
  if (value.is_boolean()) return "true/false";
  if (value.is_number_integer()) return "whole number";
  if (value.is_number()) return "number";
  if (value.is_string()) return "text";
  return value.is_array() ? "list" : "table";
}

template <class T>
struct Reader;  // convert() returns nothing when the JSON type does not fit

template <>
struct Reader<bool> {
  static constexpr const char* kWanted = "true or false";
  static std::optional<bool> convert(const Json& v) {
    return v.is_boolean() ? std::optional(v.get<bool>()) : std::nullopt;
  }
};

template <>
struct Reader<int64_t> {
  static constexpr const char *kWanted = "a whole number", *kWantedList = "a list of whole numbers";
  static std::optional<int64_t> convert(const Json& v) {
    if (!v.is_number_integer()) return std::nullopt;
    if (v.is_number_unsigned() && v.get<uint64_t>() > INT64_MAX) return std::nullopt;
    return v.get<int64_t>();
  }
};

template <>
struct Reader<double> {
  static constexpr const char *kWanted = "a finite number",
                              *kWantedList = "a list of finite numbers";
  static std::optional<double> convert(const Json& v) {
    if (!v.is_number() || !std::isfinite(v.get<double>())) return std::nullopt;
    return v.get<double>();
  }
};

template <>
struct Reader<std::string> {
  static constexpr const char *kWanted = "text in quotes",
                              *kWantedList = "a list of texts in quotes";
  static std::optional<std::string> convert(const Json& v) {
    return v.is_string() ? std::optional(v.get<std::string>()) : std::nullopt;
  }
};

template <>
struct Reader<std::variant<int64_t, std::string>> {
  static constexpr const char* kWanted = "a whole number, or text in quotes";
  static std::optional<std::variant<int64_t, std::string>> convert(const Json& v) {
    if (v.is_number_integer()) return v.get<int64_t>();
    if (v.is_string()) return v.get<std::string>();
    return std::nullopt;
  }
};

template <class T>
struct Reader<std::vector<T>> {
  static constexpr const char* kWanted = Reader<T>::kWantedList;
  static std::optional<std::vector<T>> convert(const Json& v) {
    std::vector<T> list;
    if (!v.is_array()) {  // a single value stands for a list of one
      const std::optional<T> single = Reader<T>::convert(v);
      if (!single) return std::nullopt;
      list.push_back(*single);
      return list;
    }
    for (const Json& item : v) {
      const std::optional<T> converted = Reader<T>::convert(item);
      if (!converted) return std::nullopt;
      list.push_back(*converted);
    }
    return list;
  }
};

// The value as JSON, as Config records it.
template <class T>
Json as_json(const T& value) {
  return value;
}

inline Json as_json(const std::variant<int64_t, std::string>& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

}  // namespace spikenm
