#include "dataset_options.h"

namespace spikenm::cli {
namespace {

// A TOML string: a folder may be called 2024, true or "a b".
std::string toml_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7F) {
      quoted += fmt::format("\\u{:04X}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace

Config DatasetOptions::config() const {
  Config config;
  if (!root.empty()) config.override_with("data.root=" + toml_quoted(root));
  for (const std::string& assignment : overrides)
    config.override_with(assignment.starts_with("data.") ? assignment : "data." + assignment);
  return config;
}

std::shared_ptr<const data::Dataset> DatasetOptions::open(const Config& config) const {
  return data::datasets().find(name)(config.section("data"), {.frames = frames, .seed = seed});
}

std::shared_ptr<const data::Dataset> DatasetOptions::open() const {
  const Config keys = config();
  std::shared_ptr<const data::Dataset> dataset = open(keys);
  keys.reject_unread();
  return dataset;
}

}  // namespace spikenm::cli
