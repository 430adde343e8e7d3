// Pictures of events: ON red, OFF blue, on white; darker where there are more events.
#pragma once

#include "spikenm/data/events/event.h"
#include "spikenm/data/picture.h"

#include <span>

namespace spikenm::data {

// The count that is drawn in full colour. Most counts are smaller; a few pixels with very many
// events do not make the others pale.
float full_count(std::span<const float> counts);

// `full` comes from full_count.
Colour event_colour(float off, float on, float full);
// For a sensor without polarity: black.
Colour event_colour(float count, float full);

// Equal spans of time side by side, oldest first. Large sensors are drawn smaller by a whole
// factor; if the file does not give the sensor's size, the largest coordinates of the events are
// used. There is `caption` room for words above each span.
struct EventPicture {
  Picture picture;
  TileGrid grid;
  double first = 0, last = 0;  // time of the first and of the last event
};
EventPicture draw_events(const Recording& recording, int64_t slices, int64_t caption = 0);

}  // namespace spikenm::data
