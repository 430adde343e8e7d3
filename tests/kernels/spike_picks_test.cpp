#include "spikenm/kernels/pick_tables.h"

#include "spikenm/core/random.h"

#include <gtest/gtest.h>

#include <bit>
#include <map>

namespace spikenm::kernels {
namespace {

struct Kept {
  LayerWindow window;
  int64_t words = 0;
  std::vector<uint64_t> keep;
  LayerRows rows;

  // Every word keeps `each` channels, but every `short_every`-th word one less.
  Kept(int64_t kernel, int64_t words_of_pixel, int32_t word_rows, int64_t blocks, int short_every)
      : window{kernel, kernel, 1, 0, 1, 1}, words(words_of_pixel) {
    const RandomAddress random(3, 1);
    for (int64_t i = 0; i < blocks * window.taps() * words; ++i) {
      const bool one_less = short_every > 0 && i % short_every == short_every - 1;
      uint64_t kept = 0;
      for (size_t draw = 0; std::popcount(kept) < word_rows - (one_less ? 1 : 0); ++draw)
        kept |= uint64_t{1} << random.below(static_cast<size_t>(i) * 4096 + draw, 64);
      keep.push_back(kept);
    }
    rows.rows = window.taps() * words * word_rows;
    rows.part_rows = kept_rows_of_parts(window, words, word_rows);
    rows.keep = keep.data();
    rows.word_rows = word_rows;
  }
};

// The words of the window that a unit has, one of them 8 / n times.
int64_t word_of(const PickTables& picks, const PickUnit& unit, int64_t lane, int64_t run) {
  const int64_t at = lane % picks.words_of_unit;
  return at < 4 ? unit.row * run + unit.word + at
                : unit.second_row * run + unit.second_word + at - 4;
}

// Each kept channel of the window is picked once, and gets the number of its row.
void expect_every_row_once(const Kept& kept, int64_t blocks) {
  const PickTables picks = make_picks(kept.window, kept.words, blocks, kept.rows);
  const int64_t run = kept.window.kernel_width * kept.words, all = kept.window.taps() * kept.words;
  ASSERT_EQ(static_cast<int64_t>(picks.parts.size()), kept.rows.parts());
  for (int64_t block = 0; block < blocks; ++block) {
    std::map<int64_t, int64_t> channel_of;  // by row
    for (size_t part = 0; part < picks.parts.size(); ++part)
      for (int64_t u = picks.parts[part].begin; u < picks.parts[part].end; ++u) {
        const PickUnit& unit = picks.units[static_cast<size_t>(u)];
        const PickPlaces& own =
            picks.places[static_cast<size_t>(block) * picks.units.size() + static_cast<size_t>(u)];
        if (u < picks.parts[part].others) {
          EXPECT_EQ(own.valid, ~uint64_t{0});
          EXPECT_EQ(std::vector(unit.numbers, unit.numbers + 64),
                    std::vector(picks.units[0].numbers, picks.units[0].numbers + 64));
        }
        for (int64_t bit = 0; bit < 64; ++bit) {
          if ((own.valid >> bit & 1) == 0) continue;
          const int64_t row =
              static_cast<int64_t>(part) * kept.rows.part_rows + unit.first + unit.numbers[bit];
          const bool is_new =
              channel_of.emplace(row, word_of(picks, unit, bit / 8, run) * 64 + own.places[bit])
                  .second;
          EXPECT_TRUE(is_new) << row;
        }
      }
    size_t wanted = 0;
    for (int64_t w = 0; w < all; ++w) {
      uint64_t left = kept.keep[static_cast<size_t>(block * all + w)];
      for (int64_t rank = 0; left != 0; ++rank, left &= left - 1, ++wanted)
        EXPECT_EQ(channel_of[w * kept.rows.word_rows + rank], w * 64 + std::countr_zero(left));
    }
    EXPECT_EQ(channel_of.size(), wanted);
  }
}

TEST(SpikePicks, EveryKeptChannelHasTheNumberOfItsRow) {
  for (const int64_t kernel : {1, 3, 5})
    for (const int64_t words : {1, 2, 3, 4, 6, 8, 12})
      for (const int32_t word_rows : {1, 2, 4, 8, 16, 32, 64})
        for (const int short_every : {0, 3})
          expect_every_row_once(Kept(kernel, words, word_rows, 2, short_every), 2);
}

TEST(SpikePicks, FullWordsMakeWholeUnits) {
  const PickPart four = make_picks({3, 3, 1, 0, 1, 1}, 4, 1, Kept(3, 4, 32, 1, 0).rows).parts[0];
  EXPECT_EQ(four.others - four.begin, 18);
  EXPECT_EQ(four.end, 18);
  const Kept eight(3, 4, 8, 1,
                   0);  // 8 of the 12 words of a row; what is left of two rows, and of one
  const PickPart part = make_picks(eight.window, 4, 1, eight.rows).parts[0];
  EXPECT_EQ(part.others - part.begin, 3);
  EXPECT_EQ(part.end, 5);
}

// Parts are whole rows of the kernel, or whole taps, or pieces of a tap.
TEST(SpikeParts, FitTheFirstCache) {
  const auto rows = [](int64_t kernel, int64_t channels) {
    return rows_of_parts({kernel, kernel, 1, 0, 1, 1}, channels);
  };
  EXPECT_EQ(rows(3, 64), 9 * 64);
  EXPECT_EQ(rows(3, 128), 3 * 128);
  EXPECT_EQ(rows(3, 256), 3 * 256);
  EXPECT_EQ(rows(3, 512), 512);
  EXPECT_EQ(rows(3, 1024), 512);
  EXPECT_EQ(rows(3, 1000), 1000);  // taps do not begin at multiples of 512
  EXPECT_EQ(rows(8, 256), 2 * 256);
  EXPECT_EQ(rows(1, 3000), 512);
  EXPECT_EQ(rows(2, 129 * 64), 3 * 64);  // 43 pieces of a tap
  EXPECT_EQ(rows(2, 8200), 8200);        // no multiple of 64 cuts it: more than lists can number
}

// The numbers of a part fit a list, whatever is kept.
TEST(SpikeParts, OfKeptRowsAreNeverTooLarge) {
  for (const int64_t kernel : {1, 2, 3, 5, 8})
    for (int64_t words = 1; words < 1100; words += words < 20 ? 1 : 31)
      for (const int32_t word_rows : {1, 8, 32, 64}) {
        const int64_t part = kept_rows_of_parts({kernel, kernel, 1, 0, 1, 1}, words, word_rows);
        EXPECT_GT(part, 0);
        EXPECT_LE(part, kMostPartRows) << kernel << " " << words << " " << word_rows;
        EXPECT_EQ(part % word_rows, 0);
      }
}

TEST(SpikeParts, CutNoFourKeptWords) {
  for (const int64_t kernel : {1, 3, 8})
    for (const int64_t words : {1, 2, 3, 4, 8, 12, 64, 256})
      for (const int32_t word_rows : {1, 8, 16, 32, 64}) {
        const LayerWindow window{kernel, kernel, 1, 0, 1, 1};
        const int64_t part = kept_rows_of_parts(window, words, word_rows), run = kernel * words;
        EXPECT_EQ(part % word_rows, 0);
        const int64_t part_words = part / word_rows;
        EXPECT_TRUE(part_words % run == 0 || (run % part_words == 0 && part_words % 4 == 0))
            << kernel << " " << words << " " << word_rows;
      }
}

}  // namespace
}  // namespace spikenm::kernels
