// A table of a graph's file, read key by key.
#pragma once

#include "spikenm/core/config_value.h"

#include <string>
#include <vector>

namespace spikenm::graph {

// A value as messages show it, cut where it is long.
std::string brief(const Json& value);
// The text, cut where it is long.
std::string brief(const std::string& text);

class FileTable {
 public:
  // `where` names the table in messages; `table` must outlive this.
  FileTable(const Json& table, std::string where);

  // `key`'s value, or `fallback` where it is not there. T as in Config::get.
  template <class T>
  [[nodiscard]] T get(const char* key, const T& fallback) {
    const Json* const value = find(key);
    return value == nullptr ? fallback : convert<T>(key, *value);
  }

  // The same for a key that must be there: `meaning` says what it is.
  template <class T>
  [[nodiscard]] T need(const char* key, const char* meaning) {
    const Json* const value = find(key);
    SPIKENM_CHECK(value != nullptr, "{}: found no {}, wanted {}", where_, key, meaning);
    return convert<T>(key, *value);
  }

  // One of several names; gives its position in `names`. Without a fallback the key must be there.
  [[nodiscard]] size_t choice(const char* key, const char* fallback,
                              const std::vector<std::string>& names);

  // Null where it is not there.
  const Json* find(const char* key);

  // Throws Error for the first key that nobody has asked for.
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
