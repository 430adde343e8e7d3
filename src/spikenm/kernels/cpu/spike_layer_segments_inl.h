// Adds the rows of lists. Included behind spike_layer_inl.h.
//
// A segment is the piece of a list whose rows lie in one part of the rows. It ends with rows of zeros, so
// that four rows are added at a time, a round. A processor waits when a loop ends sooner or later than it
// thought; so segments of one length follow each other:
//
//   segments as made     | 5 rounds | 4 | 5 | 3 | 4 | 5 |      rounds: 3 | 4 4 | 5 5 5
//   in order of length   | 3 | 4 | 4 | 5 | 5 | 5 |             ends:   0 0 0 1 3 6
//
//   part of the rows, in the first cache                 sums of the lists, 64 numbers each
//   row 0 … row 575, zeros        4 rows a round  ──>    list 17 += …   list 3 += …
//
// A part is read for all lists before the next one. With planes, those of the highest come first, and
// sums are doubled before the next plane's are added.

struct Segment {
  const uint16_t* entries;
  uint32_t count;  // without those of zeros
  uint32_t list;   // to whose sums the rows are added
};

// The segments of one part of the rows.
struct Group {
  Segment* segments;  // [lists]
  Segment* sorted;    // [lists]: the same, the shortest first
  int32_t* ends;      // [kSortedRounds + 2]: behind those of 0, 1, 2, … rounds; last, of more
};

struct Scratch {
  uint16_t* entries;
  Segment *segments, *sorted;  // [groups, lists]
  int32_t* ends;
  int32_t* sums;        // [band, lists, 64] of 32 or of 16 bits
  uint64_t* words;      // of the kernels that list nothing
  std::byte* windows;   // [places of a band]: where they begin
  std::byte* units;     // those of spike_picks.h, as a tile has them
  uint64_t* kept_bits;  // of blocks whose taps keep the same channels
  int64_t group_lists;

  Scratch(const TilePlan& plan, std::byte* base)
      : entries(reinterpret_cast<uint16_t*>(base + plan.entries)),
        segments(reinterpret_cast<Segment*>(base + plan.segments)),
        sorted(reinterpret_cast<Segment*>(base + plan.sorted)),
        ends(reinterpret_cast<int32_t*>(base + plan.ends)),
        sums(reinterpret_cast<int32_t*>(base + plan.sums)),
        words(reinterpret_cast<uint64_t*>(base + plan.words)),
        windows(base + plan.windows),
        units(base + plan.units),
        kept_bits(reinterpret_cast<uint64_t*>(base + plan.kept_bits)),
        group_lists(plan.group_lists) {}

  [[nodiscard]] Group group(int64_t index) const {
    return {segments + index * group_lists, sorted + index * group_lists,
            ends + index * (kSortedRounds + 2)};
  }
};

SPIKENM_INLINE int64_t rounds_of(int64_t count) {
  return (count + 3) / 4;
}

// Rounds of a segment; those of more than kSortedRounds are of one length.
SPIKENM_INLINE int64_t length_of(int64_t count) {
  const int64_t rounds = rounds_of(count);
  return rounds <= kSortedRounds ? rounds : kSortedRounds + 1;
}

// A processor takes a load for one of what is being stored when the lowest 12 bits of their addresses are
// the same, and waits. So lists lie in the upper halves of pages, and the tables that they are made with
// in the lower half of one.
SPIKENM_INLINE uint16_t* upper_half(uint16_t* at) {
  constexpr uintptr_t kHalf = 2048 / sizeof(uint16_t);  // entries in half a page
  const uintptr_t entry = reinterpret_cast<uintptr_t>(at) / sizeof(uint16_t);
  return (entry & kHalf) != 0 ? at : at + (kHalf - entry % kHalf);
}

// Writes the segments of a group, one after the other, and counts those of each length.
struct SegmentWriter {
  uint16_t* at;
  Segment* next;
  int32_t* lengths;
  uint32_t list = 0;
  uint64_t zeros;  // four times the entry of the row of zeros

  // From `entries` on; the row of zeros stands behind `rows` others.
  SegmentWriter(uint16_t* entries, const Group& group, int64_t rows)
      : at(upper_half(entries)),
        next(group.segments),
        lengths(group.ends),
        zeros(static_cast<uint64_t>(rows * kEntryUnit) * 0x0001000100010001) {
    for (int64_t k = 0; k < kSortedRounds + 2; ++k) lengths[k] = 0;
  }
  // Ends a segment that began at `at` and whose entries end at `end`.
  SPIKENM_INLINE void close(uint16_t* end) {
    const int64_t count = end - at;
    *next++ = {at, static_cast<uint32_t>(count), list++};
    ++lengths[length_of(count)];
    __builtin_memcpy(end, &zeros, sizeof zeros);
    at = upper_half(at + 4 * rounds_of(count));
  }
};

// Sorts the `lists` segments of a group that was written.
SPIKENM_NOINLINE void sort_segments(const Group& group, int64_t lists) {
  int32_t next[kSortedRounds + 2];
  int32_t end = 0;
  for (int64_t k = 0; k < kSortedRounds + 2; ++k) {
    next[k] = end;
    end += group.ends[k];
    group.ends[k] = end;
  }
  for (int64_t i = 0; i < lists; ++i)
    group.sorted[next[length_of(group.segments[i].count)]++] = group.segments[i];
}

// The most rows that a segment of a sorted group can have; any number if one is of more rounds than are
// sorted.
inline int64_t most_rows(const Group& group) {
  int64_t rounds = kSortedRounds + 1;
  while (rounds > 0 && group.ends[rounds] == group.ends[rounds - 1]) --rounds;
  return rounds > kSortedRounds ? int64_t{1} << 40 : 4 * rounds;
}

SPIKENM_INLINE Whole sum_rounds(const uint8_t* rows, const uint16_t* entries, int64_t rounds) {
  Whole sums;
  sums.begin(rounds);
  if (rounds % 2 != 0) {
    sums.add_four(rows, entries);
    entries += 4;
  }
  for (int64_t pairs = rounds / 2; pairs > 0; --pairs, entries += 8) {
    sums.add_four(rows, entries);
    sums.add_four(rows, entries + 4);
  }
  return sums;
}

// The segments of a group; sums are of 16 bits, or of 32.
template <Add kAdd, class Sum>
SPIKENM_NOINLINE void sum_group(const uint8_t* rows, const Group& group, Sum* sums) {
  constexpr bool kSkipsEmpty = kAdd == Add::kMore;
  const Segment* segment = group.sorted + (kSkipsEmpty ? group.ends[0] : 0);
  for (int64_t rounds = kSkipsEmpty ? 1 : 0; rounds <= kSortedRounds; ++rounds)
    for (const Segment* const end = group.sorted + group.ends[rounds]; segment != end; ++segment)
      sum_rounds(rows, segment->entries, rounds)
          .template put<kAdd>(sums + segment->list * kSpikeBlock);
  // Longer ones, as many rows at a time as fit 16 bits.
  for (const Segment* const end = group.sorted + group.ends[kSortedRounds + 1]; segment != end;
       ++segment) {
    const uint16_t* at = segment->entries;
    int64_t left = rounds_of(segment->count) - kSortedRounds;
    Sum* const to = sums + segment->list * kSpikeBlock;
    sum_rounds(rows, at, kSortedRounds).template put<kAdd>(to);
    for (; left > 0; left -= kSortedRounds) {
      at += 4 * kSortedRounds;
      sum_rounds(rows, at, left < kSortedRounds ? left : kSortedRounds)
          .template put<Add::kMore>(to);
    }
  }
}

template <class Sum>
void sum_group_as(Add add, const uint8_t* rows, const Group& group, Sum* sums) {
  switch (add) {
    case Add::kSet:
      return sum_group<Add::kSet>(rows, group, sums);
    case Add::kMore:
      return sum_group<Add::kMore>(rows, group, sums);
    case Add::kTwice:
      return sum_group<Add::kTwice>(rows, group, sums);
  }
}
