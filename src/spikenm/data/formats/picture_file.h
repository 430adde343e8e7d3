// Reads a picture of any format that is known, recognized by its content.
#pragma once

#include "spikenm/core/bytes.h"
#include "spikenm/core/png.h"
#include "spikenm/data/formats/unpack_limit.h"

#include <string>

namespace spikenm::data {

// A PNG or JPEG as 8-bit RGB or gray. An Error names `source`.
spikenm::Picture read_picture(Bytes bytes, bool gray, const std::string& source,
                              const UnpackLimit& limit = {});

}  // namespace spikenm::data
