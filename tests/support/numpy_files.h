// Events and frames as SpikingJelly's and Tonic's Python save them.
#pragma once

#include "spikenm/data/events/event.h"
#include "support/containers.h"

#include <fmt/format.h>

#include <span>

namespace spikenm::test {

// SpikingJelly's npz: t keeps the byte order of the AEDAT file, x and y are u32, p is Python's int.
inline std::string npz_events(std::span<const data::Event> events, bool packed) {
  std::string t, x, y, p;
  for (const data::Event& e : events) {
    t += be(static_cast<uint32_t>(e.t));
    x += le<uint32_t>(e.x);
    y += le<uint32_t>(e.y);
    p += le<int64_t>(e.on);
  }
  const std::string shape = fmt::format("({},)", events.size());
  return zip_file({zip_part("t.npy", npy_file("'>u4'", shape, t), packed),
                   zip_part("x.npy", npy_file("'<u4'", shape, x), packed),
                   zip_part("y.npy", npy_file("'<u4'", shape, y), packed),
                   zip_part("p.npy", npy_file("'<i8'", shape, p), packed)});
}

// SpikingJelly's npz of [n,2,128,128] counts.
inline std::string npz_frames(const std::vector<float>& frames, int n) {
  std::string data;
  for (const float v : frames) data += le(v);
  return zip_file(
      {zip_part("frames.npy", npy_file("'<f4'", fmt::format("({}, 2, 128, 128)", n), data), true)});
}

// Tonic's DVSGesture: rows x, y, p, t with t in ms.
inline std::string tonic_npy(std::span<const data::Event> events) {
  std::string rows;
  for (const data::Event& e : events)
    rows += le<double>(e.x) + le<double>(e.y) + le<double>(e.on) +
            le(static_cast<double>(e.t) / 1000.0);
  return npy_file("'<f8'", fmt::format("({}, 4)", events.size()), rows);
}

}  // namespace spikenm::test
