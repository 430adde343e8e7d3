// AEDAT 4.0 files, written byte by byte: the FlatBuffers have their tables at fixed places.
#pragma once

#include "spikenm/data/events/event.h"
#include "support/containers.h"

#include <lz4frame.h>
#include <zstd.h>

#include <algorithm>
#include <span>
#include <string>

namespace spikenm::test {

using data::Event;

enum class Aedat4Packing : int32_t { kNone = 0, kLz4 = 1, kZstd = 3 };

inline std::string aedat4_pack(const std::string& content, Aedat4Packing packing) {
  if (packing == Aedat4Packing::kNone) return content;
  const bool lz4 = packing == Aedat4Packing::kLz4;
  std::string packed(
      lz4 ? LZ4F_compressFrameBound(content.size(), nullptr) : ZSTD_compressBound(content.size()),
      '\0');
  packed.resize(
      lz4 ? LZ4F_compressFrame(packed.data(), packed.size(), content.data(), content.size(),
                               nullptr)
          : ZSTD_compress(packed.data(), packed.size(), content.data(), content.size(), 3));
  return packed;
}
inline std::string aedat4_stream_info(int id, const std::string& type, int width, int height) {
  const std::string node = "/outInfo/" + std::to_string(id) + "/";
  const auto attr = [](const std::string& key, const std::string& text) {
    return "<attr key=\"" + key + "\" type=\"string\">" + text + "</attr>\n";
  };
  return "<node name=\"" + std::to_string(id) + "\" path=\"" + node + "\">\n" +
         attr("compression", "LZ4") + attr("typeIdentifier", type) + "<node name=\"info\" path=\"" +
         node + "info/\">\n" + attr("sizeX", std::to_string(width)) +
         attr("sizeY", std::to_string(height)) + "</node>\n</node>\n";
}
// The vtable lies at 8, the table at 20 and the text at 40.
inline std::string aedat4_header(Aedat4Packing packing, int64_t table_position,
                                 const std::string& streams) {
  const std::string xml =
      "<dv version=\"2.0\"><node name=\"outInfo\" path=\"/outInfo/\">\n" + streams + "</node></dv>";
  const std::string buffer =
      le<uint32_t>(20) + "IOHE" + le<uint16_t>(10) + le<uint16_t>(20) + le<uint16_t>(4) +
      le<uint16_t>(12) + le<uint16_t>(8) + std::string(2, '\0') + le<int32_t>(12) +
      le(static_cast<int32_t>(packing)) + le<uint32_t>(12) + le(table_position) +
      le(static_cast<uint32_t>(xml.size())) + xml + std::string(1, '\0');
  return "#!AER-DAT4.0\r\n" + le(static_cast<uint32_t>(buffer.size())) + buffer;
}
inline std::string aedat4_events(std::span<const Event> events) {
  std::string buffer = le<uint32_t>(16) + "EVTS" + le<uint16_t>(6) + le<uint16_t>(8) +
                       le<uint16_t>(4) + std::string(2, '\0') + le<int32_t>(8) + le<uint32_t>(4) +
                       le(static_cast<uint32_t>(events.size()));
  for (const Event& e : events)
    buffer += le(e.t) + le(e.x) + le(e.y) + le<uint8_t>(e.on) + std::string(3, '\0');
  return le(static_cast<uint32_t>(buffer.size())) + buffer;
}
inline std::string aedat4_packet(int32_t stream, const std::string& payload) {
  return le(stream) + le(static_cast<int32_t>(payload.size())) + payload;
}
// Header, packets and the list of packets, whose place the header tells.
inline std::string aedat4_join(Aedat4Packing packing, const std::string& streams,
                               const std::string& packets) {
  const size_t n = aedat4_header(packing, 0, streams).size() + packets.size();
  return aedat4_header(packing, static_cast<int64_t>(n), streams) + packets + "list of packets";
}
inline std::string aedat4_file(std::span<const Event> events, int width, int height,
                               Aedat4Packing packing = Aedat4Packing::kLz4,
                               size_t per_packet = 100) {
  std::string packets;
  for (size_t begin = 0; begin < events.size(); begin += per_packet) {
    const auto part = events.subspan(begin, std::min(per_packet, events.size() - begin));
    packets += aedat4_packet(0, aedat4_pack(aedat4_events(part), packing));
  }
  return aedat4_join(packing, aedat4_stream_info(0, "EVTS", width, height), packets);
}

}  // namespace spikenm::test
