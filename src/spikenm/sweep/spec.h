// What a sweep runs: the members that a file or a command line lists, each with its own config.
#pragma once

#include "spikenm/core/config.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace spikenm::sweep {

// One config of the sweep: the base, without the keys that it drops, with the keys that it sets.
struct Member {
  std::string name;               // also the name of its folder
  std::vector<std::string> drop;  // keys and sections
  std::vector<std::string> set;   // "a.b=value"
  bool in_grid = false;           // it is run at all points of the grid
  // Set by expand(). Members of one group are one row and one point of the plot; `place` is the
  // point's position along x (empty: not drawn), `series` the curve that it belongs to.
  std::string group, place, series;
  // Also set by expand(): the name in the list, and the point of the grid without pooled keys.
  std::string listed, point;
};

// A key of the grid and its values, as the right sides of assignments.
struct GridKey {
  std::string key;
  std::vector<std::string> values;
};

constexpr const char* kByMember = "member";

// Files beside the members' folders: a member must not have such a name.
constexpr const char *kResultsFile = "results.csv", *kSummaryFile = "summary.csv";
constexpr const char* kComparisonFile = "comparison.csv";
constexpr const char *kPlotPng = "plot.png", *kPlotSvg = "plot.svg";

struct PlotOptions {
  // A key of the grid; or kByMember: the listed members; or any number of the results; empty: every
  // group.
  std::string x;
  std::string x_label;
  std::string y = "test_accuracy";  // a number of the results
  bool log = false;
  std::string reference;  // a member that is drawn as a dashed line
};

struct Spec {
  std::string title;
  std::filesystem::path base;       // config
  std::filesystem::path published;  // CSV: member, …, acc; empty: none
  std::vector<int64_t> seeds{0};
  std::vector<GridKey> grid;
  std::vector<std::string> pool;  // keys of the grid that only repeat a measurement, as seeds do
  std::vector<Member> members;    // as listed; after expand(), at all points of the grid
  std::vector<std::string> set;   // applied after the members' own
  PlotOptions plot;
};

// "method.tau_max=1,0.1"; a comma inside brackets or quotes does not separate values.
GridKey parse_grid(std::string_view argument);

// 0 … n-1.
std::vector<int64_t> first_seeds(int64_t n, const std::string& key);
// The seeds themselves, checked.
std::vector<int64_t> listed_seeds(std::vector<int64_t> seeds, const std::string& key);

// Replaces every listed member with `in_grid` by its members at all points of the grid (the base
// itself when no member has it), and checks names and keys.
void expand(Spec& spec);

// The config of an expanded member.
Config load_member(const Spec& spec, const Member& member);

bool in_grid(const Spec& spec, const std::string& key);

// Every key that a member sets, in order of first appearance.
std::vector<std::string> swept_keys(const Spec& spec);

}  // namespace spikenm::sweep
