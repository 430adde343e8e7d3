// Files as the samples that a model reads.
#pragma once

#include "spikenm/runtime/model.h"

#include <filesystem>
#include <string>
#include <vector>

namespace spikenm::run {

// [frames, channels, height, width]: an event file of any format that is known, a .npy array of the
// model's shape, or a PNG or JPEG picture of its size. An Error names the file.
std::vector<float> read_sample(const std::filesystem::path& path, const runtime::Model& model);

// Pixels 0..255 as the model wants them.
void normalize(std::vector<float>& values, const runtime::Model& model);

}  // namespace spikenm::run
