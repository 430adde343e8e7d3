#include "commands.h"

#include "spikenm/core/error.h"
#include "spikenm/core/json.h"
#include "spikenm/core/say.h"
#include "spikenm/core/show.h"
#include "spikenm/core/text.h"
#include "spikenm/train/run_lists.h"

#include <algorithm>
#include <memory>

namespace spikenm::cli {
namespace {

struct ListArguments {
  std::string what;
  bool json = false;
};

// Names in one column, and what stands beside them.
void show_columns(const std::vector<train::ListRow>& rows) {
  size_t widest = 0;
  for (const train::ListRow& row : rows) widest = std::max(widest, row.name.size());
  for (const train::ListRow& row : rows) show("{:<{}}  {}\n", row.name, widest, row.summary);
}

std::vector<std::string> names_of(const train::RunList& list) {
  std::vector<std::string> names;
  for (const train::ListRow& row : list.rows) names.push_back(row.name);
  return names;
}

void show_kinds(const std::vector<train::RunList>& lists, bool json) {
  Json all = Json::object();
  std::vector<train::ListRow> rows;
  for (const train::RunList& list : lists) {
    all[list.name] = names_of(list);
    rows.push_back({list.name, fmt::format("{}: {}", list.key, join(names_of(list), ", "))});
  }
  if (json) {
    show_json(all);
  } else {
    show_columns(rows);
  }
}

void list(const ListArguments& a) {
  const std::vector<train::RunList> lists = train::run_lists();
  if (a.what.empty()) return show_kinds(lists, a.json);

  std::vector<std::string> kinds;
  for (const train::RunList& one : lists) {
    kinds.push_back(one.name);
    if (one.name != a.what) continue;
    if (!a.json) return show_columns(one.rows);
    Json rows = Json::array();
    for (const train::ListRow& row : one.rows)
      rows.push_back({{"name", row.name}, {"summary", row.summary}});
    return show_json(rows);
  }
  throw UsageError(fmt::format("list: found '{}', wanted one of {} (nearest: {})",
                               printable(a.what), join(kinds, ", "), nearest(a.what, kinds)));
}

}  // namespace

std::function<void()> setup_list(CLI::App& app) {
  auto a = std::make_shared<ListArguments>();
  app.add_option("what", a->what,
                 "models, methods, presets, neurons, surrogates, losses, optimizers, schedules, "
                 "transforms, datasets or phases; without it, the names of all");
  app.add_flag("--json", a->json, "print JSON");
  app.footer(
      "Examples:\n"
      "  spikenm list\n"
      "  spikenm list models\n"
      "  spikenm list transforms --json");
  return [a] { list(*a); };
}

}  // namespace spikenm::cli
