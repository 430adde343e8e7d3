// Events as people look at them: ON red, OFF blue on white, darker where there are more.
#pragma once

#include "spikenm/data/events/event.h"
#include "spikenm/data/picture.h"

#include <span>

namespace spikenm::data {

// The count that is drawn in full colour: most are smaller, and a few hot pixels do not fade the
// rest.
float full_count(std::span<const float> counts);

// `full` comes from full_count.
Colour event_colour(float off, float on, float full);
// Of a sensor without polarity: black.
Colour event_colour(float count, float full);

// Equal spans of time side by side, oldest first. Large sensors are drawn smaller by a whole
// factor; one whose size the file does not say ends at its largest coordinates.
Picture draw_events(const Recording& recording, int64_t slices);

}  // namespace spikenm::data
