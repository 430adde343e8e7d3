// One page that shows runs: it holds all it needs and loads nothing.
#pragma once

#include "spikenm/report/paper_rows.h"
#include "spikenm/report/spike_record.h"

#include <map>

namespace spikenm::report {

struct PageContent {
  std::string title;
  std::vector<Run> runs;                      // that have begun
  std::vector<PaperRow> rows;                 // of the finished ones
  std::map<std::string, SpikeRecord> spikes;  // by folder
  std::vector<std::string> notes;             // what is not shown, and why
};

// Table, curves, masks, firing rates, confusion, spikes, and for each run its config, its warnings
// and what produced it. Text from runs is escaped.
std::string html_page(const PageContent& content);

}  // namespace spikenm::report
