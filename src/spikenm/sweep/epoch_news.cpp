#include "spikenm/sweep/epoch_news.h"

#include "spikenm/core/error.h"
#include "spikenm/core/input_file.h"

#include <algorithm>

namespace spikenm::sweep {
namespace {

constexpr uint64_t kMostAtOnce = 1 << 20;  // bytes: what is left is read by the next call

// Removes the longest beginning of the text whose characters are all `wanted`. False if it is
// empty.
template <class Wanted>
bool skip(std::string_view& text, Wanted wanted) {
  const auto end = std::find_if_not(text.begin(), text.end(), wanted);
  const bool found = end != text.begin();
  text.remove_prefix(static_cast<size_t>(end - text.begin()));
  return found;
}

bool skip_word(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

}  // namespace

std::string_view epoch_part(std::string_view line) {
  const auto is_letter = [](char c) { return ('a' <= c && c <= 'z') || c == '-' || c == '_'; };
  const auto is_digit = [](char c) { return '0' <= c && c <= '9'; };
  std::string_view rest = line;
  const bool is_epoch = skip(rest, is_letter) && skip_word(rest, " ") && skip(rest, is_digit) &&
                        skip_word(rest, "/") && skip(rest, is_digit) && skip_word(rest, "  loss ");
  return is_epoch ? line.substr(0, line.find("  lr ")) : std::string_view();
}

std::vector<std::string> EpochNews::next() {
  std::error_code error;
  const uint64_t size = std::filesystem::file_size(log_, error);
  if (error || size <= read_to_) return {};
  std::vector<uint8_t> bytes(std::min(size - read_to_, kMostAtOnce));
  try {
    InputFile(log_).read(read_to_, bytes);
  } catch (const Error&) {  // removed or cut under us: there is nothing to tell
    return {};
  }
  read_to_ += bytes.size();
  begun_.append(bytes.begin(), bytes.end());

  std::vector<std::string> news;
  size_t begin = 0;
  for (size_t end; (end = begun_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string_view part = epoch_part(std::string_view(begun_).substr(begin, end - begin));
    if (!part.empty()) news.emplace_back(part);
  }
  begun_.erase(0, begin);
  return news;
}

}  // namespace spikenm::sweep
