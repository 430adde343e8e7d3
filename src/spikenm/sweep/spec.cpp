#include "spikenm/sweep/spec.h"

#include "spikenm/core/config_file.h"
#include "spikenm/core/text.h"
#include "spikenm/core/toml.h"
#include "spikenm/sweep/plot_x.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace spikenm::sweep {
namespace {

constexpr size_t kMaxMembers = 10'000, kMaxKeys = 16;

// The key of "a.b=value", without quotes.
std::string key_of(const std::string& assignment) {
  std::string key = assignment.substr(0, assignment.find('='));
  std::erase(key, '"');
  return key;
}

void add_unique(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

// A value in the form that names use.
std::string plain(std::string value) {
  std::erase_if(value, [](char c) { return c == '"' || c == '\'' || c == ' '; });
  std::replace(value.begin(), value.end(), '/', '-');
  return value;
}

// "tau_max=0.1" for method.tau_max: the last part of the key, or the whole key if two keys have the
// same last part.
std::string point_name(const Spec& spec, const GridKey& key, const std::string& value) {
  const auto last_part = [](const std::string& name) { return name.substr(name.rfind('.') + 1); };
  const auto alike = std::count_if(spec.grid.begin(), spec.grid.end(), [&](const GridKey& other) {
    return last_part(other.key) == last_part(key.key);
  });
  return fmt::format("{}={}", alike == 1 ? last_part(key.key) : key.key, value);
}

std::string joined(const std::string& name, const std::string& part) {
  return name.empty() ? part : name + "," + part;
}

// Every combination of one value per key; a single empty combination without a grid.
std::vector<std::vector<std::string>> points_of(const std::vector<GridKey>& grid) {
  SPIKENM_CHECK(grid.size() <= kMaxKeys, "grid: found {} keys, wanted at most {} (a fixed limit)",
                grid.size(), kMaxKeys);
  std::vector<std::vector<std::string>> points{{}};
  for (const GridKey& key : grid) {
    SPIKENM_CHECK(points.size() * key.values.size() <= kMaxMembers,
                  "grid: found more than {} points, wanted at most {} (a fixed limit)", kMaxMembers,
                  kMaxMembers);

    std::vector<std::vector<std::string>> longer;
    for (const auto& point : points) {
      for (const std::string& value : key.values) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    }
    points = std::move(longer);
  }
  return points;
}

// Whether the values of a key are words, not numbers or patterns such as 2:8: words have no order, so
// no curve leads from one to another.
bool has_words(const GridKey& key) {
  return std::all_of(key.values.begin(), key.values.end(), [](const std::string& value) {
    const std::string text = plain(value);
    const size_t first = text.find_first_not_of("+-.[");
    return first == std::string::npos || text.find_first_of("0123456789", first) != first;
  });
}

// The member that a listed member becomes at a point of the grid.
Member at_point(const Spec& spec, const Member& listed, const std::vector<std::string>& values) {
  const bool by_member = spec.plot.x == kByMember;
  Member member = listed;
  member.group = member.listed = listed.name;
  member.place = by_member ? listed.name : "";
  member.series = by_member ? "" : listed.name;
  std::string measured = listed.name;  // the series, where x is a number of the results

  for (size_t i = 0; i < values.size(); ++i) {
    const GridKey& key = spec.grid[i];
    const std::string part = point_name(spec, key, plain(values[i]));
    const bool pooled = std::find(spec.pool.begin(), spec.pool.end(), key.key) != spec.pool.end();
    member.name = joined(member.name, part);
    if (!pooled) {
      member.group = joined(member.group, part);
      member.point = joined(member.point, part);
    }
    if (key.key == spec.plot.x) {
      member.place = plain(values[i]);
    } else if (!pooled) {
      member.series = joined(member.series, part);
    }
    if (!pooled && has_words(key)) measured = joined(measured, part);
    member.set.push_back(key.key + "=" + values[i]);
  }
  if (spec.plot.x.empty() || x_is_result(spec)) {
    member.place = member.group;
    member.series = spec.plot.x.empty() ? "" : measured;
  }
  return member;
}

// The listed members at all points of the grid, in the order of the list.
std::vector<Member> all_members(const Spec& spec) {
  const auto points = points_of(spec.grid);
  std::vector<Member> members;
  for (const Member& listed : spec.members) {
    if (!listed.in_grid) {
      members.push_back(at_point(spec, listed, {}));
      continue;
    }
    for (const std::string& assignment : listed.set) {
      SPIKENM_CHECK(!in_grid(spec, key_of(assignment)), "member '{}': sets {}, which the grid does",
                    listed.name, key_of(assignment));
    }

    SPIKENM_CHECK(members.size() + points.size() <= kMaxMembers,
                  "sweep: found more than {} members, wanted at most {} (a fixed limit)",
                  kMaxMembers, kMaxMembers);
    for (const auto& point : points) members.push_back(at_point(spec, listed, point));
  }
  return members;
}

void check_name(const std::string& name) {
  constexpr size_t kLongest = 150;
  const bool printable = std::none_of(
      name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F || c == '/'; });
  SPIKENM_CHECK(printable && !name.empty() && name.size() <= kLongest && name.front() != '.',
                "member {}: wanted a name that can be a folder's: 1 to {} letters, none of them "
                "'/', the first not '.'",
                Json(name).dump(-1, ' ', false, Json::error_handler_t::replace), kLongest);
  for (const char* file : {kResultsFile, kSummaryFile, kComparisonFile, kPlotPng, kPlotSvg})
    SPIKENM_CHECK(name != file, "member '{}': found the name of a file that the sweep writes",
                  name);
}

void check_assignments(const std::string& owner, const std::vector<std::string>& assignments) {
  for (const std::string& assignment : assignments) {
    const std::string key = key_of(assignment);
    SPIKENM_CHECK(assignment.find('=') != std::string::npos && !key.empty(),
                  "{}: found '{}', wanted an assignment such as train.lr=0.1", owner, assignment);
    SPIKENM_CHECK(key != "seed", "{}: sets seed, which the sweep's seeds do", owner);
  }
}

// Keys that `pool` and `plot` name must be in the grid, and --set must not set a swept key.
void check_keys(const Spec& spec) {
  for (size_t i = 0; i < spec.grid.size(); ++i) {
    for (size_t j = 0; j < i; ++j)
      SPIKENM_CHECK(spec.grid[i].key != spec.grid[j].key, "grid: found {} twice", spec.grid[i].key);
  }
  for (const std::string& key : spec.pool)
    SPIKENM_CHECK(in_grid(spec, key), "pool: found '{}', wanted a key of the grid", key);
  check_x(spec);

  const std::vector<std::string> swept = swept_keys(spec);
  check_assignments("--set", spec.set);
  for (const std::string& assignment : spec.set) {
    SPIKENM_CHECK(std::find(swept.begin(), swept.end(), key_of(assignment)) == swept.end(),
                  "--set: found {}, which the members set themselves", key_of(assignment));
  }
}

// Every key and section of the base.
std::vector<std::string> keys_of_base(const Spec& spec) {
  std::vector<std::string> keys;
  if (spec.base.empty()) return keys;
  for (const ConfigLayer& layer : read_config_layers(spec.base)) {
    for (const auto& [key, value] : flatten_tables(layer.tables)) {
      for (size_t dot = key.find('.'); dot != std::string::npos; dot = key.find('.', dot + 1))
        add_unique(keys, key.substr(0, dot));
      add_unique(keys, key);
    }
  }
  return keys;
}

// A dropped key that the base does not have is probably a spelling mistake.
void check_drop(const Spec& spec, const Member& member) {
  const std::vector<std::string> keys = keys_of_base(spec);
  for (const std::string& key : member.drop) {
    SPIKENM_CHECK(std::find(keys.begin(), keys.end(), key) != keys.end(),
                  "drop: found '{}', wanted a key of the base{}", key,
                  keys.empty() ? "" : "; the nearest is " + nearest(key, keys));
  }
}

}  // namespace

bool in_grid(const Spec& spec, const std::string& key) {
  return std::any_of(spec.grid.begin(), spec.grid.end(),
                     [&](const GridKey& swept) { return swept.key == key; });
}

GridKey parse_grid(std::string_view argument) {
  const size_t equals = argument.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == argument.size())
    throw UsageError(fmt::format(
        "--grid: found '{}', wanted a key and its values: method.tau_max=1,0.1", argument));
  GridKey grid{.key = key_of(std::string(argument)), .values = {""}};

  int depth = 0;
  char quote = 0;
  for (const char c : argument.substr(equals + 1)) {
    if (quote != 0) {
      quote = c == quote ? 0 : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == ']') {
      depth += c == '[' ? 1 : -1;
    } else if (c == ',' && depth == 0) {
      grid.values.emplace_back();
      continue;
    }
    grid.values.back() += c;
  }

  for (const std::string& value : grid.values) {
    if (value.empty())
      throw UsageError(fmt::format("--grid: found an empty value in '{}'", argument));
  }
  return grid;
}

std::vector<int64_t> first_seeds(int64_t n, const std::string& key) {
  SPIKENM_CHECK(1 <= n && n <= 1000, "{}: found {}, wanted 1 to 1000 of them, or a list", key, n);
  std::vector<int64_t> seeds(static_cast<size_t>(n));
  std::iota(seeds.begin(), seeds.end(), 0);
  return seeds;
}

std::vector<int64_t> listed_seeds(std::vector<int64_t> seeds, const std::string& key) {
  SPIKENM_CHECK(!seeds.empty(), "{}: found an empty list, wanted at least one seed", key);
  for (const int64_t seed : seeds) {
    SPIKENM_CHECK(seed >= 0, "{}: found {}, wanted 0 or more", key, seed);
    SPIKENM_CHECK(std::count(seeds.begin(), seeds.end(), seed) == 1, "{}: found {} twice", key,
                  seed);
  }
  return seeds;
}

void expand(Spec& spec) {
  if (spec.plot.x.empty() && spec.grid.size() == 1) spec.plot.x = spec.grid[0].key;
  const bool alone = std::none_of(spec.members.begin(), spec.members.end(),
                                  [](const Member& member) { return member.in_grid; });
  for (const Member& member : spec.members) check_name(member.name);
  if (alone && !spec.grid.empty()) spec.members.push_back({.in_grid = true});  // the base itself
  spec.members = all_members(spec);
  SPIKENM_CHECK(!spec.members.empty(), "sweep: found neither members nor a grid");

  std::set<std::string> names;
  for (const Member& member : spec.members) {
    check_name(member.name);
    check_assignments(fmt::format("member '{}'", member.name), member.set);
    SPIKENM_CHECK(names.insert(member.name).second, "member '{}': found two of that name",
                  member.name);
  }

  check_keys(spec);
  const auto is_reference = [&](const Member& m) { return m.group == spec.plot.reference; };
  SPIKENM_CHECK(spec.plot.reference.empty() ||
                    std::any_of(spec.members.begin(), spec.members.end(), is_reference),
                "plot.reference: found '{}', which is no member", spec.plot.reference);
}

Config load_member(const Spec& spec, const Member& member) {
  if (!member.drop.empty()) check_drop(spec, member);
  Config config = spec.base.empty() ? Config() : Config::from_file(spec.base);
  for (const std::string& key : member.drop) config.drop(key);
  for (const std::string& assignment : member.set) config.override_with(assignment);
  for (const std::string& assignment : spec.set) config.override_with(assignment);
  return config;
}

std::vector<std::string> swept_keys(const Spec& spec) {
  std::vector<std::string> keys;
  for (const Member& member : spec.members)
    for (const std::string& assignment : member.set) add_unique(keys, key_of(assignment));
  return keys;
}

}  // namespace spikenm::sweep
