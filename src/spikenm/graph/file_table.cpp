#include "spikenm/graph/file_table.h"

#include "spikenm/core/say.h"
#include "spikenm/core/text.h"

namespace spikenm::graph {

std::string brief(const std::string& text) {
  constexpr size_t kMost = 80;
  // A message ends at a zero byte, so that one in a name would cut it.
  if (text.size() <= kMost) return printable(text);
  size_t end = kMost;
  // The cut must not be inside a UTF-8 character.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return printable(text.substr(0, end)) + "…";
}

std::string brief(const Json& value) {
  return brief(shown(value));
}

FileTable::FileTable(const Json& table, std::string where)
    : table_(table), where_(std::move(where)) {
  SPIKENM_CHECK(table.is_object(), "{}: found {}, wanted a table", where_, brief(table));
}

const Json* FileTable::find(const char* key) {
  known_.emplace_back(key);
  const auto found = table_.find(key);
  return found == table_.end() ? nullptr : &*found;
}

size_t FileTable::choice(const char* key, const char* fallback,
                         const std::vector<std::string>& names) {
  const std::string value = fallback == nullptr
                                ? need<std::string>(key, ("one of " + join(names, ", ")).c_str())
                                : get<std::string>(key, fallback);
  const auto found = std::find(names.begin(), names.end(), value);
  SPIKENM_CHECK(found != names.end(), "{}: {}: found '{}', wanted one of {} (nearest: {})", where_,
                key, brief(value), join(names, ", "), nearest(value, names));
  return static_cast<size_t>(found - names.begin());
}

void FileTable::reject_unread() const {
  for (const auto& [key, value] : table_.items())
    SPIKENM_CHECK(std::find(known_.begin(), known_.end(), key) != known_.end(),
                  "{}: found the key '{}', wanted one of {} (nearest: {})", where_, brief(key),
                  join(known_, ", "), nearest(key, known_));
}

}  // namespace spikenm::graph
