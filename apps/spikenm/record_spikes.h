// What the neurons of a trained run do with a sample of its validation set, as `spikenm spikes`
// says: a process of its own, since it needs torch.
#pragma once

#include "spikenm/report/spike_record.h"

#include <filesystem>
#include <string>
#include <vector>

namespace spikenm::cli {

// `sample` counts from 0. Overrides are applied to the stored config, such as data.root=DIR. The
// test set is not opened. An Error when the run has no validation or no such sample.
report::SpikeRecord record_spikes(const std::filesystem::path& run, int64_t sample,
                                  const std::vector<std::string>& overrides);

}  // namespace spikenm::cli
