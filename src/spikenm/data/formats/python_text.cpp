#include "spikenm/data/formats/python_text.h"

#include "spikenm/core/error.h"
#include "spikenm/data/formats/member_name.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace spikenm::data {
namespace {

// The hexadecimal number of exactly `n_digits` that `text` begins with.
uint32_t hex_number(std::string_view text, size_t n_digits, std::string_view source) {
  uint32_t value = 0;
  const char* end = text.data() + std::min(n_digits, text.size());
  const auto [stop, error] = std::from_chars(text.data(), end, value, 16);
  SPIKENM_CHECK(text.size() >= n_digits && error == std::errc() && stop == end,
                "{}: damaged: found '{}', wanted {} hexadecimal digits", source,
                excerpt(text.substr(0, n_digits)), n_digits);
  return value;
}

void append_utf8(std::string& out, uint32_t code, std::string_view source) {
  SPIKENM_CHECK(code <= 0x10ffff, "{}: damaged: character {:#x} is beyond Unicode", source, code);
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    tail(6), tail(0);
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    tail(12), tail(6), tail(0);
  }
}

}  // namespace

std::string unquote_python(std::string_view literal, std::string_view source) {
  SPIKENM_CHECK(literal.size() >= 2 && (literal.front() == '\'' || literal.front() == '"') &&
                    literal.back() == literal.front(),
                "{}: damaged: found '{}', wanted a quoted text", source, excerpt(literal));
  const std::string_view text = literal.substr(1, literal.size() - 2);

  constexpr std::string_view kEscapes = "\\'\"nrt", kMeanings = "\\'\"\n\r\t";
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    ++i;
    const size_t known = i < text.size() ? kEscapes.find(text[i]) : kEscapes.npos;
    if (known != kEscapes.npos) {
      out += kMeanings[known];
      continue;
    }

    SPIKENM_CHECK(i < text.size() && text[i] == 'x', "{}: damaged: unknown escape in '{}'", source,
                  excerpt(literal));
    out += static_cast<char>(hex_number(text.substr(i + 1), 2, source));
    i += 2;
  }
  return out;
}

std::string utf8_of_escaped(std::string_view text, std::string_view source) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    const size_t n_digits = rest.starts_with("\\u") ? 4 : rest.starts_with("\\U") ? 8 : 0;
    if (n_digits == 0) {
      append_utf8(out, static_cast<uint8_t>(text[i]), source);
      continue;
    }
    append_utf8(out, hex_number(rest.substr(2), n_digits, source), source);
    i += 1 + n_digits;
  }
  return out;
}

std::string latin1_of_utf8(std::string_view text, std::string_view source) {
  std::string out(text.size(), '\0');
  size_t filled = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    if (byte < 0x80) {
      out[filled++] = text[i];
      continue;
    }

    // U+0080 to U+00FF are c2 80 to c3 bf.
    const auto next = static_cast<uint8_t>(i + 1 < text.size() ? text[i + 1] : 0);
    SPIKENM_CHECK((byte == 0xc2 || byte == 0xc3) && (next & 0xc0) == 0x80,
                  "{}: damaged: text that stands for bytes has a character beyond 255", source);
    out[filled++] = static_cast<char>((byte & 3) << 6 | (next & 0x3f));
    ++i;
  }
  out.resize(filled);
  return out;
}

}  // namespace spikenm::data
