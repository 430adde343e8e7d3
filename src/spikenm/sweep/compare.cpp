#include "spikenm/sweep/compare.h"

#include "spikenm/core/error.h"
#include "spikenm/core/text.h"
#include "spikenm/report/csv.h"
#include "spikenm/report/student_t.h"
#include "spikenm/report/table.h"

#include <algorithm>
#include <map>

namespace spikenm::sweep {
namespace {

void check_builds(const Group& row, const Group& against) {
  for (const MemberRun* ours : row.runs) {
    for (const MemberRun* theirs : against.runs) {
      if (ours->seed != theirs->seed) continue;
      const std::string a = build_of(ours->run), b = build_of(theirs->run);
      SPIKENM_CHECK(a == b,
                    "--against: {} seed {} is of build {}, and {} of build {}; wanted one build "
                    "for all rows of a seed, since another one moves an accuracy as another seed "
                    "does",
                    row.name, ours->seed, a.empty() ? "unknown" : a, against.name,
                    b.empty() ? "unknown" : b);
    }
  }
}

// The mean of a number over the runs of each seed.
std::map<int64_t, double> by_seed(const Group& group, const std::string& key) {
  std::map<int64_t, std::vector<double>> values;
  for (const MemberRun* run : group.runs)
    if (const std::optional<double> value = run->run.number(key))
      values[run->seed].push_back(*value);
  std::map<int64_t, double> means;
  for (const auto& [seed, list] : values) means[seed] = report::summarize(list)->mean;
  return means;
}

std::optional<Difference> difference(const Group& row, const Group& against,
                                     const std::string& key) {
  const std::map<int64_t, double> ours = by_seed(row, key), theirs = by_seed(against, key);
  std::vector<double> differences;
  for (const auto& [seed, value] : ours)
    if (const auto other = theirs.find(seed); other != theirs.end())
      differences.push_back(value - other->second);

  const std::optional<report::Statistic> found = report::summarize(differences);
  if (!found) return std::nullopt;
  return Difference{
      .mean = found->mean, .half_width = report::half_width_95(*found), .seeds = found->n};
}

Verdict judge(const std::optional<Difference>& test) {
  if (!test || !test->half_width) return Verdict::kTooFewSeeds;
  if (test->mean - *test->half_width > 0) return Verdict::kBetter;
  if (test->mean + *test->half_width < 0) return Verdict::kWorse;
  return Verdict::kNotToldApart;
}

std::string signed_text(const std::optional<Difference>& difference) {
  if (!difference) return "";
  if (!difference->half_width) return fmt::format("{:+.2f}", difference->mean);
  return fmt::format("{:+.2f} ± {:.2f}", difference->mean, *difference->half_width);
}

std::string plain(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

}  // namespace

const char* verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::kBetter:
      return "better";
    case Verdict::kWorse:
      return "worse";
    case Verdict::kNotToldApart:
      return "not told apart";
    case Verdict::kTooFewSeeds:
      break;
  }
  return "too few seeds";
}

const Group* partner_of(const std::vector<Group>& groups, const Group& row,
                        const std::string& against) {
  const Group* found = find_group(groups, against);
  if (found == nullptr && !row.member->point.empty())
    found = find_group(groups, against + "," + row.member->point);
  return found == &row ? nullptr : found;
}

std::vector<Comparison> compare(const std::vector<Group>& groups, const std::string& against) {
  const bool is_known = std::any_of(groups.begin(), groups.end(), [&](const Group& group) {
    return group.name == against || group.member->listed == against;
  });
  std::vector<std::string> names;
  for (const Group& group : groups) names.push_back(group.name);
  SPIKENM_CHECK(is_known, "--against: found '{}', which is no row with results; the nearest is {}",
                against, nearest(against, names));

  std::vector<Comparison> comparisons;
  for (const Group& row : groups) {
    const Group* const other = partner_of(groups, row, against);
    if (other == nullptr) continue;
    check_builds(row, *other);
    Comparison comparison{.row = &row,
                          .against = other,
                          .test = difference(row, *other, "test_accuracy"),
                          .validation = difference(row, *other, "val_accuracy")};
    comparison.verdict = judge(comparison.test);
    comparisons.push_back(comparison);
  }
  return comparisons;
}

std::string comparison_table(const std::vector<Comparison>& comparisons) {
  std::vector<std::vector<std::string>> rows;
  for (const Comparison& c : comparisons)
    rows.push_back({c.row->name, c.against->name, signed_text(c.validation), signed_text(c.test),
                    fmt::format("{}", c.test ? c.test->seeds : 0), verdict_text(c.verdict)});
  return report::format_table(
      {"member", "against", "Δ val %, 95 %", "Δ test %, 95 %", "seeds", "verdict"}, rows);
}

std::string comparison_csv(const std::vector<Comparison>& comparisons) {
  std::string text =
      report::csv_line({"member", "against", "seeds", "val_difference", "val_half_width_95",
                        "test_difference", "test_half_width_95", "verdict"});
  const auto mean = [](const std::optional<Difference>& d) {
    return plain(d ? std::optional(d->mean) : std::nullopt);
  };
  const auto half = [](const std::optional<Difference>& d) {
    return plain(d ? d->half_width : std::nullopt);
  };
  for (const Comparison& c : comparisons)
    text +=
        report::csv_line({c.row->name, c.against->name,
                          fmt::format("{}", c.test ? c.test->seeds : 0), mean(c.validation),
                          half(c.validation), mean(c.test), half(c.test), verdict_text(c.verdict)});
  return text;
}

}  // namespace spikenm::sweep
