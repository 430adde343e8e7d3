// Which process owns a run folder: the text of its `.owner` file, and whether the process is alive.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spikenm {

struct OwnerRecord {
  std::string host;
  int64_t pid = 0;      // 0: not known
  std::string since;    // UTC: 2026-11-16T14:15:30Z
  int64_t started = 0;  // when the process began, in clock ticks as in /proc; 0: unknown

  bool operator==(const OwnerRecord&) const = default;
};

// A record of this process, with the time of the call.
OwnerRecord owner_of_now();

// The text of the file: one line of JSON.
std::string to_text(const OwnerRecord& owner);

// Returns nothing for an incomplete record: its process died while it wrote it, before it did
// anything else. Text that is not a record is an Error; `source` names the text in it.
std::optional<OwnerRecord> parse_owner(std::string_view text, const std::string& source);

// "process 4711 on node7, since 2026-11-16T14:15:30Z"
std::string describe(const OwnerRecord& owner);

bool is_on_this_host(const OwnerRecord& owner);

// Looks for the process by its id and its start time, because ids are used again. Only for owners
// on this host.
bool is_alive(const OwnerRecord& owner);

}  // namespace spikenm
