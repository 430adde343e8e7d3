// Errors of the system that libraries throw: no more threads, files or folders that cannot be used.
#pragma once

#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <string>
#include <system_error>

namespace spikenm::cli {

// What to tell the user, or an empty text if `e` is another failure.
inline std::string refusal_complaint(const std::exception& e) {
  const auto* const refusal = dynamic_cast<const std::system_error*>(&e);
  if (refusal == nullptr) return {};
  const std::string reason = refusal->code().message();
  if (const auto* const file = dynamic_cast<const std::filesystem::filesystem_error*>(refusal))
    return fmt::format("{}: {}", file->path1().string(), reason);
  if (refusal->code() == std::errc::resource_unavailable_try_again)
    return fmt::format(
        "the system gives no more threads ({}); threads and data.workers are what to lower",
        reason);
  return {};
}

}  // namespace spikenm::cli
