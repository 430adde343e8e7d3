#include "spikenm/core/say.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>

namespace spikenm {
namespace {

// Writing into a pipe without a reader raises SIGPIPE, which would end the process. The writing
// thread blocks the signal and then discards it.
class NoBrokenPipe {
 public:
  NoBrokenPipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoBrokenPipe() {
    const timespec at_once{};
    if (!was_pending_ && sigismember(&before_, SIGPIPE) == 0) {
      while (sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;

 private:
  sigset_t pipe_{}, before_{};
  bool was_pending_ = false;
};

unsigned char byte_at(std::string_view text, size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
}

// Unicode embeddings, overrides and isolates: they change the order in which the text after them is
// shown.
bool turns_direction(unsigned code) {
  return (0x202A <= code && code <= 0x202E) || (0x2066 <= code && code <= 0x2069);
}

// Bytes of the character that the text begins with, 0 when it is a control character or not UTF-8.
size_t printable_bytes(std::string_view text) {
  const unsigned lead = byte_at(text, 0);
  if (lead < 0x80) return lead >= 0x20 && lead != 0x7F ? 1 : 0;
  const size_t n = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  unsigned code = lead & (0x7FU >> n);
  for (size_t i = 1; i < n; ++i) {
    if ((byte_at(text, i) & 0xC0U) != 0x80) return 0;
    code = code << 6 | (byte_at(text, i) & 0x3FU);
  }

  const bool is_control = code < 0xA0 || turns_direction(code);
  const bool too_long = (n == 3 && code < 0x800) || (n == 4 && code < 0x10000);
  const bool is_surrogate = 0xD800 <= code && code <= 0xDFFF;
  return is_control || too_long || is_surrogate || code > 0x10FFFF ? 0 : n;
}

// Passes the printable text to `emit` piece by piece. Allocates no memory, so say() cannot fail.
template <class Emit>
void escape(std::string_view text, Emit emit) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  while (!text.empty()) {
    const size_t n = printable_bytes(text);
    if (n > 0) {
      emit(text.substr(0, n));
    } else {
      const unsigned byte = byte_at(text, 0);
      const std::array<char, 4> shown{'\\', 'x', kHex[byte >> 4], kHex[byte & 15U]};
      emit(std::string_view(shown.data(), shown.size()));
    }
    text.remove_prefix(n > 0 ? n : 1);
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  escape(text, [&](std::string_view piece) { shown += piece; });
  return shown;
}

void draw(std::string_view text) noexcept {
  const NoBrokenPipe guard;
  while (!text.empty()) {
    const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text.remove_prefix(static_cast<size_t>(n));
  }
}

void say(std::string_view line) noexcept {
  std::array<char, 4096> buffer;  // so that most lines are one write
  size_t used = 0;
  const auto put = [&](std::string_view piece) {
    if (used + piece.size() > buffer.size()) {
      draw({buffer.data(), used});
      used = 0;
    }
    piece.copy(buffer.data() + used, piece.size());
    used += piece.size();
  };

  escape(line, put);
  put("\n");
  draw({buffer.data(), used});
}

void say_lines(std::string_view text) noexcept {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    say(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

}  // namespace spikenm
