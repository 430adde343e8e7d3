// What a command prints: text on standard output. Control characters other than newlines are made
// printable, and an output that cannot be written is an Error.
#pragma once

#include "spikenm/core/json.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace spikenm {

void show_text(std::string_view text);

template <class... Args>
void show(fmt::format_string<Args...> format, Args&&... args) {
  show_text(fmt::format(format, std::forward<Args>(args)...));
}

// The value on several lines, and a newline. What is not UTF-8 is replaced, since JSON has no way
// to write it.
void show_json(const Json& value);

// Throws an Error when the output could not be written, which may be known only at the end.
void finish_output();

}  // namespace spikenm
