#include "record_spikes.h"

#include "exit_codes.h"

#include "spikenm/core/error.h"
#include "spikenm/core/program.h"

namespace spikenm::cli {

report::SpikeRecord record_spikes(const std::filesystem::path& run, int64_t sample,
                                  const std::vector<std::string>& overrides) {
  std::vector<std::string> words{"/proc/self/exe", "spikes", run.string(), "--sample",
                                 std::to_string(sample)};
  words.insert(words.end(), overrides.begin(), overrides.end());
  const auto found = spikenm::run_program(words, "");
  SPIKENM_CHECK(found.has_value(), "{}: cannot be started to record spikes", words.front());
  // Its own message says what was wrong; the last line is the one that ended it.
  std::string why = found->errors;
  while (why.ends_with('\n')) why.pop_back();
  why = why.substr(why.rfind('\n') + 1);
  const std::string prefix = "spikenm: ";
  if (why.starts_with(prefix)) why = why.substr(prefix.size());
  if (found->exit_code == kBadUsage) throw UsageError(why);
  SPIKENM_CHECK(found->exit_code == 0, "{}", why);
  return report::read_spike_record(found->output, run.string());
}

}  // namespace spikenm::cli
