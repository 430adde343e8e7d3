#include "spikenm/sweep/spec_file.h"

#include "spikenm/core/text.h"
#include "spikenm/core/toml.h"

#include <algorithm>

namespace spikenm::sweep {
namespace {

// A table of the file, read key by key; a key that is not read is an Error.
class Table {
 public:
  Table(const Json& table, std::string where) : table_(table), where_(std::move(where)) {
    SPIKENM_CHECK(table.is_object(), "{}: found {}, wanted a table", where_, table.dump());
  }

  [[nodiscard]] std::string text(const char* key) {
    const Json* value = find(key);
    check(key, value == nullptr || value->is_string(), "text in quotes");
    return value == nullptr ? "" : value->get<std::string>();
  }

  [[nodiscard]] bool flag(const char* key, bool fallback) {
    const Json* value = find(key);
    check(key, value == nullptr || value->is_boolean(), "true or false");
    return value == nullptr ? fallback : value->get<bool>();
  }

  [[nodiscard]] std::vector<std::string> texts(const char* key) {
    const Json* value = find(key);
    if (value == nullptr) return {};
    check(key, value->is_array() && std::all_of(value->begin(), value->end(), is_text),
          "a list of texts in quotes");
    return value->get<std::vector<std::string>>();
  }

  // A number is how many there are, a list are the seeds themselves, also a list of one.
  [[nodiscard]] std::vector<int64_t> seeds(const char* key) {
    const Json* value = find(key);
    if (value == nullptr) return {0};
    const std::string name = where_ + ": " + key;
    if (value->is_number_integer()) return first_seeds(value->get<int64_t>(), name);
    check(key, value->is_array() && std::all_of(value->begin(), value->end(), is_integer),
          "a whole number or a list of them");
    return listed_seeds(value->get<std::vector<int64_t>>(), name);
  }

  // Null when the key is missing.
  const Json* find(const char* key) {
    known_.emplace_back(key);
    const auto found = table_.find(key);
    return found == table_.end() ? nullptr : &*found;
  }

  void reject_unread() const {
    for (const auto& [key, value] : table_.items()) {
      SPIKENM_CHECK(std::find(known_.begin(), known_.end(), key) != known_.end(),
                    "{}: found the unknown key '{}'; the nearest is {}", where_, key,
                    nearest(key, known_));
    }
  }

 private:
  static bool is_text(const Json& value) { return value.is_string(); }
  static bool is_integer(const Json& value) { return value.is_number_integer(); }

  void check(const char* key, bool right, const char* wanted) const {
    SPIKENM_CHECK(right, "{}: {}: found {}, wanted {}", where_, key, table_.at(key).dump(), wanted);
  }

  const Json& table_;
  std::string where_;
  std::vector<std::string> known_;
};

std::vector<Member> read_members(const Json& list, const std::string& where) {
  SPIKENM_CHECK(list.is_array(), "{}: member: found one table, wanted [[member]]", where);
  std::vector<Member> members;
  for (const Json& entry : list) {
    Table table(entry, fmt::format("{}: member {}", where, members.size() + 1));
    Member member;
    member.name = table.text("name");
    member.drop = table.texts("drop");
    member.set = table.texts("set");
    member.in_grid = table.flag("grid", true);
    table.reject_unread();

    SPIKENM_CHECK(!member.name.empty(), "{}: member {}: found no name", where, members.size() + 1);
    members.push_back(std::move(member));
  }
  return members;
}

std::vector<GridKey> read_grid(const Json& table, const std::string& where) {
  SPIKENM_CHECK(table.is_object(), "{}: grid: found {}, wanted a table", where, table.dump());
  std::vector<GridKey> grid;
  for (const auto& [key, values] : flatten_tables(table)) {
    SPIKENM_CHECK(values.is_array() && !values.empty(),
                  "{}: grid: {}: found {}, wanted a list of values", where, key, values.dump());
    GridKey& added = grid.emplace_back();
    added.key = key;
    for (const Json& value : values) {
      SPIKENM_CHECK(!value.is_object(), "{}: grid: {}: found a table, wanted values", where, key);
      added.values.push_back(value.dump());
    }
  }
  return grid;
}

PlotOptions read_plot(const Json& json, const std::string& where) {
  Table table(json, where + ": plot");
  PlotOptions plot;
  plot.x = table.text("x");
  plot.x_label = table.text("x_label");
  if (const std::string y = table.text("y"); !y.empty()) plot.y = y;
  plot.log = table.flag("log", false);
  plot.reference = table.text("reference");
  table.reject_unread();
  return plot;
}

}  // namespace

Spec parse_spec(std::string_view text, const std::filesystem::path& file) {
  const std::string where = file.string();
  const Json json = parse_toml(text, where);
  Table table(json, where);
  const auto beside = [&](const std::string& name) {
    return name.empty() ? std::filesystem::path() : file.parent_path() / name;
  };

  Spec spec;
  spec.title = table.text("title");
  spec.base = beside(table.text("base"));
  spec.published = beside(table.text("published"));
  spec.pool = table.texts("pool");

  spec.seeds = table.seeds("seeds");
  if (const Json* members = table.find("member")) spec.members = read_members(*members, where);
  if (const Json* grid = table.find("grid")) spec.grid = read_grid(*grid, where);
  if (const Json* plot = table.find("plot")) spec.plot = read_plot(*plot, where);
  table.reject_unread();
  return spec;
}

}  // namespace spikenm::sweep
