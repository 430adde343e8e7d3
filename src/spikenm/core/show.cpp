#include "spikenm/core/show.h"

#include "spikenm/core/error.h"
#include "spikenm/core/say.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace spikenm {
namespace {

void write_output(std::string_view text) {
  SPIKENM_CHECK(std::fwrite(text.data(), 1, text.size(), stdout) == text.size(),
                "standard output: cannot write: {}", std::strerror(errno));
}

// JSON text leaves DEL and U+0080 to U+009F as they are; they occur only inside strings.
std::string escape_controls(std::string_view json) {
  std::string shown;
  for (size_t i = 0; i < json.size(); ++i) {
    const auto byte = static_cast<unsigned char>(json[i]);
    const unsigned next = i + 1 < json.size() ? static_cast<unsigned char>(json[i + 1]) : 0;
    if (byte == 0x7F) {
      shown += "\\u007f";
    } else if (byte == 0xC2 && next < 0xA0) {
      shown += fmt::format("\\u{:04x}", next);
      ++i;
    } else {
      shown += json[i];
    }
  }
  return shown;
}

}  // namespace

void show_text(std::string_view text) {
  std::string shown;
  while (true) {
    const size_t end = text.find('\n');
    shown += printable(text.substr(0, end));
    if (end == std::string_view::npos) break;
    shown += '\n';
    text.remove_prefix(end + 1);
  }
  write_output(shown);
}

void show_json(const Json& value) {
  write_output(escape_controls(value.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n");
}

void finish_output() {
  SPIKENM_CHECK(std::fflush(stdout) == 0 && std::ferror(stdout) == 0,
                "standard output: cannot write: {}", std::strerror(errno));
}

}  // namespace spikenm
