#include "spikenm/core/owner_record.h"

#include "spikenm/core/error.h"
#include "spikenm/core/file.h"
#include "spikenm/core/host.h"
#include "spikenm/core/json_text.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <sstream>

namespace spikenm {
namespace {

constexpr std::string_view kMark = "{\"host\":\"";  // the beginning of every record

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

struct ProcessState {
  char state;  // Z: dead, but its parent has not yet waited for it
  int64_t started;
};

// Returns nothing if there is no such process, or no /proc.
std::optional<ProcessState> look_up(int64_t pid) {
  std::string text;
  try {
    text = read_file(fmt::format("/proc/{}/stat", pid));
  } catch (const Error&) {
    return std::nullopt;
  }
  // The second field is the program's name in brackets, which may contain spaces and brackets.
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  ProcessState found{};
  fields >> found.state;
  constexpr int kState = 3, kStarted = 22;  // places in proc(5)
  std::string skipped;
  for (int field = kState + 1; field < kStarted; ++field) fields >> skipped;
  fields >> found.started;
  return fields ? std::optional(found) : std::nullopt;
}

int64_t start_of(int64_t pid) {
  const std::optional<ProcessState> process = look_up(pid);
  return process ? process->started : 0;
}

}  // namespace

OwnerRecord owner_of_now() {
  const int64_t pid = ::getpid();
  return {.host = host_name(), .pid = pid, .since = utc_now(), .started = start_of(pid)};
}

std::string to_text(const OwnerRecord& owner) {
  const Json record = {
      {"host", owner.host}, {"pid", owner.pid}, {"since", owner.since}, {"started", owner.started}};
  // The host's name may not be UTF-8.
  return record.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<OwnerRecord> parse_owner(std::string_view text, const std::string& source) {
  text = text.substr(0, text.find_last_not_of('\0') + 1);  // a power cut may leave zeros
  SPIKENM_CHECK(text.starts_with(kMark) || kMark.starts_with(text),
                "{}: found something that is not the record of a run's owner; move it away",
                source);
  try {
    const Json record = parse_json_object(text, source);
    return OwnerRecord{.host = record.at("host").get<std::string>(),
                       .pid = record.at("pid").get<int64_t>(),
                       .since = record.at("since").get<std::string>(),
                       .started = record.at("started").get<int64_t>()};
  } catch (const Error&) {
    return std::nullopt;
  } catch (const Json::exception&) {  // a key is missing or has another type
    return std::nullopt;
  }
}

std::string describe(const OwnerRecord& owner) {
  if (owner.pid == 0) return "a process that has not written its name";
  return fmt::format("process {} on {}, since {}", owner.pid, owner.host, owner.since);
}

bool is_on_this_host(const OwnerRecord& owner) {
  return owner.host == host_name();
}

bool is_alive(const OwnerRecord& owner) {
  const std::optional<ProcessState> process = look_up(owner.pid);
  if (process && owner.started != 0)
    return process->started == owner.started && process->state != 'Z' && process->state != 'X';
  return owner.pid > 0 && (::kill(static_cast<pid_t>(owner.pid), 0) == 0 || errno == EPERM);
}

}  // namespace spikenm
