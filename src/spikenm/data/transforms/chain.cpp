#include "spikenm/data/transforms/transform.h"

#include <charconv>
#include <cmath>

namespace spikenm::data {
namespace {

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (size_t end = text.find(at); end != text.npos; end = text.find(at)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

double read_number(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  SPIKENM_CHECK(error == std::errc() && stop == end && std::isfinite(value),
                "found '{}' after a ':', wanted a number", text);
  return value;
}

// `text` is "name:1:2".
std::unique_ptr<Transform> make_transform(std::string_view text, const TransformContext& context) {
  const std::vector<std::string_view> parts = split(text, ':');
  const TransformFactory& make = transforms().find(parts[0]);
  std::vector<double> arguments;
  for (size_t i = 1; i < parts.size(); ++i) arguments.push_back(read_number(parts[i]));
  return make(arguments, context);
}

}  // namespace

TransformChain::TransformChain(const std::vector<std::string>& texts,
                               const TransformContext& context, std::string_view key) {
  for (const std::string& text : texts) {
    Choice& choice = steps_.emplace_back();
    for (const std::string_view one : split(text, '|')) {
      try {
        choice.push_back(make_transform(one, context));
      } catch (const Error& e) {
        fail("{}: '{}': {}", key, one, e.what());
      }
    }
  }
}

void TransformChain::apply(Sample& sample, uint64_t seed, int64_t epoch, int64_t index) const {
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Choice& choice = steps_[i];
    // Even slots choose and odd ones transform, so that the two are independent.
    const auto slot = static_cast<uint32_t>(2 * i);
    const size_t which =
        choice.size() == 1
            ? 0
            : Draws(seed, epoch, index, slot).below(0, static_cast<uint32_t>(choice.size()));
    choice[which]->apply(sample, Draws(seed, epoch, index, slot + 1));
  }
}

}  // namespace spikenm::data
