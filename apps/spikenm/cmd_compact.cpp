#include "commands.h"
#include "path_option.h"

#include "spikenm/core/show.h"
#include "spikenm/train/compact.h"

#include <memory>

namespace spikenm::cli {
namespace {

struct CompactArguments {
  std::string run, out;
  std::vector<std::string> overrides;
  bool unmeasured = false;
};

void compact(const CompactArguments& a) {
  const train::CompactedRun found = train::compact_run(a.run, a.out, a.overrides, !a.unmeasured);
  show("{}: {} of {} weights, {:.2f} %\n", a.out, found.weights, found.weights_before,
       100.0 * static_cast<double>(found.weights) / static_cast<double>(found.weights_before));
}

}  // namespace

std::function<void()> setup_compact(CLI::App& app) {
  auto a = std::make_shared<CompactArguments>();
  as_path(app.add_option("run", a->run, "run folder or model file with channel masks"))->required();
  app.add_option("overrides", a->overrides, "a.b=value, over the stored config");
  as_path(app.add_option("-o,--out", a->out, "the run folder to write"))->required();
  app.add_flag("--no-measure", a->unmeasured,
               "write no result.json: the test part of the data is not needed then");
  app.footer(
      "Examples:\n"
      "  spikenm compact runs/nsl -o runs/nsl-small\n"
      "  spikenm table runs");
  return [a] { compact(*a); };
}

}  // namespace spikenm::cli
