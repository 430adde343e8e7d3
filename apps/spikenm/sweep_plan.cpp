#include "sweep_plan.h"

#include "spikenm/core/file.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/core/run_owner.h"
#include "spikenm/core/toml.h"
#include "spikenm/train/experiment.h"
#include "spikenm/train/resume_config.h"

namespace spikenm::cli {
namespace fs = std::filesystem;
namespace {

// In what the run in the folder differs from the plan; empty if there is no run, or no difference.
std::string difference_from(const Planned& wanted) {
  const fs::path config = wanted.folder / RunDir::kConfig, graph = wanted.folder / RunDir::kGraph;
  std::error_code error;
  if (!fs::exists(config, error)) return "";
  try {
    const auto other =
        train::first_difference(parse_toml(read_file(config), config.string()), wanted.config);
    if (other) return fmt::format("{} = {}, wanted {}", other->key, other->found, other->wanted);
    const bool other_graph =
        !wanted.graph.empty() && fs::exists(graph, error) && read_file(graph) != wanted.graph;
    return other_graph ? "another network" : "";
  } catch (const Error& e) {
    return e.what();
  }
}

}  // namespace

void look_into(Planned& run) {
  run.found.reset();
  run.goes_on = run.is_spoilt = false;
  run.difference = difference_from(run);
  if (!run.difference.empty()) return;
  try {
    if (train::is_finished(run.folder)) {
      run.found = report::read_run(run.folder);
    } else {
      run.goes_on = RunDir::holds_run(run.folder);
    }
  } catch (const Error&) {
    run.is_spoilt = true;
  }
}

std::vector<Planned> plan(const sweep::Spec& spec, const std::vector<Resolved>& resolved,
                          const fs::path& out) {
  std::vector<Planned> planned;
  for (size_t m = 0; m < spec.members.size(); ++m) {
    Json config = parse_toml(resolved[m].config, spec.members[m].name);
    if (!resolved[m].graph.empty()) config["model"]["file"] = RunDir::kGraph;
    for (const int64_t seed : spec.seeds) {
      config["seed"] = seed;
      const std::string name = fmt::format("{}/seed{}", spec.members[m].name, seed);
      Planned& added = planned.emplace_back(Planned{.member = m,
                                                    .seed = seed,
                                                    .name = name,
                                                    .folder = out / name,
                                                    .config = config,
                                                    .graph = resolved[m].graph});
      look_into(added);
    }
  }
  return planned;
}

void refuse_other_runs(const std::vector<Planned>& planned) {
  for (const Planned& run : planned)
    SPIKENM_CHECK(run.difference.empty() || find_owner(run.folder),
                  "{}: the folder holds a run with {}; name another with --out, or train such runs "
                  "anew with --force",
                  run.folder.string(), run.difference);
}

}  // namespace spikenm::cli
