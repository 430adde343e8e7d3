#include "spikenm/data/events/numpy_events.h"

#include "spikenm/data/events/sensor.h"
#include "spikenm/data/formats/npz.h"

#include <cmath>

namespace spikenm::data {
namespace {

// Sources of the values of t, x, y and p: an archive, records, or a plain array. get() returns the
// values of one name as T, is_float() whether they are floating-point numbers. Names are read one
// at a time, so that only one array is in memory beside the events.

class Archive {
 public:
  Archive(Bytes bytes, std::string_view from, const UnpackLimit& limit)
      : source(from), arrays_(bytes, from, limit), most_(limit.of(bytes.size())), limit_(limit) {}

  const std::string_view source;

  template <class T>
  [[nodiscard]] std::vector<T> get(char name) {
    return npy_values<T>(array(name), source);
  }
  [[nodiscard]] bool is_float(char name) { return array(name).kind == 'f'; }

 private:
  const NpyArray& array(char name) {
    if (name == name_) return entry_.array;
    entry_ = {};  // before the next one is unpacked
    entry_ = arrays_.read({&name, 1});
    name_ = name;
    SPIKENM_CHECK(entry_.array.shape.size() == 1, "{}: array '{}' has {} axes, wanted 1", source,
                  name, entry_.array.shape.size());

    // Small types unpack to less memory than their events and the numbers in between need.
    if (static_cast<uint64_t>(entry_.array.numel()) > most_ / (sizeof(Event) + sizeof(int64_t)))
      refuse_unpacking(source, most_, limit_);
    return entry_.array;
  }

  NpzReader arrays_;
  size_t most_;
  const UnpackLimit& limit_;
  NpzEntry entry_;  // the last one read
  char name_ = ' ';
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
std::vector<int64_t> times_us(Values& values, int64_t us_per_tick) {
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
    if (!(std::abs(us) < static_cast<double>(kMaxTime))) refuse(i, ticks[i]);  // or NaN
    times[i] = std::llround(us);
  }
  return times;
}

// Calls put(event, value) with the values of `name`, which must be from `low` to `high`.
template <class Values, class Put>
void put_each(Values& values, char name, int64_t low, int64_t high, std::vector<Event>& events,
              const Put& put) {
  const std::vector<int64_t> column = values.template get<int64_t>(name);
  SPIKENM_CHECK(column.size() == events.size(),
                "{}: found {} values of t and {} of {}, wanted equally many", values.source,
                events.size(), column.size(), name);
  for (size_t i = 0; i < column.size(); ++i) {
    SPIKENM_CHECK(column[i] >= low && column[i] <= high, "{}: event {} has {} {}, wanted {} to {}",
                  values.source, i, name, column[i], low, high);
    put(events[i], column[i]);
  }
}

template <class Values>
void fill(Values values, int64_t us_per_tick, Recording& out) {
  out.width = out.height = 0;
  {
    const std::vector<int64_t> times = times_us(values, us_per_tick);
    out.events.resize(times.size());
    for (size_t i = 0; i < times.size(); ++i) out.events[i].t = times[i];
  }

  put_each(values, 'x', 0, UINT16_MAX, out.events,
           [](Event& e, int64_t x) { e.x = static_cast<uint16_t>(x); });
  put_each(values, 'y', 0, UINT16_MAX, out.events,
           [](Event& e, int64_t y) { e.y = static_cast<uint16_t>(y); });
  put_each(values, 'p', -1, 1, out.events,
           [](Event& e, int64_t p) { e.on = static_cast<uint8_t>(p == 1); });
}

}  // namespace

void read_npz_events(Bytes bytes, std::string_view source, Recording& out,
                     const UnpackLimit& limit) {
  fill(Archive(bytes, source, limit), 1, out);
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
