#include "spikenm/data/events/numpy_events.h"

#include "spikenm/data/events/sensor.h"
#include "spikenm/data/formats/npz.h"

#include <cmath>
#include <map>

namespace spikenm::data {
namespace {

// A few bytes of an archive can claim any number; no recording of a set comes near this one.
constexpr int64_t kMostEvents = int64_t{1} << 26;

// Where the values of t, x, y and p come from: an archive, records, or a plain array. Each gives
// the values of one as T, and whether they are floating-point numbers.

struct Archive {
  Archive(const NpzReader& arrays, std::string_view from) : source(from) {
    // Unpacked once each, however often they are asked for.
    for (const char name : std::string_view("txyp")) entries.emplace(name, arrays.read({&name, 1}));
  }

  std::map<char, NpzEntry> entries;
  std::string_view source;

  template <class T>
  [[nodiscard]] std::vector<T> get(char name) const {
    const NpyArray& array = entries.at(name).array;
    SPIKENM_CHECK(array.shape.size() == 1, "{}: array '{}' has {} axes, wanted 1", source, name,
                  array.shape.size());
    SPIKENM_CHECK(array.numel() <= kMostEvents, "{}: array '{}' has {} values, wanted at most {}",
                  source, name, array.numel(), kMostEvents);
    return npy_values<T>(array, source);
  }
  [[nodiscard]] bool is_float(char name) const { return entries.at(name).array.kind == 'f'; }
};

struct Records {
  const NpyArray& array;
  std::string_view source;

  template <class T>
  [[nodiscard]] std::vector<T> get(char name) const {
    return npy_field<T>(array, {&name, 1}, source);
  }
  [[nodiscard]] bool is_float(char name) const {
    for (const NpyField& field : array.fields) {
      if (field.name == std::string_view(&name, 1)) return field.kind == 'f';
    }
    return false;
  }
};

struct Matrix {
  const NpyArray& array;
  const NpyEventLayout& layout;
  std::string_view source;

  template <class T>
  [[nodiscard]] std::vector<T> get(char name) const {
    return npy_column<T>(array, static_cast<int64_t>(layout.columns.find(name)), source);
  }
  [[nodiscard]] bool is_float(char) const { return array.kind == 'f'; }
};

template <class Values>
std::vector<int64_t> times_us(const Values& values, int64_t us_per_tick) {
  const auto refuse = [&](size_t i, auto time) {
    fail("{}: event {} has time {}, wanted one within +-2^62 us", values.source, i, time);
  };
  if (!values.is_float('t')) {
    const int64_t limit = kMaxTime / us_per_tick;
    std::vector<int64_t> times = values.template get<int64_t>('t');
    for (size_t i = 0; i < times.size(); ++i) {
      if (times[i] <= -limit || times[i] >= limit) refuse(i, times[i]);
      times[i] *= us_per_tick;
    }
    return times;
  }
  const std::vector<double> ticks = values.template get<double>('t');
  std::vector<int64_t> times(ticks.size());
  for (size_t i = 0; i < times.size(); ++i) {
    const double us = ticks[i] * static_cast<double>(us_per_tick);
    if (!(std::abs(us) < static_cast<double>(kMaxTime))) refuse(i, ticks[i]);  // or not a number
    times[i] = std::llround(us);
  }
  return times;
}

template <class Values>
void fill(const Values& values, int64_t us_per_tick, Recording& out) {
  const std::vector<int64_t> t = times_us(values, us_per_tick);
  const std::vector<int64_t> x = values.template get<int64_t>('x');
  const std::vector<int64_t> y = values.template get<int64_t>('y');
  const std::vector<int64_t> p = values.template get<int64_t>('p');
  SPIKENM_CHECK(x.size() == t.size() && y.size() == t.size() && p.size() == t.size(),
                "{}: found {} times, {} x, {} y and {} polarities, wanted equally many",
                values.source, t.size(), x.size(), y.size(), p.size());
  out.width = out.height = 0;
  out.events.resize(t.size());
  for (size_t i = 0; i < t.size(); ++i) {
    SPIKENM_CHECK(x[i] >= 0 && x[i] <= UINT16_MAX && y[i] >= 0 && y[i] <= UINT16_MAX &&
                      p[i] >= -1 && p[i] <= 1,
                  "{}: event {} has x {}, y {}, p {}, wanted places from 0 to 65535 and p -1, 0 "
                  "or 1",
                  values.source, i, x[i], y[i], p[i]);
    out.events[i] = {.t = t[i],
                     .x = static_cast<uint16_t>(x[i]),
                     .y = static_cast<uint16_t>(y[i]),
                     .on = static_cast<uint8_t>(p[i] == 1)};
  }
}

}  // namespace

void read_npz_events(Bytes bytes, std::string_view source, Recording& out) {
  fill(Archive(NpzReader(bytes, source), source), 1, out);
}

void read_npy_events(Bytes bytes, std::string_view source, const NpyEventLayout& layout,
                     Recording& out) {
  const NpyArray array = parse_npy(bytes, source);
  if (!array.fields.empty()) {
    SPIKENM_CHECK(array.shape.size() == 1, "{}: found records in {} axes, wanted 1", source,
                  array.shape.size());
    fill(Records{array, source}, 1, out);
    return;
  }
  SPIKENM_CHECK(array.shape.size() == 2 && array.shape[1] == 4,
                "{}: found an array of {} axes and {} values, wanted one of shape (N, 4)", source,
                array.shape.size(), array.numel());
  fill(Matrix{array, layout, source}, layout.us_per_tick, out);
}

}  // namespace spikenm::data
