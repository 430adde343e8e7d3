// Rows of a sweep against one of them, seed by seed.
#pragma once

#include "spikenm/sweep/groups.h"

#include <optional>
#include <string>
#include <vector>

namespace spikenm::sweep {

enum class Verdict { kBetter, kWorse, kNotToldApart, kTooFewSeeds };

const char* verdict_text(Verdict verdict);

// The mean of a row's difference to another over the seeds that both have.
struct Difference {
  double mean = 0;
  std::optional<double> half_width;  // of its 95 % interval; empty for fewer than two seeds
  size_t seeds = 0;
};

struct Comparison {
  const Group* row = nullptr;
  const Group* against = nullptr;
  std::optional<Difference> test, validation;  // of accuracies in %; empty without common seeds
  Verdict verdict = Verdict::kTooFewSeeds;     // by the test accuracy
};

// The row that `row` is compared with. `against` is a row of the table, or a listed member: then
// the one at the row's own point of the grid. Null if there is none, or if it is the row itself.
const Group* partner_of(const std::vector<Group>& groups, const Group& row,
                        const std::string& against);

// Every row that has a partner. An Error if nothing is named `against`, or if two runs of one seed
// are of different builds of the program: then their difference is not the members' alone.
std::vector<Comparison> compare(const std::vector<Group>& groups, const std::string& against);

// For people, and as CSV.
std::string comparison_table(const std::vector<Comparison>& comparisons);
std::string comparison_csv(const std::vector<Comparison>& comparisons);

}  // namespace spikenm::sweep
