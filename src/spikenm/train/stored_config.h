// The config in a model file: what may be changed of it, and what it may not say.
#pragma once

#include "spikenm/core/config.h"
#include "spikenm/core/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace spikenm::train {

// The stored config with the overrides. A model may say what it was trained on, but not where to
// write or how much of the machine to use. Its masks are already made, so no override may change
// the method. `source` is the file; what the user should know is added to `notes`.
Config stored_config(const std::string& text, const std::string& source,
                     const std::vector<std::string>& overrides, std::vector<std::string>& notes);

// Makes errors about the stored config name the file.
template <class Body>
auto naming_config(const std::string& source, Body&& read) {
  try {
    return read();
  } catch (const UsageError&) {
    throw;
  } catch (const Error& e) {
    if (std::string_view(e.what()).find(source) != std::string_view::npos) throw;
    fail("{} (config): {}", source, e.what());
  }
}

}  // namespace spikenm::train
