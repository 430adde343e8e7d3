#include "commands.h"
#include "dataset_options.h"

#include "spikenm/core/json.h"
#include "spikenm/core/say.h"
#include "spikenm/core/show.h"
#include "spikenm/data/check.h"

namespace spikenm::cli {
namespace {

struct CheckArguments {
  DatasetOptions dataset;
  bool json = false;
};

void print_report(const data::CheckReport& report, const data::DatasetInfo& info, bool json) {
  if (!json) {
    if (!info.source.empty()) show("source: {}\n", printable(info.source));
    for (const data::Finding& finding : report.findings)
      show("{}{}\n", finding.good ? "" : "BAD  ", printable(finding.text));
    return;
  }

  Json findings = Json::array();
  for (const data::Finding& finding : report.findings)
    findings.push_back({{"good", finding.good}, {"text", finding.text}});
  const Json all{{"name", report.name}, {"source", info.source}, {"train", report.train},
                 {"test", report.test}, {"findings", findings},  {"complete", report.complete()}};
  show_json(all);
}

void check(const CheckArguments& a) {
  const auto dataset = a.dataset.open();
  ProgressLine line;
  const data::CheckReport report = data::check_dataset(*dataset, progress_on(line, a.dataset.name));
  line.clear();
  print_report(report, dataset->info(), a.json);
  SPIKENM_CHECK(report.complete(), "{}", report.verdict());
  if (!a.json) show("{}\n", report.verdict());
}

}  // namespace

std::function<void()> setup_data_check(CLI::App& app) {
  auto a = std::make_shared<CheckArguments>();
  a->dataset.declare(app);
  app.add_flag("--json", a->json, "print the findings as JSON");
  app.footer(
      "Compares the sizes with those published and the files with their published md5 sums, then "
      "decodes\n"
      "every sample. Exits with 1 when something is missing or broken, and names it.\n\n"
      "Examples:\n"
      "  spikenm data check cifar10 --root ~/data\n"
      "  spikenm data check dvs-gesture --root ~/data/DVS128Gesture --json");
  return [a] { check(*a); };
}

}  // namespace spikenm::cli
