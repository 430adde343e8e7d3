// Reads JPEG pictures, where the build found libturbojpeg.
#pragma once

#include "spikenm/core/bytes.h"
#include "spikenm/core/png.h"
#include "spikenm/data/formats/unpack_limit.h"

#include <string>

namespace spikenm::data {

// A baseline or progressive JPEG as 8-bit RGB or gray. Its orientation mark is not followed, as
// torchvision does not. An Error names `source`: a file that is cut short or damaged, more pixels
// than `limit` allows, or a build without a reader.
spikenm::Picture read_jpeg(Bytes bytes, bool gray, const std::string& source,
                           const UnpackLimit& limit);

}  // namespace spikenm::data
