#include "spikenm/core/key.h"

#include "spikenm/core/config_value.h"

namespace spikenm {
namespace {

template <class T>
constexpr KeyType kTypeOf = KeyType::kStepsOrShare;
template <>
constexpr KeyType kTypeOf<bool> = KeyType::kTrueFalse;
template <>
constexpr KeyType kTypeOf<int64_t> = KeyType::kWhole;
template <>
constexpr KeyType kTypeOf<double> = KeyType::kNumber;
template <>
constexpr KeyType kTypeOf<std::string> = KeyType::kText;
template <>
constexpr KeyType kTypeOf<std::vector<int64_t>> = KeyType::kWholeList;
template <>
constexpr KeyType kTypeOf<std::vector<double>> = KeyType::kNumberList;
template <>
constexpr KeyType kTypeOf<std::vector<std::string>> = KeyType::kTextList;

Key declare(std::string name, KeyType type, std::string what, std::string condition) {
  Key key;
  key.name = std::move(name);
  key.type = type;
  key.what = std::move(what);
  key.condition = std::move(condition);
  return key;
}

template <class T>
void set_default(Key& key, const Default<T>& fallback) {
  if (fallback.value) key.fallback = as_json(*fallback.value).dump();
  key.varies = fallback.words;
}

// As the messages of Config show it.
std::string bound_text(double value) {
  return fmt::format("{:g}", value);
}
std::string bound_text(int64_t value) {
  return fmt::format("{}", value);
}

}  // namespace

const char* type_name(KeyType type) {
  switch (type) {
    case KeyType::kWhole:
      return "whole number";
    case KeyType::kNumber:
      return "number";
    case KeyType::kTrueFalse:
      return "true or false";
    case KeyType::kText:
      return "text";
    case KeyType::kChoice:
      return "one of";
    case KeyType::kPath:
      return "path";
    case KeyType::kWholeList:
      return "whole numbers";
    case KeyType::kNumberList:
      return "numbers";
    case KeyType::kTextList:
      return "texts";
    case KeyType::kStepsOrShare:
      return "steps, or a share of the search";
    case KeyType::kTable:
      return "table of texts";
  }
  return "";
}

std::string bounds_text(const Key& key) {
  const bool whole = key.type == KeyType::kWhole || key.type == KeyType::kWholeList;
  const std::string most = whole ? bound_text(kMostWhole) : bound_text(kMostNumber);
  const bool endless = key.high == most || key.high == bound_text(INT64_MAX);
  if (key.open)
    return fmt::format("more than {}{}", key.low, endless ? "" : " and less than " + key.high);
  return key.low + (endless ? " or more" : " to " + key.high);
}

template <class T>
ValueKey<T>::ValueKey(std::string key, const Default<T>& usual, std::string sentence,
                      std::string when)
    : Key(declare(std::move(key), kTypeOf<T>, std::move(sentence), std::move(when))),
      usual_(usual.value) {
  set_default(*this, usual);
}

template class ValueKey<bool>;
template class ValueKey<double>;
template class ValueKey<std::string>;
template class ValueKey<std::vector<double>>;
template class ValueKey<std::vector<std::string>>;
template class ValueKey<std::variant<int64_t, std::string>>;

template <class T>
RangeKey<T>::RangeKey(std::string key, const Default<T>& usual, T least, T most,
                      std::string sentence, std::string when)
    : Key(declare(std::move(key), kTypeOf<T>, std::move(sentence), std::move(when))),
      usual_(usual.value),
      low_(least),
      high_(most) {
  set_default(*this, usual);
  low = bound_text(least);
  high = bound_text(most);
}

template <class T>
T RangeKey<T>::read_within(const Config& config, T other, T least, T most) const {
  if constexpr (std::is_same_v<T, double>) {
    return config.get_real(name, other, least, most);
  } else {
    return config.get_int(name, other, least, most);
  }
}

template class RangeKey<int64_t>;
template class RangeKey<double>;

template <class T>
RangeListKey<T>::RangeListKey(std::string key, const Default<std::vector<T>>& usual,
                              const Bounds<T>& bounds, std::string sentence, std::string when)
    : Key(declare(std::move(key), kTypeOf<std::vector<T>>, std::move(sentence), std::move(when))),
      usual_(usual.value),
      bounds_(bounds) {
  set_default(*this, usual);
  low = bound_text(bounds.low);
  high = bound_text(bounds.high);
  open = bounds.open;
}

template <class T>
std::vector<T> RangeListKey<T>::read(const Config& config, const std::vector<T>& other) const {
  const auto& [least, most, is_open] = bounds_;
  std::vector<T> values = config.get<std::vector<T>>(name, other);
  for (const T value : values) {
    const bool inside = is_open ? least < value && value < most : least <= value && value <= most;
    const bool above = value > most;  // also of a range whose end no page shows
    SPIKENM_CHECK(inside, "{}: found {}, wanted {}", config.full_key(name), bound_text(value),
                  above && !is_open ? "at most " + high : bounds_text(*this));
  }
  return values;
}

template class RangeListKey<int64_t>;
template class RangeListKey<double>;

ChoiceKey::ChoiceKey(std::string key, const Default<std::string>& usual,
                     std::vector<std::string> names, std::string sentence, std::string when)
    : Key(declare(std::move(key), KeyType::kChoice, std::move(sentence), std::move(when))),
      usual_(usual.value) {
  set_default(*this, usual);
  choices = std::move(names);
}

size_t ChoiceKey::read(const Config& config) const {
  return config.get_choice(name, usual_.value(), choices);
}

PathKey::PathKey(std::string key, std::string sentence, std::string when)
    : Key(declare(std::move(key), KeyType::kPath, std::move(sentence), std::move(when))) {}

TableKey::TableKey(std::string key, std::string sentence, std::string when)
    : Key(declare(std::move(key), KeyType::kTable, std::move(sentence), std::move(when))) {}

}  // namespace spikenm
