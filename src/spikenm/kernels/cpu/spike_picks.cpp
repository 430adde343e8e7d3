#include "spikenm/kernels/pick_tables.h"

#include <algorithm>
#include <bit>

namespace spikenm::kernels {
namespace {

constexpr int64_t kPiece = 4;  // words that are loaded together in a unit of two pieces

// Words of a window that lie side by side; `first` counts the words of all taps.
struct Piece {
  int64_t first = 0, count = 0;
};
// The words of a unit.
struct UnitWords {
  Piece pieces[2];
};

class Picks {
 public:
  Picks(const LayerWindow& window, int64_t words, int64_t blocks, const LayerRows& rows)
      : run_(window.kernel_width * words),
        all_(window.taps() * words),
        blocks_(blocks),
        rows_(rows) {
    made_.words_of_unit = kSpikeBlock / std::max(rows.word_rows, 8);
  }

  PickTables make() {
    const int64_t part_words = rows_.part_rows / rows_.word_rows;
    for (int64_t first = 0; first < all_; first += part_words)
      add_part(first, std::min(all_, first + part_words));
    for (int64_t block = 0; block < blocks_; ++block)
      for (const UnitWords& words : words_) made_.places.push_back(places_of(words, block));
    return std::move(made_);
  }

 private:
  void add_part(int64_t first, int64_t end) {
    PickPart part{.begin = static_cast<int64_t>(words_.size())};
    const int64_t most = std::min(kPiece, made_.words_of_unit);
    std::vector<Piece> left;
    for (int64_t at = first; at < end;) {
      // No farther than to the end of the row of the window.
      const int64_t count = std::min({made_.words_of_unit, end - at, run_ - at % run_});
      if (count == made_.words_of_unit && is_full(at, count)) {
        words_.push_back({{{at, most}, {at + most, count - most}}});
        at += count;
      } else {
        left.push_back({at, std::min(most, count)});
        at += left.back().count;
      }
    }
    part.others = static_cast<int64_t>(words_.size());
    add_left(left);
    part.end = static_cast<int64_t>(words_.size());
    for (int64_t u = part.begin; u < part.end; ++u) made_.units.push_back(unit_of(u));
    made_.parts.push_back(part);
  }

  // Units of one piece or two.
  void add_left(const std::vector<Piece>& left) {
    constexpr int64_t kMostNumber = 255;
    for (size_t i = 0; i < left.size(); ++i) {
      UnitWords unit{{left[i], {}}};
      if (made_.words_of_unit > kPiece && i + 1 < left.size() &&
          (left[i + 1].first + kPiece - left[i].first) * rows_.word_rows <= kMostNumber)
        unit.pieces[1] = left[++i];
      words_.push_back(unit);
    }
  }

  // Whether the words keep as many channels as a unit has room for, in every block.
  [[nodiscard]] bool is_full(int64_t first, int64_t count) const {
    if (count * rows_.word_rows != kSpikeBlock) return false;
    for (int64_t block = 0; block < blocks_; ++block)
      for (int64_t w = first; w < first + count; ++w)
        if (std::popcount(rows_.keep[block * all_ + w]) != rows_.word_rows) return false;
    return true;
  }

  // The bit of a unit for the rank-th kept channel of a word of a piece.
  [[nodiscard]] int64_t bit_of(int64_t piece, int64_t word, int64_t rank) const {
    return (rank / 8 * made_.words_of_unit + piece * kPiece + word) * 8 + rank % 8;
  }

  [[nodiscard]] PickPlaces places_of(const UnitWords& words, int64_t block) const {
    PickPlaces own;
    for (int64_t piece = 0; piece < 2; ++piece)
      for (int64_t w = 0; w < words.pieces[piece].count; ++w) {
        uint64_t kept = rows_.keep[block * all_ + words.pieces[piece].first + w];
        for (int64_t rank = 0; kept != 0; ++rank, kept &= kept - 1) {
          const int64_t bit = bit_of(piece, w, rank);
          own.valid |= uint64_t{1} << bit;
          own.places[bit] = static_cast<uint8_t>(std::countr_zero(kept));
        }
      }
    return own;
  }

  [[nodiscard]] PickUnit unit_of(int64_t index) const {
    const UnitWords& words = words_[static_cast<size_t>(index)];
    const Piece &first = words.pieces[0], &second = words.pieces[1];
    PickUnit unit{.row = static_cast<int32_t>(first.first / run_),
                  .word = static_cast<int32_t>(first.first % run_),
                  .second_row = static_cast<int32_t>(second.first / run_),
                  .second_word = static_cast<int32_t>(second.first % run_)};
    const int64_t begin = first.first * rows_.word_rows;
    unit.first = static_cast<int32_t>(begin % rows_.part_rows);
    for (int64_t piece = 0; piece < 2; ++piece)
      for (int64_t w = 0; w < words.pieces[piece].count; ++w)
        for (int64_t rank = 0; rank < rows_.word_rows; ++rank) {
          const int64_t row = (words.pieces[piece].first + w) * rows_.word_rows + rank;
          unit.numbers[bit_of(piece, w, rank)] = static_cast<uint8_t>(row - begin);
        }
    return unit;
  }

  const int64_t run_, all_, blocks_;
  const LayerRows& rows_;
  std::vector<UnitWords> words_;
  PickTables made_;
};

}  // namespace

PickTables make_picks(const LayerWindow& window, int64_t words, int64_t blocks,
                      const LayerRows& rows) {
  return Picks(window, words, blocks, rows).make();
}

}  // namespace spikenm::kernels
