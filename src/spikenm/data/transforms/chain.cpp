#include "spikenm/data/transforms/plane_transform.h"

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

void add_argument(std::string_view text, TransformArguments& arguments) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end && std::isfinite(value))
    arguments.numbers.push_back(value);
  else
    arguments.words.emplace_back(text);
}

// `text` is "name:1:word".
std::unique_ptr<Transform> make_transform(std::string_view text, const TransformContext& context) {
  const std::vector<std::string_view> parts = split(text, ':');
  const TransformFactory& make = transforms().find(parts[0]);
  TransformArguments arguments;
  for (size_t i = 1; i < parts.size(); ++i) add_argument(parts[i], arguments);
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
    look_for_obstacle(choice, text);
  }
}

void TransformChain::look_for_obstacle(const Choice& choice, const std::string& text) {
  const std::vector<float>* fill = nullptr;
  for (const std::unique_ptr<Transform>& transform : choice) {
    const auto* const plane = dynamic_cast<const PlaneTransform*>(transform.get());
    if (plane == nullptr && obstacle_.empty())
      obstacle_ = fmt::format("'{}' does more than move and blank pixels", text);
    if (plane != nullptr && !plane->fill().empty()) fill = &plane->fill();
  }

  if (fill == nullptr) return;
  if (!fill_.empty() && obstacle_.empty())
    obstacle_ = fmt::format("'{}' makes a second hole in an image", text);
  fill_ = *fill;
}

// Calls body(transform, draws) for one transform of every step.
template <class Body>
void TransformChain::for_each_drawn(uint64_t seed, int64_t epoch, int64_t index,
                                    Body&& body) const {
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Choice& choice = steps_[i];
    // Even slots are for choosing a transform and odd ones for its draws, so that the two are
    // independent.
    const auto slot = static_cast<uint32_t>(2 * i);
    const size_t which =
        choice.size() == 1
            ? 0
            : Draws(seed, epoch, index, slot).below(0, static_cast<uint32_t>(choice.size()));
    body(*choice[which], Draws(seed, epoch, index, slot + 1));
  }
}

void TransformChain::apply(Sample& sample, uint64_t seed, int64_t epoch, int64_t index) const {
  for_each_drawn(seed, epoch, index, [&](const Transform& transform, const Draws& draws) {
    transform.apply(sample, draws);
  });
}

PlaneEdit TransformChain::edit(const SampleShape& shape, int64_t& label, uint64_t seed,
                               int64_t epoch, int64_t index) const {
  SPIKENM_ASSERT(obstacle_.empty());
  PlaneEdit all = whole_plane(shape.height, shape.width);
  for_each_drawn(seed, epoch, index, [&](const Transform& transform, const Draws& draws) {
    const auto& plane = static_cast<const PlaneTransform&>(transform);
    all = combine(all, plane.choose(shape, label, draws));
  });
  return all;
}

}  // namespace spikenm::data
