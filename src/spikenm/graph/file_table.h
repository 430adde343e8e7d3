// A table of a graph's file, read key by key.
#pragma once

#include "spikenm/core/config_value.h"

#include <string>
#include <vector>

namespace spikenm::graph {

// A value as messages show it: printable, and cut if it is long.
std::string brief(const Json& value);
// The same for text.
std::string brief(const std::string& text);

class FileTable {
 public:
  // `where` names the table in messages; `table` must outlive this.
  FileTable(const Json& table, std::string where);

  // `key`'s value, or `fallback` when the key is missing. T as in Config::get.
  template <class T>
  [[nodiscard]] T get(const char* key, const T& fallback) {
    const Json* const value = find(key);
    return value == nullptr ? fallback : convert<T>(key, *value);
  }

  // The same for a key that must be present; `meaning` says in the message what it is.
  template <class T>
  [[nodiscard]] T need(const char* key, const char* meaning) {
    const Json* const value = find(key);
    SPIKENM_CHECK(value != nullptr, "{}: found no {}, wanted {}", where_, key, meaning);
    return convert<T>(key, *value);
  }

  // One of several names; returns its position in `names`. Without a fallback the key must be
  // present.
  [[nodiscard]] size_t choice(const char* key, const char* fallback,
                              const std::vector<std::string>& names);

  // Null when the key is missing.
  const Json* find(const char* key);

  // Throws Error for the first key that has not been read.
  void reject_unread() const;

  [[nodiscard]] const std::string& where() const { return where_; }

 private:
  template <class T>
  T convert(const char* key, const Json& value) const {
    const std::optional<T> converted = Reader<T>::convert(value);
    SPIKENM_CHECK(converted.has_value(), "{}: {}: found {}, wanted {}", where_, key, brief(value),
                  Reader<T>::kWanted);
    return *converted;
  }

  const Json& table_;
  std::string where_;
  std::vector<std::string> known_;
};

}  // namespace spikenm::graph
