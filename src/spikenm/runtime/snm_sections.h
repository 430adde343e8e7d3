// The container of a .snm file: a header, a table of sections, and the sections, each with its
// CRC-32C. docs/format.md has the bytes.
#pragma once

#include "spikenm/core/bytes.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spikenm::runtime {

constexpr uint32_t kSnmVersion = 2;   // the newest; a file has the oldest that has all it needs
constexpr size_t kSectionAlign = 64;  // bytes; between sections are zeros

// What a section holds: four letters.
struct SectionKind {
  char letters[4];
  [[nodiscard]] std::string_view text() const { return {letters, 4}; }
  friend bool operator==(const SectionKind&, const SectionKind&) = default;
};
constexpr SectionKind kGraphSection{'G', 'R', 'P', 'H'};      // the graph as JSON
constexpr SectionKind kMetaSection{'M', 'E', 'T', 'A'};       // JSON: all that is no array
constexpr SectionKind kValuesSection{'W', 'V', 'A', 'L'};     // values of a synapse
constexpr SectionKind kPositionsSection{'W', 'P', 'O', 'S'};  // their positions
constexpr SectionKind kBitsSection{'W', 'B', 'I', 'T'};       // which weights are not 0
constexpr SectionKind kScaleSection{'W', 'S', 'C', 'L'};      // scale of each output channel
constexpr SectionKind kBiasSection{'B', 'I', 'A', 'S'};       // bias of each output channel
constexpr SectionKind kNormSection{'N', 'O', 'R', 'M'};       // scales, then shifts
constexpr SectionKind kMaskSection{'N', 'M', 'S', 'K'};       // neurons that are kept, as bits

struct Section {
  SectionKind kind;
  uint32_t node = 0;  // the node of the graph that it belongs to; 0: the whole file
  Bytes bytes;
};

std::string encode_sections(const std::vector<Section>& sections, uint32_t version = 1);

// The sections, in the order of the file; they point into `bytes`. `source` names the file in
// messages. A file that is cut, damaged, of a newer version or no .snm is an Error.
std::vector<Section> decode_sections(Bytes bytes, const std::string& source);

// Writes the checksums that fit the rest of the bytes, for tests of what lies behind them. Does
// nothing where there is no header.
void fit_sums(std::string& file);

}  // namespace spikenm::runtime
