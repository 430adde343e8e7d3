// The list of streams in an AEDAT 4 header, an XML text. Recorders put it below a node with their
// name ("/mainloop/Recorder/outInfo/0/"), other programs at the top ("/outInfo/0/").
#pragma once

#include <cstdint>
#include <string_view>

namespace spikenm::data {

struct Aedat4Stream {
  int32_t id = 0;
  int32_t width = 0, height = 0;  // 0: not given
  int64_t n_event_streams = 1;    // in the list, including this one
};

// The event stream of the lowest number, anywhere in the list. An Error begins with `source`.
Aedat4Stream find_event_stream(std::string_view xml, std::string_view source);

}  // namespace spikenm::data
