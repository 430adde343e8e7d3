// Reads and writes .snm files (docs/format.md): a trained network in one small file.
#pragma once

#include "spikenm/core/bytes.h"
#include "spikenm/runtime/stored_model.h"

#include <filesystem>
#include <string>

namespace spikenm::runtime {

std::string encode_snm(const StoredModel& model);
void write_snm(const std::filesystem::path& path, const StoredModel& model);

// Every length is checked against the graph before memory is allocated for it. `source` names the
// bytes in messages; a file that is cut, damaged, of a newer version or inconsistent is an Error of
// one sentence.
StoredModel decode_snm(Bytes bytes, const std::string& source);
// The same without a copy: weights stay where they are in `file`.
StoredModel decode_snm(SharedFile file, const std::string& source);
StoredModel read_snm(const std::filesystem::path& path);

}  // namespace spikenm::runtime
